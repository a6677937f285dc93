"""A batch axis taken into another axis, and out of it again."""

from __future__ import annotations

from typing import Any

from autodiff.ops.shape import reshape, transpose


def inside(x: Any, axis: int, inner: int) -> Any:
    """The batch axis taken into another one, of which it comes to stand before the ``inner`` fastest elements."""
    size, own = x.shape[0], x.shape[1:]
    apart = reshape(x, shape=(size, *own[:axis], own[axis] // inner if inner else 1, inner, *own[axis + 1 :]))
    ndim = len(own) + 2
    order = (*range(1, axis + 2), 0, *range(axis + 2, ndim))
    moved = transpose(apart, axes=tuple(k - ndim for k in order))
    return reshape(moved, shape=(*own[:axis], size * own[axis], *own[axis + 1 :]))


def outside(x: Any, axis: int, inner: int, size: int) -> Any:
    """The batch axis taken out again."""
    own = x.shape
    apart = reshape(x, shape=(*own[:axis], own[axis] // (size * inner) if inner else 1, size, inner, *own[axis + 1 :]))
    ndim = len(own) + 2
    order = (axis + 1, *range(axis + 1), *range(axis + 2, ndim))
    moved = transpose(apart, axes=tuple(k - ndim for k in order))
    return reshape(moved, shape=(size, *own[:axis], own[axis] // size, *own[axis + 1 :]))
