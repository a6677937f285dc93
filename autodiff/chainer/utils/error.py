"""Arrays in texts of errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def _format_array_props(arrays: Iterable[Any]) -> str:
    """Shapes and dtypes of arrays.

    >>> import numpy as np
    >>> _format_array_props([np.ones(2), None])
    '(2,):float64, None'
    """
    return ", ".join("None" if array is None else f"{array.shape}:{array.dtype.name}" for array in arrays)
