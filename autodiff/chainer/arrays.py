"""Which arrays there are."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np


def get_array_types() -> tuple[type, ...]:
    """The classes of arrays that Variables hold.

    >>> np.ndarray in get_array_types()
    True
    """
    cupy = sys.modules.get("cupy")
    return (np.ndarray,) if cupy is None else (np.ndarray, cupy.ndarray)


def get_cpu_array_types() -> tuple[type, ...]:
    """The classes of arrays in the memory of the CPU."""
    return (np.ndarray,)


def is_arrays_compatible(arrays: Iterable[Any]) -> bool:
    """Whether all are arrays, of one class of :func:`get_array_types`; None counts as any.

    >>> is_arrays_compatible([np.ones(2), None]), is_arrays_compatible([np.ones(2), 3.0])
    (True, False)
    """
    present = [array for array in arrays if array is not None]
    if not present:
        return True
    kind = next((kind for kind in get_array_types() if isinstance(present[0], kind)), None)
    return kind is not None and all(isinstance(array, kind) for array in present)
