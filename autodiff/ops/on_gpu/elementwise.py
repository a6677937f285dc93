"""Functions of each element that CuPy does not have, or not for all dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def spacing(x: Any) -> Any:
    """The distance to the next number away from zero; of the largest number to the one before it."""
    size = np.absolute(x)
    above = np.nextafter(size, np.inf)
    return np.copysign(np.where(np.isinf(above), size - np.nextafter(size, 0), above - size), x)


def of_truth(ufunc: np.ufunc) -> Callable[..., Any]:
    """A logical operation, which CuPy does not have for complex numbers."""

    def evaluate(*operands: Any) -> Any:
        return ufunc(*(x != 0 if np.result_type(x).kind == "c" else x for x in operands))

    return evaluate


def complex_sign(x: Any) -> Any:
    """x / abs(x), and 0 at 0."""
    size = np.absolute(x)
    return np.where(size == 0, 0, x / np.where(size == 0, 1, size))
