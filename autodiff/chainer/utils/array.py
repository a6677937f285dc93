"""Small functions of arrays that links and functions share."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.shape import sum_to as summed_to


def as_vec(x: Any) -> Any:
    """All elements in one row.

    >>> as_vec(np.ones((2, 3))).shape
    (6,)
    """
    return x.reshape(-1)


def as_mat(x: Any) -> Any:
    """The first axis, and all others as one.

    >>> as_mat(np.ones((2, 3, 4))).shape
    (2, 12)
    """
    return x if x.ndim == 2 else x.reshape(len(x), -1)


def empty_like(x: Any) -> Any:
    """An array of the same shape and dtype, on the same device."""
    return np.empty_like(x)


def size_of_shape(shape: Any) -> int:
    """The number of elements of a shape.

    >>> size_of_shape((2, 3)), size_of_shape(())
    (6, 1)
    """
    size = 1
    for length in shape:
        size *= int(length)
    return size


def sum_to(x: Any, shape: tuple[int, ...]) -> Any:
    """The sum of an array along the axes by which one of the given shape would be broadcast.

    >>> sum_to(np.ones((2, 3)), (1, 3))
    array([[2., 2., 2.]])
    """
    return summed_to(x, tuple(shape))


def force_array(x: Any, dtype: Any = None) -> Any:
    """A number as an array without axes; an array as it is, or in the given dtype.

    >>> force_array(np.float32(2.0))
    array(2., dtype=float32)
    """
    if np.isscalar(x):
        return np.array(x, dtype)
    return x if dtype is None else x.astype(dtype, copy=False)


def force_type(dtype: Any, value: Any) -> Any:
    """A number, or an array, in the given dtype.

    >>> force_type(np.dtype(np.float32), 2.0)
    np.float32(2.0)
    """
    if np.isscalar(value):
        return np.dtype(dtype).type(value)
    return value if value.dtype == dtype else value.astype(dtype)
