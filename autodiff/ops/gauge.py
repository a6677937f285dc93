"""Freedom of choice in decompositions: eigenvectors and singular vectors are determined only up to a gauge.

A gauge is a phase of each vector, and a rotation among those of equal values. A function of the vectors has a
derivative only where it does not depend on the gauge: then the part of the cotangent that points along it is zero.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from autodiff.ops.elementwise import logical_and, where
from autodiff.ops.linalg import column, row
from autodiff.trace.primitive import Primitive, general, linear
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec, spec_of


class GaugeWarning(RuntimeWarning):
    """A derivative depends on a choice that the decomposition made: its own value has no meaning there."""


def _evaluate_drop(x: Any, free: Any, reference: Any, *, skew: bool, name: str) -> Any:
    if skew:
        x = (x - np.conj(np.swapaxes(x, -1, -2))) / 2
    precision = np.sqrt(np.finfo(x.dtype).eps)
    scale = np.max(abs(reference), axis=(-2, -1), keepdims=True, initial=0)
    if np.any((abs(x) > precision * scale) & free):
        warnings.warn(
            f"a derivative of {name} depends on the choice of vectors for equal or zero values, or on their "
            f"phases{at_user_line()}: this part of it is taken as zero. Make the result independent of the choice; "
            "where only the values are wanted, call the function that gives no vectors.",
            GaugeWarning,
            stacklevel=2,
        )
    return np.where(free, 0, x).astype(x.dtype, copy=False)


def _drop_rule(g: Any, free: Any, skew: bool, name: str) -> Any:
    """Seen forwards phases are no matter: they turn with any matrix, and nothing that uses them may depend on it."""
    if skew:
        g = where(logical_and(free, np.eye(spec_of(g).shape[-1], dtype=bool)), 0, g)
    return drop_gauge(g, free, g, skew=skew, name=name)


drop_gauge: Primitive = linear(
    "drop_gauge",
    ("x", "free", "reference"),
    _evaluate_drop,
    lambda x, free, reference, *, skew, name: spec(x.shape, x.dtype),
    {"x": _drop_rule},
)
"""Matrices, or their anti-Hermitian parts with ``skew``, with zeros at the free elements.

It warns where these are not zero, compared to the elements of ``reference``. It is its own transpose.
"""


def fixed_skew(x: Any, free: Any, name: str) -> Any:
    """The anti-Hermitian part of matrices, without its free elements."""
    return drop_gauge(x, free, x, skew=True, name=name)


# Which elements are free.


def _threshold(values: Any) -> Any:
    """Values closer than this are equal as far as the decomposition can tell."""
    largest = np.max(abs(values), axis=-1, initial=0)[..., None, None]
    return 4 * max(np.shape(values)[-1], 1) * np.finfo(values.dtype).eps * largest


def _evaluate_equal_pairs(values: Any) -> Any:
    return abs(values[..., None, :] - values[..., :, None]) <= _threshold(values)


def _evaluate_zero_pairs(values: Any) -> Any:
    return abs(values[..., None, :] + values[..., :, None]) <= _threshold(values)


def _evaluate_zero_columns(values: Any) -> Any:
    return abs(values[..., None, :]) <= _threshold(values)


def _square_spec(values: Spec) -> Spec:
    return spec((*values.shape, values.shape[-1]), bool)


# fmt: off
equal_pairs  = general("equal_pairs",  ("values",), _evaluate_equal_pairs,  _square_spec, {})
zero_pairs   = general("zero_pairs",   ("values",), _evaluate_zero_pairs,   _square_spec, {})
zero_columns = general("zero_columns", ("values",), _evaluate_zero_columns,
                       lambda values: spec((*values.shape[:-1], 1, values.shape[-1]), bool), {})
# fmt: on


def gaps(values: Any, equal: Any) -> Any:
    """Differences ``values[j] - values[i]``; one, with the sign of j - i, for equal ones, and one on the diagonal."""
    own = spec_of(values)
    places = np.arange(own.shape[-1])
    order = np.sign(places - places[:, None]) + np.eye(places.size, dtype=int)
    return where(equal, order.astype(own.dtype), row(values) - column(values))
