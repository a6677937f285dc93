"""The size of matrices on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np


def size_of(*xs: Any) -> Any:
    """The size of the largest element of matrices that belong together."""
    sizes = [largest(abs(x), (-2, -1)) for x in xs]
    found = sizes[0]
    for size in sizes[1:]:
        found = np.maximum(found, size)
    return found


def largest(x: Any, axes: tuple[int, ...]) -> Any:
    """The largest elements of what is not negative, with axes of length one; 0 of none."""
    if all(x.shape[axis] for axis in axes):
        return x.max(axis=axes, keepdims=True)
    return x.sum(axis=axes, keepdims=True)
