"""Running sums, products and extremes along an axis, and the linear recurrence that is the derivative of products.

The axis is a negative number. ``reverse`` runs from the end to the start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.ops.on_chunks.axes import along_axes
from autodiff.ops.on_chunks.reductions import running
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import AXIS, FLAG, same
from autodiff.trace.primitive import Primitive, general, linear
from autodiff.trace.spec import Spec, native, spec

RUNNING = {"axis": AXIS, "reverse": FLAG}


def _running(function: Callable[..., Any], x: Any, axis: int, reverse: bool) -> Any:
    if not reverse:
        return function(x, axis=axis)
    return np.flip(function(np.flip(x, axis), axis=axis), axis)


def _running_spec(x: Spec, *, axis: int, reverse: bool) -> Spec:
    dtype = np.add.accumulate(np.empty(0, x.dtype)).dtype if x.dtype.kind in "biu" else native(x.dtype)
    return spec(x.shape, dtype)


cumsum: Primitive = linear(
    "cumsum",
    ("x",),
    lambda x, *, axis, reverse: _running(np.cumsum, x, axis, reverse),
    _running_spec,
    {"x": lambda g, axis, reverse: cumsum(g, axis=axis, reverse=not reverse)},
    adds=True,
    params=RUNNING,
    on_chunks=running("cumsum"),
    facts=Facts(each=True, new=True, label="Cumsum"),
)
"""The running sum along an axis."""


def _evaluate_shift(x: Any, *, axis: int, reverse: bool) -> Any:
    out = np.zeros_like(x)
    first, last = [slice(None)] * x.ndim, [slice(None)] * x.ndim
    first[axis], last[axis] = slice(1, None), slice(None, -1)
    if reverse:
        out[tuple(last)] = x[tuple(first)]
    else:
        out[tuple(first)] = x[tuple(last)]
    return out


shift: Primitive = linear(
    "shift",
    ("x",),
    _evaluate_shift,
    lambda x, *, axis, reverse: spec(x.shape, x.dtype),
    {"x": lambda g, axis, reverse: shift(g, axis=axis, reverse=not reverse)},
    params=RUNNING,
    moves=True,
    on_chunks=along_axes,
)
"""The elements moved on by one place along an axis; the last one falls out, and a zero comes in."""


def _evaluate_recurrence(b: Any, a: Any, *, axis: int, reverse: bool) -> Any:
    out = np.zeros_like(b, dtype=np.result_type(b.dtype, a.dtype))
    b, a, s = (np.moveaxis(array, axis, 0) for array in (b, a, out))
    order = range(len(b) - 1, -1, -1) if reverse else range(len(b))
    for before, k in zip((None, *order), order):
        s[k] = b[k] if before is None else b[k] + a[k] * s[before]
    return out


def _recurrence_spec(b: Spec, a: Spec, *, axis: int, reverse: bool) -> Spec:
    return spec(b.shape, np.result_type(b.dtype, a.dtype))


def _adjoint(g: Any, a: Any, axis: int, reverse: bool) -> Any:
    """The cotangents of ``b``: the same recurrence in the other direction, with the coefficients of the next place."""
    return recurrence(g, shift(a, axis=axis, reverse=not reverse), axis=axis, reverse=not reverse)


def _coefficient_rule(g: Any, a: Any, out: Any, axis: int, reverse: bool) -> Any:
    return _adjoint(g, a, axis, reverse) * shift(out, axis=axis, reverse=reverse)


def _recurrence_forward(tangents: Sequence[Any], values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> Any:
    db, da = tangents
    moved = None if da is None else da * shift(out, **params)
    return recurrence(moved if db is None else db if moved is None else db + moved, values[1], **params)


recurrence: Primitive = general(
    "recurrence",
    ("b", "a"),
    _evaluate_recurrence,
    _recurrence_spec,
    {"b": lambda g, a, axis, reverse: _adjoint(g, a, axis, reverse), "a": _coefficient_rule},
    params=RUNNING,
    check=lambda b, a, *, axis, reverse: same("the shapes of the operands", b.shape, a.shape),
    forward=_recurrence_forward,
    on_chunks=along_axes,
)
"""s[k] = b[k] + a[k] s[k-1] along an axis. It never divides, so that running products of zeros have derivatives."""


def _evaluate_before(x: Any, *, axis: int, reverse: bool) -> Any:
    x = np.flip(x, axis) if reverse else x
    out = np.ones_like(x)
    np.moveaxis(out, axis, 0)[1:] = np.cumprod(np.moveaxis(x, axis, 0)[:-1], axis=0)
    return np.flip(out, axis) if reverse else out


def _before_rule(g: Any, x: Any, out: Any, axis: int, reverse: bool) -> Any:
    return _adjoint(shift(g, axis=axis, reverse=not reverse), x, axis, reverse) * out


def _before_forward(tangents: Sequence[Any], values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> Any:
    return shift(recurrence(tangents[0] * out, values[0], **params), **params)


products_before: Primitive = general(
    "products_before",
    ("x",),
    _evaluate_before,
    lambda x, *, axis, reverse: spec(x.shape, x.dtype),
    {"x": _before_rule},
    params=RUNNING,
    forward=_before_forward,
    on_chunks=along_axes,
)
"""For each element the product of all before it along an axis: 1 for the first."""


def products_of_others(x: Any, axis: int) -> Any:
    """For each element the product of all others along an axis: those before it times those after it."""
    return products_before(x, axis=axis, reverse=False) * products_before(x, axis=axis, reverse=True)


def _cumprod_rule(g: Any, x: Any, axis: int, reverse: bool) -> Any:
    return _adjoint(g, x, axis, reverse) * products_before(x, axis=axis, reverse=reverse)


def _cumprod_forward(tangents: Sequence[Any], values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> Any:
    return recurrence(tangents[0] * products_before(values[0], **params), values[0], **params)


cumprod: Primitive = general(
    "cumprod",
    ("x",),
    lambda x, *, axis, reverse: _running(np.cumprod, x, axis, reverse),
    _running_spec,
    {"x": _cumprod_rule},
    params=RUNNING,
    forward=_cumprod_forward,
    on_chunks=running("cumprod"),
    facts=Facts(each=True, new=True, label="Cumprod"),
)
"""The running product along an axis; its derivative never divides."""
