"""Reductions of arrays in chunks: of each chunk first, then of what they gave, in a tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.ops.on_chunks.shapes import chunked
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import spec_of
from autodiff.trace.values.chunked import library


def reduction(name: str) -> Callable[..., Any]:
    """Dask's reduction of a name, along axes."""

    def evaluate(primitive: Primitive, x: Any, *, axes: tuple[int, ...], dtype: Any = None) -> Any:
        own = primitive.spec(spec_of(x), axes=axes, **({} if dtype is None else {"dtype": dtype})).dtype
        kept = {"dtype": own} if name in ("sum", "prod") else {}
        return getattr(library(), name)(x, axis=axes, **kept)

    return evaluate


def position(name: str) -> Callable[..., Any]:
    """Dask's position of an extreme element along one axis."""
    return lambda primitive, x, *, axis: getattr(library(), name)(x, axis=axis)


def sum_where(primitive: Primitive, x: Any, mask: Any, *, axes: tuple[int, ...], dtype: Any) -> Any:
    """The sum of the elements where a mask is true."""
    selected = x if mask is True else library().where(chunked(mask), x, 0)
    return library().sum(selected, axis=axes, dtype=dtype)


def sum_from(primitive: Primitive, x: Any, mask: Any, start: Any, *, axes: tuple[int, ...], dtype: Any) -> Any:
    """A number plus the sum of the elements where a mask is true."""
    return (sum_where(primitive, x, mask, axes=axes, dtype=dtype) + start).astype(dtype)


def running(name: str) -> Callable[..., Any]:
    """Dask's running sum or product along an axis, forwards or backwards."""

    def evaluate(primitive: Primitive, x: Any, *, axis: int, reverse: bool) -> Any:
        own = primitive.spec(spec_of(x), axis=axis, reverse=reverse).dtype
        found = getattr(library(), name)(np.flip(x, axis) if reverse else x, axis=axis % x.ndim, dtype=own)
        return np.flip(found, axis) if reverse else found

    return evaluate
