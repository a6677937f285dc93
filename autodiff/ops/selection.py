"""Choosing between elements without a branch for each: ten times faster than ``np.where`` with a random mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.values.arrays import placed

MANY = 4096
"""So many elements are worth the trouble."""

WORDS = {np.dtype(f"f{size}"): np.dtype(f"i{size}") for size in (2, 4, 8)}
"""Floating-point numbers and the integers that hold their bits."""


def select(mask: Any, x: Any, y: Any) -> Any:
    """``np.where(mask, x, y)``; of large arrays of floats the bits are masked, whatever numbers they stand for.

    >>> select(np.array([True, False]), np.array([1.0, 2.0]), 0)
    array([1., 0.])
    """
    dtype = result_dtype(mask, x, y)
    if dtype is not None:
        return of_bits(mask, x, y, dtype)
    if isinstance(mask, (bool, np.bool_)):
        mask = placed(np.asarray(mask), x, y)
    return np.where(mask, x, y)


def result_dtype(mask: Any, x: Any, y: Any) -> Any:
    """The dtype of the result if bits can be masked: of two arrays, of an array and a number, of two scalars."""
    if type(mask) is not np.ndarray or mask.size < MANY or mask.dtype != bool:
        return None
    dtype = getattr(y if type(x) in (int, float) else x, "dtype", None)
    if dtype not in WORDS:
        return None
    return dtype if all(type(v) in (int, float) or fits(v, mask, dtype) for v in (x, y)) else None


def fits(value: Any, mask: Any, dtype: Any) -> bool:
    """Whether it is an array of the mask's shape, or a scalar, and of the dtype."""
    if getattr(value, "dtype", None) != dtype:
        return False
    return isinstance(value, np.generic) or (type(value) is np.ndarray and value.shape == mask.shape)


def of_bits(mask: Any, x: Any, y: Any, dtype: Any) -> Any:
    """The bits of x where the mask is true, those of y elsewhere."""
    word = WORDS[dtype]
    chosen = mask.astype(word)
    np.negative(chosen, out=chosen)  # all bits, or none
    bits = np.asarray(x, dtype).view(word)
    if type(y) is int and y == 0:  # most of the time
        return np.bitwise_and(bits, chosen, out=chosen).view(dtype)
    others = np.asarray(y, dtype).view(word)
    chosen &= bits ^ others
    chosen ^= others
    return chosen.view(dtype)
