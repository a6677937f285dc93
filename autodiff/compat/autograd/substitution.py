"""Tuples with some elements replaced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def subvals(x: Sequence[Any], ivs: Iterable[tuple[int, Any]]) -> tuple[Any, ...]:
    """The elements of ``x``, with those at some positions replaced.

    >>> subvals((1, 2, 3), [(0, 5)])
    (5, 2, 3)
    """
    found = list(x)
    for position, value in ivs:
        found[position] = value
    return tuple(found)


def subval(x: Sequence[Any], i: int, v: Any) -> tuple[Any, ...]:
    """The elements of ``x``, with the one at a position replaced."""
    return subvals(x, [(i, v)])
