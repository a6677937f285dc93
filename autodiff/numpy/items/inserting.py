"""NumPy's functions that put elements between others, and take elements away."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.arrays.joining import concatenate
from autodiff.numpy.arrays.memory_order import laid_out_by
from autodiff.numpy.arrays.shapes import moveaxis, ravel, reshape
from autodiff.numpy.axes import negative_axis
from autodiff.numpy.dispatch import as_operand, implements, peeled
from autodiff.numpy.items.indexing import index
from autodiff.ops.creation import copy
from autodiff.ops.elementwise import cast
from autodiff.ops.join import piece
from autodiff.ops.shape import broadcast_to
from autodiff.trace.spec import spec_of


def _along(arr: Any, axis: int | None) -> tuple[Any, int]:
    """The array and a negative axis of it; flattened where the axis is None."""
    arr = as_operand(arr)
    if axis is None:
        return (arr if spec_of(arr).ndim == 1 else ravel(arr)), -1
    return arr, negative_axis(axis, spec_of(arr).ndim)


def _picked(x: Any, places: Any, axis: int) -> Any:
    return index(x, (*(slice(None),) * (spec_of(x).ndim + axis), places))


@implements(np.delete)
def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """The array without some of its slices along an axis."""
    x, axis = _along(arr, axis)
    length = spec_of(x).shape[axis]
    obj = peeled(obj, "np.delete")
    places = np.delete(np.arange(length), obj)
    removed = length - places.size
    if not removed:
        return copy(x)
    start = (
        int(np.flatnonzero(places != np.arange(places.size))[0])
        if (places != np.arange(places.size)).any()
        else places.size
    )
    if (places[start:] == np.arange(start + removed, length)).all():
        result = concatenate((piece(x, axis, 0, start), piece(x, axis, start + removed, length)), axis)
    else:
        result = _picked(x, places, axis)
    return laid_out_by(result, np.delete, x, obj, axis)


@implements(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """The array with values put in front of the given places along an axis."""
    x, axis = _along(arr, axis)
    its = spec_of(x)
    length = its.shape[axis]
    places = _places(peeled(obj, "np.insert"), length, axis + its.ndim)
    values = cast(as_operand(values), dtype=its.dtype)
    if places.size == 1:
        return _insert_at(x, int(places.reshape(())), _lying_along(values, its.ndim, axis, places.ndim == 0), axis)
    between = broadcast_to(values, shape=_with_length(its.shape, axis, places.size))
    order = places.argsort(kind="stable")
    places[order] += np.arange(places.size)
    source = np.empty(length + places.size, np.intp)
    old = np.ones(source.size, bool)
    old[places] = False
    source[old] = np.arange(length)
    source[places] = length + np.arange(places.size)
    return _picked(concatenate((x, between), axis), source, axis)


def _places(obj: Any, length: int, axis: int) -> Any:
    """The places as integers that are not negative."""
    places = np.arange(*obj.indices(length), dtype=np.intp) if isinstance(obj, slice) else np.array(obj)
    if places.dtype == bool:
        if places.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        places = np.flatnonzero(places)
    elif places.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if places.size == 0:
        places = places.astype(np.intp)
    wrong = (places < -length) | (places > length)
    if wrong.any():
        raise IndexError(f"index {obj} is out of bounds for axis {axis} with size {length}")
    return np.where(places < 0, places + length, places)


def _with_length(shape: tuple[int, ...], axis: int, length: int) -> tuple[int, ...]:
    return tuple(length if k == axis else own for k, own in enumerate(shape, -len(shape)))


def _lying_along(values: Any, ndim: int, axis: int, single: bool) -> Any:
    """Values with as many axes as the array; for a single place NumPy takes their first axis as that of the places."""
    shape = spec_of(values).shape
    values = reshape(values, (*(1,) * (ndim - len(shape)), *shape))
    return moveaxis(values, 0, axis) if single else values


def _insert_at(x: Any, place: int, values: Any, axis: int) -> Any:
    shape = spec_of(x).shape
    values = broadcast_to(values, shape=_with_length(shape, axis, spec_of(values).shape[axis]))
    return concatenate((piece(x, axis, 0, place), values, piece(x, axis, place, shape[axis])), axis)
