"""Arrays on their way: several as one message, or one as it is, in memory that is used again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from autodiff.trace.memory.recycling import maker
from autodiff.trace.spec import Spec

Array = np.ndarray[Any, Any]

LARGE = 1 << 18
"""Arrays of so many bytes go alone: a message more costs less than copying them to the others and back."""


def new(shape: tuple[int, ...], dtype: Any) -> Array:
    """An array that holds anything; of large ones the memory was used before, if nobody has it any more."""
    return maker_of(shape, dtype)()


@lru_cache(4096)
def maker_of(shape: tuple[int, ...], dtype: Any) -> Callable[[], Array]:
    """What makes arrays of a shape and dtype."""
    return maker(Spec(shape, np.dtype(dtype)))


def scaled(leaf: Any, weight: float) -> Any:
    """A leaf times a number."""
    if type(leaf) is not np.ndarray or leaf.dtype.kind not in "fc" or not leaf.ndim:
        return leaf * weight
    return np.multiply(leaf, weight, out=new(leaf.shape, leaf.dtype))


def sent_dtype(leaf: Any, dtype: Any) -> np.dtype[Any]:
    """The dtype in which a leaf is sent: numbers, and what is no floating-point array, as they are."""
    sent: np.dtype[Any] = np.dtype(dtype) if dtype is not None and leaf.ndim and leaf.dtype.kind == "f" else leaf.dtype
    return sent


def weighs_alike(leaf: Any, sent: np.dtype[Any]) -> bool:
    """Whether it is the same to multiply before a leaf is sent in some dtype, and after that."""
    return bool(leaf.dtype == sent and leaf.dtype.kind in "fc")


def packed(leaves: Sequence[Any], dtype: np.dtype[Any]) -> Array:
    """All leaves as one vector of a dtype."""
    if len(leaves) == 1:
        return np.ascontiguousarray(leaves[0], dtype).reshape(-1)
    flat, first = new((sum(leaf.size for leaf in leaves),), dtype), 0
    for leaf in leaves:
        flat[first : first + leaf.size] = np.ravel(leaf)
        first += leaf.size
    return flat


def unpacked(flat: Array, like: Sequence[tuple[tuple[int, ...], np.dtype[Any]]]) -> list[Any]:
    """The leaves of a vector that nobody else has, by their shapes and dtypes: arrays of their own, and numbers."""
    if len(like) == 1 and like[0][1] == flat.dtype and like[0][0]:
        return [flat.reshape(like[0][0])]
    leaves, first = [], 0
    for shape, dtype in like:
        out = new(shape, dtype)
        out[...] = flat[first : first + out.size].reshape(shape)
        leaves.append(out if shape else out[()])
        first += out.size
    return leaves
