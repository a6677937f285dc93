"""Sums and means as one operation each, for functions that are called often: NumPy's own take some times as long."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from autodiff.ops.shape import reshape, sum_axes, with_ones


def total(x: Any) -> Any:
    """The sum of all elements.

    >>> float(total(np.array([[1.0, 2.0]])))
    3.0
    """
    return sum_axes(x, axes=tuple(range(-len(x.shape), 0)))


def mean(x: Any) -> Any:
    """The mean of all elements; half precision is summed in single precision, as NumPy does.

    >>> float(mean(np.array([[1.0, 2.0]])))
    1.5
    """
    count = prod(x.shape)
    return np.mean(x) if x.dtype == np.float16 or not count else total(x) / count


def means_along(x: Any, axes: tuple[int, ...]) -> Any:
    """The means along axes, which keep their place with length one, unless they come first: then they are left away.

    >>> means_along(np.array([[1.0, 2.0]]), (1,))
    array([[1.5]])
    >>> means_along(np.array([[1.0, 2.0]]), (0,))
    array([1., 2.])
    """
    shape = x.shape
    ndim = len(shape)
    if x.dtype == np.float16 or not prod(shape):
        return np.mean(x, axes, keepdims=axes != tuple(range(len(axes))))
    negative = tuple([axis % ndim - ndim for axis in axes])
    kept = with_ones(shape, negative)
    sums = sum_axes(x, axes=negative)
    if axes != tuple(range(len(axes))):
        sums = reshape(sums, shape=kept)
    return sums / (prod(shape) // prod(kept))
