"""scipy.special for plain and traced values alike.

The ufuncs of scipy.special can be called with traced values as they are. The functions of this module are those that
are no ufuncs, and that turn their arguments into plain arrays. Every other name is scipy.special's own.
"""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
import scipy.special

from autodiff.numpy.axes import negative_axes
from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.numpy.statistics.reductions import kept
from autodiff.numpy.statistics.softmax import log_softmax as log_softmax
from autodiff.numpy.statistics.softmax import real_floating
from autodiff.numpy.statistics.softmax import softmax as softmax
from autodiff.ops import elementwise as ew
from autodiff.ops.reductions.logsumexp import logsumexp as logsumexp_axes
from autodiff.ops.special import gamma as special
from autodiff.scipy import special_counterparts
from autodiff.scipy.mirror import mirrored
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

COUNTERPARTS = frozenset((
    "assoc_laguerre", "assoc_legendre_p", "assoc_legendre_p_all", "comb", "diric", "factorial", "h1vp", "h2vp", "ivp",
    "jvp", "kvp", "legendre_p", "legendre_p_all", "multigammaln", "perm", "softplus", "sph_harm_y", "sph_harm_y_all",
    "sph_legendre_p", "sph_legendre_p_all", "spherical_in", "spherical_jn", "spherical_kn", "spherical_yn", "yvp",
))  # fmt: skip


def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False) -> Any:
    """log(sum(b * exp(a))) along axes, without overflow.

    Args:
        a: real numbers.
        axis: an axis, several, or None for all.
        b: factors, which may be negative; 1 by default.
        keepdims: whether the axes stay, with length one.
        return_sign: whether the logarithm is that of the absolute value, and the sign a second result.

    Returns:
        the logarithm; NaN where the sum is negative. The derivative by ``a`` are the shares ``b * exp(a) / sum``. Where
        nothing is summed but ``exp(-inf)``, it is 0; infinite elements have equal shares.

    >>> import numpy as np, autodiff
    >>> autodiff.grad(logsumexp)(np.array([1000.0, 1000.0]))
    array([0.5, 0.5])
    """
    a = real_floating("logsumexp", a)
    if b is not None or return_sign:
        return _signed(a, 1 if b is None else as_operand(b), axis, keepdims, return_sign)
    shape = spec_of(a).shape
    axes = negative_axes(axis, len(shape))
    return kept(logsumexp_axes(a, axes=axes), shape, axes, keepdims)


def _signed(a: Any, b: Any, axis: Any, keepdims: bool, return_sign: bool) -> Any:
    maximum, sum, squeeze = (FUNCTIONS[function] for function in (np.max, np.sum, np.squeeze))
    a = ew.add(a, ew.multiply(b, 0))  # of the shape of both
    a = ew.where(ew.logical_or(ew.not_equal(b, 0), ew.isfinite(a)), a, -np.inf)  # a factor of zero leaves it out
    top = maximum(ew.where(ew.equal(b, 0), -np.inf, a), axis=axis, keepdims=True)
    top = ew.where(ew.isfinite(top), top, 0)
    total = sum(b * ew.exp(a - top), axis=axis, keepdims=True)
    result = ew.log(ew.absolute(total) if return_sign else total) + top
    sign = ew.sign(total)
    if not keepdims:
        result, sign = squeeze(result, axis=axis), squeeze(sign, axis=axis)
    return (result, sign) if return_sign else result


def polygamma(n: int, x: Any) -> Any:
    """The derivative of order ``n`` of digamma, in double precision; the derivative by ``x`` is the next one.

    >>> round(float(polygamma(1, 1.0)), 6)
    1.644934
    """
    x = as_operand(x)
    try:
        order = index(n)
    except TypeError:
        raise TypeError(f"polygamma takes one whole number as its order, got {n!r}{at_user_line()}") from None
    return special.polygamma(ew.cast(x, dtype=np.result_type(spec_of(x).dtype, np.float64)), order=order)


_rest = mirrored("scipy.special")
PASSING = frozenset(("zeta", "lambertw"))
"""Functions of SciPy that hand their arguments to ufuncs as they are."""


def __getattr__(name: str) -> Any:
    found = getattr(special_counterparts, name, None) if name in COUNTERPARTS else None
    return found or (getattr(scipy.special, name) if name in PASSING else _rest(name))


__all__ = ["log_softmax", "logsumexp", "polygamma", "softmax"]
