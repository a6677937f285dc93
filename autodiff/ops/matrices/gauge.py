"""Freedom of choice in decompositions: eigenvectors and singular vectors are determined only up to a gauge.

A gauge is a phase of each vector, and a rotation among those of equal values. A function of the vectors has a
derivative only where it does not depend on the gauge: then the part of the cotangent that points along it is zero.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np

from autodiff.ops.elementwise import logical_and, where
from autodiff.ops.matrices.products import check_ndim, column, row
from autodiff.ops.on_gpu import linalg
from autodiff.trace.parameters import one_of, require, same
from autodiff.trace.primitive import Primitive, general, linear
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, broadcast_shapes, native, spec, spec_of
from autodiff.trace.values.arrays import module_of, on_gpu

Part = Literal["columns", "turn", "pairs"]


class GaugeWarning(RuntimeWarning):
    """A derivative depends on a choice that the decomposition made: its own value has no meaning there.

    >>> import warnings
    >>> from autodiff import grad
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     g = grad(lambda a: np.sum(np.linalg.svd(a)[0]))(np.eye(2))  # any vectors are some: which, is chosen
    >>> seen[0].category.__name__
    'GaugeWarning'
    """


def _evaluate_size(*xs: Any) -> Any:
    return np.maximum.reduce([np.max(abs(x), axis=(-2, -1), keepdims=True, initial=0) for x in xs])


def _check_size(*xs: Spec) -> None:
    require(bool(xs), "it needs an operand")
    for x in xs:
        check_ndim(x, 2)
        same("the leading lengths", x.shape[:-2], xs[0].shape[:-2])
        same("the dtypes", x.dtype, xs[0].dtype)


size_of: Primitive = general(
    "size_of",
    ("*xs",),
    _evaluate_size,
    lambda *xs: spec((*xs[0].shape[:-2], 1, 1), native(np.empty(0, xs[0].dtype).real.dtype)),
    {},
    check=_check_size,
    on_gpu=linalg.size_of,
)
"""The size of the largest element of matrices that belong together: what is small is small compared to that."""


def _evaluate_drop(x: Any, free: Any, size: Any, *, part: Part, name: str) -> Any:
    turn = x if part == "columns" else (x - np.conj(np.swapaxes(x, -1, -2))) / 2
    precision = np.sqrt(np.finfo(x.dtype).eps)
    limit = precision * size
    module = module_of(x)
    square = part != "columns" or name == "eig"  # each vector beside itself is on the diagonal
    diagonal = module.eye(*x.shape[-2:], dtype=np.bool_) if square else module.zeros(x.shape[-2:], np.bool_)
    if np.any((abs(turn) > limit) & free & diagonal):
        _warn(name, "depends on the phases of the vectors, which are arbitrary: their part is taken as zero.")
    across = abs(x) if part == "pairs" else abs(turn)
    if np.any((across > limit) & free & ~diagonal):
        _warn(name, EQUAL)
    return np.where(free, 0, turn).astype(x.dtype, copy=False)


EQUAL = (
    "meets equal or zero values: the part that divides by their difference is taken as zero. That is right where "
    "vectors of equal values count only as the space that they span, but not for a function of the values put between "
    "the vectors. Where only the values are wanted, call eigvalsh, eigvals or svdvals."
)


def _warn(name: str, reason: str) -> None:
    warnings.warn(f"a derivative of {name}{at_user_line()} {reason}", GaugeWarning, stacklevel=2)


def _drop_rule(g: Any, free: Any, part: Part, name: str) -> Any:
    """Seen forwards phases are no matter: they turn with any matrix, and nothing that uses them may depend on it."""
    if part != "columns":
        g = where(logical_and(free, module_of(g).eye(spec_of(g).shape[-1], dtype=bool)), 0, g)
    return drop_gauge(g, free, size_of(g), part=part, name=name)


def _check_drop(x: Spec, free: Spec, size: Spec, *, part: Part, name: str) -> None:
    check_ndim(x, 2)
    require(x.inexact, f"a cotangent is not made of {x.dtype}")
    same("the dtype of a mask and bool", free.dtype, np.dtype(bool))
    same("the shape with those of mask and size", broadcast_shapes(x.shape, free.shape, size.shape), x.shape)
    if part != "columns":
        same("the lengths of the last two axes", x.shape[-1], x.shape[-2])


drop_gauge: Primitive = linear(
    "drop_gauge",
    ("x", "free", "size"),
    _evaluate_drop,
    lambda x, free, size, *, part, name: spec(x.shape, x.dtype),
    {"x": _drop_rule},
    params={"part": one_of("columns", "turn", "pairs"), "name": one_of("eigh", "eig", "svd")},
    check=_check_drop,
)
"""A part of a cotangent with zeros at its free elements. It is its own transpose.

Parts are: ``"columns"``, the cotangent itself; ``"turn"``, the anti-Hermitian part of a square one; ``"pairs"``, the
same, to be divided by the differences of values. Where free elements are not zero, compared to ``size``, it
warns. Of pairs it looks at the Hermitian part as well: that is zero divided by zero.
"""


def fixed_turn(x: Any, free: Any, size: Any, name: str, part: Part = "pairs") -> Any:
    """The anti-Hermitian part of matrices, without its free elements."""
    return drop_gauge(x, free, size, part=part, name=name)


# Which elements are free.


def _threshold(values: Any) -> Any:
    """Values closer than this are equal as far as the decomposition can tell."""
    sizes = abs(values)
    largest = (linalg.largest(sizes, (-1,)) if on_gpu(values) else np.max(sizes, axis=-1, initial=0, keepdims=True))[
        ..., None
    ]
    return 4 * max(np.shape(values)[-1], 1) * np.finfo(values.dtype).eps * largest


def _evaluate_equal_pairs(values: Any) -> Any:
    return abs(values[..., None, :] - values[..., :, None]) <= _threshold(values)


def _evaluate_zero_pairs(values: Any) -> Any:
    return abs(values[..., None, :] + values[..., :, None]) <= _threshold(values)


def _evaluate_zero_columns(values: Any) -> Any:
    return abs(values[..., None, :]) <= _threshold(values)


def _square_spec(values: Spec) -> Spec:
    return spec((*values.shape, values.shape[-1]), bool)


def _check_values(values: Spec) -> None:
    check_ndim(values, 1)
    require(values.inexact, f"values of a decomposition are not made of {values.dtype}")


# fmt: off
equal_pairs  = general("equal_pairs",  ("values",), _evaluate_equal_pairs,  _square_spec, {}, check=_check_values)
zero_pairs   = general("zero_pairs",   ("values",), _evaluate_zero_pairs,   _square_spec, {}, check=_check_values)
zero_columns = general("zero_columns", ("values",), _evaluate_zero_columns,
                       lambda values: spec((*values.shape[:-1], 1, values.shape[-1]), bool), {}, check=_check_values)
# fmt: on


def gaps(values: Any, equal: Any) -> Any:
    """Differences ``values[j] - values[i]``; one, with the sign of j - i, for equal ones, and one on the diagonal."""
    own = spec_of(values)
    module = module_of(values)
    places = module.arange(own.shape[-1])
    order = np.sign(places - places[:, None]) + module.eye(places.size, dtype=int)
    return where(equal, order.astype(own.dtype), row(values) - column(values))
