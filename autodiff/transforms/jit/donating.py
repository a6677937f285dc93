"""Donated arguments: arrays that the caller gives up, so that results may take their memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.transforms.jit.forms import Key, arguments


def donated_leaves(key: Key, positions: Sequence[int]) -> tuple[int, ...]:
    """Which leaves belong to the arguments at some positions, and are arrays."""
    wanted = {f"args[{n}]" for n in positions}
    found: list[int] = []
    start = 0
    for path, part in arguments(key):
        if path in wanted:
            found += (k for k in range(start, start + part.count) if key.kinds[k] is np.ndarray)
        start += part.count
    return tuple(found)


def usable(leaves: Sequence[Any], donated: tuple[int, ...]) -> tuple[int, ...]:
    """Which of the donated arrays can be written to without anybody else seeing it.

    They must be plain arrays that own their memory and can be written to, and no other argument may show it.
    """
    roots = [root(leaf) for leaf in leaves]
    return tuple(
        k
        for k in donated
        if type(leaves[k]) is np.ndarray
        and leaves[k].flags.owndata
        and leaves[k].flags.writeable
        and sum(other is leaves[k] for other in roots) == 1
    )


def root(array: Any) -> Any:
    """The object whose memory an array shows."""
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array
