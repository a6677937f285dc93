"""Memory that begins where vectors do."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.memory.guarding import GUARDED, guarded

ALIGNMENT = 64
"""The bytes of a line of cache, and of the largest vector."""


def aligned_start(memory: np.ndarray[Any, Any]) -> int:
    """The first place in an array of bytes at which a vector may begin."""
    return int(-memory.ctypes.data % ALIGNMENT)


def room(size: int) -> np.ndarray[Any, Any]:
    """So many bytes."""
    if GUARDED:
        return guarded(size, ALIGNMENT)
    whole = np.empty(size + ALIGNMENT, np.uint8)
    start = aligned_start(whole)
    return whole[start : start + size]
