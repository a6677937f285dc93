"""Donated arguments: arrays that the caller gives up, so that results may take their memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.trace.memory.recycling import owns_memory
from autodiff.transforms.jit.signatures import Key, arguments, is_array_class

WRITABLE, OWNED = 0x0400 | 0x0100 | 0x0001, 0x0004
"""NumPy's flags of arrays that kernels can write to, aligned and C-contiguous ones, and that own their memory."""


class Donation:
    """What calls of one signature give up.

    Args:
        key: of the signature.
        positions: which arguments are donated.

    Attributes:
        leaves: which leaves are donated arrays.
        arrays: which leaves are arrays.
    """

    __slots__ = ("arrays", "leaves")

    def __init__(self, key: Key, positions: Sequence[int]) -> None:
        self.arrays = tuple(k for k, kind in enumerate(key.kinds) if kind is np.ndarray)
        self.leaves = donated_leaves(key, positions)

    def usable(self, leaves: Sequence[Any]) -> tuple[int, ...]:
        """Which of the donated arrays can be written to without anybody else seeing it.

        They must be plain arrays that own their memory and can be written to, and no other argument may show it.
        """
        arrays = [leaves[k] for k in self.arrays]
        plain = all(type(array) is np.ndarray and owns_memory(array) for array in arrays)
        roots = arrays if plain else [root(array) for array in arrays]
        seen = set(map(id, roots))
        if len(seen) == len(roots):
            return tuple([k for k in self.leaves if is_usable(leaves[k])])
        return tuple(k for k in self.leaves if is_usable(leaves[k]) and sum(it is leaves[k] for it in roots) == 1)


def donated_leaves(key: Key, positions: Sequence[int]) -> tuple[int, ...]:
    """Which leaves belong to the arguments at some positions, and are arrays, of NumPy's or on a GPU."""
    wanted = {f"args[{n}]" for n in positions}
    found: list[int] = []
    start = 0
    for path, part in arguments(key):
        if path in wanted:
            found += (k for k in range(start, start + part.count) if is_array_class(key.kinds[k]))
        start += part.count
    return tuple(found)


def is_usable(array: Any) -> bool:
    """Whether an array is plain, owns its memory and can be written to."""
    if type(array) is not np.ndarray:
        return False
    flags = array.flags.num
    return flags & WRITABLE == WRITABLE and bool(flags & OWNED or (array.base is not None and owns_memory(array)))


def root(array: Any) -> Any:
    """The object whose memory an array shows."""
    while isinstance(array, np.ndarray) and not owns_memory(array):
        array = array.base
    return array
