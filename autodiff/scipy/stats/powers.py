"""Transformations of samples by powers, after Box and Cox and after Yeo and Johnson, and the powers that fit best."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
import scipy.stats

from autodiff.numpy.dispatch import peeled
from autodiff.ops.elementwise import where
from autodiff.scipy.optimize.implicit import elementwise_solution
from autodiff.scipy.stats.distribution import in_double
from autodiff.scipy.stats.summaries import real, summary, usual
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.transforms.gradient import grad
from autodiff.transforms.stop_gradient import stop_gradient

Function = Callable[..., Any]


def yeo_johnson(x: Any, power: Any) -> Any:
    """((1 + x)^p - 1) / p for positive numbers, -((1 - x)^(2 - p) - 1) / (2 - p) for negative ones."""
    above = scipy.special.boxcox1p(where(x >= 0, x, 0.0), power)
    below = -scipy.special.boxcox1p(where(x >= 0, 0.0, -x), 2.0 - power)
    return where(x >= 0, above, below)


def likelihood(transformed: Any, jacobian: Any, power: Any, axis: Any, keepdims: bool) -> Any:
    """The logarithm of the likelihood of a power, up to a constant."""
    size = jacobian.size if axis is None else math.prod(np.shape(jacobian)[own] for own in np.atleast_1d(axis))
    spread = np.log(np.var(transformed, axis=axis, keepdims=keepdims))
    return (power - 1) * np.sum(jacobian, axis=axis, keepdims=keepdims) - 0.5 * size * spread


def of_box_and_cox(power: Any, x: Any, axis: Any = 0, keepdims: bool = False) -> Any:
    """The same of Box and Cox's.

    It is that of x / c plus what c changes. The largest power of x / c is 1, so that none overflows and their spread is
    not lost beside 1 / p.
    """
    if not np.size(x):
        return likelihood(x, x, power, axis, keepdims)
    ends = (end(x, axis=axis, keepdims=True) for end in (np.max, np.min))
    c = stop_gradient(where(power > 0, *ends))
    scaled = likelihood(scipy.special.boxcox(x / c, power), np.log(x), power, axis, keepdims)
    size = math.prod(np.shape(x)) // max(1, math.prod(np.shape(c)))
    return scaled - size * power * np.log(np.reshape(c, np.shape(scaled)))


def of_yeo_and_johnson(power: Any, x: Any, axis: Any = 0, keepdims: bool = False) -> Any:
    """The same of Yeo and Johnson's."""
    return likelihood(yeo_johnson(x, power), np.sign(x) * np.log1p(np.abs(x)), power, axis, keepdims)


@summary
def boxcox_llf(lmb: Any, data: Any, *, axis: Any = 0, keepdims: bool = False, nan_policy: str = "propagate") -> Any:
    """The logarithm of the likelihood of a power of Box and Cox's transformation."""
    usual("boxcox_llf", {"nan_policy": nan_policy})
    return of_box_and_cox(in_double(lmb), in_double(data), axis, keepdims)


@summary
def yeojohnson_llf(lmb: Any, data: Any, *, axis: Any = 0, keepdims: bool = False, nan_policy: str = "propagate") -> Any:
    """The logarithm of the likelihood of a power of Yeo and Johnson's transformation."""
    usual("yeojohnson_llf", {"nan_policy": nan_policy})
    return of_yeo_and_johnson(in_double(lmb), in_double(data), axis, keepdims)


def best(name: str, of: Function, x: Any, **how: Any) -> Any:
    """The power of the greatest likelihood, found by SciPy; that its derivative is zero makes it a function of x."""
    x = in_double(x)
    found = getattr(scipy.stats, name)(np.asarray(peeled(x, f"scipy.stats.{name}")), **how)
    slope, better = grad(lambda power: of(power, x)), found
    for _ in range(3):  # SciPy is content with fewer digits than a derivative needs
        better = better - float(peeled(slope(better) / grad(slope)(better)))
    power = elementwise_solution(slope, better)
    return found + (power - stop_gradient(power))


@summary
def boxcox_normmax(x: Any, brack: Any = None, method: str = "pearsonr", optimizer: Any = None) -> Any:
    """The power of the greatest likelihood of Box and Cox's transformation, for ``method="mle"``."""
    if method != "mle" or brack is not None or optimizer is not None:
        raise DifferentiationError(
            f"boxcox_normmax of traced values takes method='mle' and no other option{at_user_line()}; pass that, or "
            "keep the sample constant"
        )
    return best("boxcox_normmax", of_box_and_cox, x, method="mle")


@summary
def yeojohnson_normmax(x: Any, brack: Any = None) -> Any:
    """The power of the greatest likelihood of Yeo and Johnson's transformation."""
    usual("yeojohnson_normmax", {} if brack is None else {"brack": brack})
    return best("yeojohnson_normmax", of_yeo_and_johnson, x)


@summary
def boxcox(x: Any, lmbda: Any = None, alpha: Any = None, optimizer: Any = None) -> Any:
    """Box and Cox's transformation by a power; without one also that of the greatest likelihood."""
    usual("boxcox", {k: v for k, v in (("alpha", alpha), ("optimizer", optimizer)) if v is not None})
    if lmbda is not None:
        return scipy.special.boxcox(real(x), lmbda)
    x = in_double(x)
    power = best("boxcox_normmax", of_box_and_cox, x, method="mle")
    return scipy.special.boxcox(x, power), power


@summary
def yeojohnson(x: Any, lmbda: Any = None) -> Any:
    """Yeo and Johnson's transformation by a power; without one also that of the greatest likelihood."""
    if lmbda is not None:
        return yeo_johnson(real(x), real(lmbda))
    x = in_double(x)
    power = best("yeojohnson_normmax", of_yeo_and_johnson, x)
    return yeo_johnson(x, power), power


POWERS: dict[str, Function] = {
    function.__name__: function
    for function in (boxcox, boxcox_llf, boxcox_normmax, yeojohnson, yeojohnson_llf, yeojohnson_normmax)
}
