"""Rearranging, joining, and reading and writing slices of arrays in chunks."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import is_chunked, spec_of
from autodiff.trace.values.chunked import broadcast, library, refusal


def chunked(x: Any) -> Any:
    """A plain array as one in chunks; others as they are."""
    return library().asarray(x)


def reshape(primitive: Primitive, x: Any, *, shape: tuple[int, ...]) -> Any:
    """The same elements in another shape, where chunks can be taken apart or joined for that."""
    return np.reshape(x, shape) if x.size else library().zeros(shape, dtype=x.dtype)


def repeat(primitive: Primitive, x: Any, *, shape: tuple[int, ...]) -> Any:
    """The elements repeated along new axes and along axes of length one."""
    return broadcast(x, shape)


def stack(primitive: Primitive, *xs: Any, axis: int) -> Any:
    """The arrays side by side along a new axis."""
    return library().stack([*map(chunked, xs)], axis=axis)


def concatenate(primitive: Primitive, *xs: Any, axis: int, ends: Any) -> Any:
    """The arrays one behind the other along an axis."""
    return library().concatenate([*map(chunked, xs)], axis=axis)


def roll(primitive: Primitive, x: Any, *, shifts: Any, axes: Any) -> Any:
    """The elements moved along axes."""
    return library().roll(x, shifts, axes)


def copy(primitive: Primitive, x: Any) -> Any:
    """The same elements: chunks never change."""
    return x.copy()


def full(primitive: Primitive, prototype: Any, value: Any, *, shape: tuple[int, ...], dtype: Any) -> Any:
    """An array filled with a value that broadcasts to a shape."""
    return broadcast(chunked(value).astype(dtype), shape)


def plain_key(key: Any, ndim: int) -> tuple[Any, ...]:
    """A basic key for all axes, without new ones."""
    parts = [slice(*part) if isinstance(part, tuple) else part for part in key if part is not None and part is not ...]
    return (*(slice(None),) * (ndim - len(parts)), *parts)


def slice_into(primitive: Primitive, g: Any, *, key: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of a shape, with ``g`` at the key."""
    return written(library().zeros(shape, dtype=g.dtype), g, key)


def slice_set(primitive: Primitive, x: Any, v: Any, *, key: Any) -> Any:
    """``x`` with ``v`` in the place of x[key]."""
    return written(chunked(x).copy(), v, key)


def written(out: Any, v: Any, key: Any) -> Any:
    """An array that nobody else has, with a value written at a key."""
    index = plain_key(key, out.ndim)
    place = np.broadcast_to(np.empty((), bool), out.shape)[index].shape
    if spec_of(v).shape != place:
        v = np.reshape(v, place)
    if spec_of(v).size:
        out[index] = v
    return out


def gather(primitive: Primitive, x: Any, i: Any, *, rest: int, chosen: bool) -> Any:
    """Elements picked along an axis by an array of integers that is known."""
    if is_chunked(i):
        raise refusal("the index", "compute it, i.compute()")
    if np.ndim(x) != 1 + rest:
        raise refusal("indexing each row by an array of its own", "pick with np.take_along_axis(x, i, axis)")
    i = np.asarray(i)
    picked = library().take(x, i.ravel(), axis=x.ndim - 1 - rest)
    return picked.reshape((*picked.shape[: x.ndim - 1 - rest], *i.shape, *picked.shape[x.ndim - rest :]))
