"""NumPy's functions that give an array another shape or another order of its axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.numpy.arrays.memory_order import contiguous, copied, in_memory_order, memory_order
from autodiff.numpy.arrays.outline import known, new_lengths, outline, permuted, reshaped, shape_by
from autodiff.numpy.dispatch import FUNCTIONS, as_operand, implements
from autodiff.ops import shape as sh
from autodiff.trace.spec import Spec, broadcast_shapes, spec_of


@implements(np.reshape)
def reshape(a: Any, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: bool | None = None) -> Any:
    """The same elements in another shape; one length may be -1."""
    a = as_operand(a)
    if copy is not None and not isinstance(known(a), Spec):
        np.reshape(known(a), shape, order, copy=copy)  # type: ignore[call-overload] # NumPy refuses copy=False where memory does not allow it
    lengths = new_lengths(a, newshape if shape is None else shape)
    order = memory_order("np.reshape", a, order)
    a = copied(a, order) if copy else a
    if order == "C":
        return sh.reshape(a, shape=lengths)
    return _reversed(sh.reshape(_reversed(a), shape=lengths[::-1]))


@implements(np.ravel)
def ravel(a: Any, order: str = "C") -> Any:
    """All elements along one axis."""
    a = as_operand(a)
    if order in ("K", "k"):
        return contiguous(sh.reshape(in_memory_order("np.ravel", a), shape=(spec_of(a).size,)))
    return contiguous(reshape(a, (-1,), order=order))


def _reversed(x: Any) -> Any:
    return permuted(x, np.transpose) if spec_of(x).ndim > 1 else x


@implements(np.transpose, np.permute_dims)
def transpose(a: Any, axes: Any = None) -> Any:
    """The axes in another order, by default the reverse."""
    return permuted(as_operand(a), np.transpose, axes)


@implements(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(x: Any, /) -> Any:
    """The last two axes exchanged."""
    return permuted(as_operand(x), np.matrix_transpose)


@implements(np.swapaxes)
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """Two axes exchanged."""
    return permuted(as_operand(a), np.swapaxes, axis1, axis2)


@implements(np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Some axes moved elsewhere, the others in their order."""
    return permuted(as_operand(a), np.moveaxis, source, destination)


@implements(np.rollaxis)
def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """One axis moved in front of another."""
    return permuted(as_operand(a), np.rollaxis, axis, start)


@implements(np.expand_dims)
def expand_dims(a: Any, axis: Any) -> Any:
    """New axes of length one."""
    return reshaped(as_operand(a), np.expand_dims, axis)


@implements(np.squeeze)
def squeeze(a: Any, axis: Any = None) -> Any:
    """Without axes of length one: all, or the given ones."""
    return reshaped(as_operand(a), np.squeeze, axis)


@implements(np.broadcast_to)
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """The elements repeated along new axes and along axes of length one."""
    array = as_operand(array)
    return sh.broadcast_to(array, shape=shape_by(array, np.broadcast_to, outline(array), shape))


@implements(np.broadcast_arrays)
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """All arrays in their common shape."""
    arrays = [as_operand(array) for array in args]
    shape = broadcast_shapes(*(spec_of(array).shape for array in arrays))
    widened = FUNCTIONS[np.broadcast_to]
    specs = map(spec_of, arrays)
    return tuple(
        array if its.shape == shape and its.kind == "array" else widened(array, shape)
        for array, its in zip(arrays, specs, strict=True)
    )


def _at_least(function: Callable[..., Any]) -> Callable[..., Any]:
    def at_least(*arys: Any) -> Any:
        arrays = [reshaped(as_operand(array), function) for array in arys]
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    at_least.__name__ = function.__name__
    at_least.__doc__ = f"The arrays with axes of length one added where they have fewer: np.{function.__name__}."
    return implements(function)(at_least)


atleast_1d = _at_least(np.atleast_1d)
atleast_2d = _at_least(np.atleast_2d)
atleast_3d = _at_least(np.atleast_3d)
