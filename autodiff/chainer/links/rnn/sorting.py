"""Sorting by length, with ties in the order in which NumPy left them when Chainer's programs were written.

Random numbers are drawn for sequences in sorted order, so the order of ties decides which sequence gets which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

SHORT = 15
"""A stretch with at most one number more is sorted by insertion."""


def argsort(keys: Sequence[int]) -> Any:
    """The numbers of the keys, the smallest key first, as a quicksort by medians of three leaves them.

    >>> argsort([3, 1, 2]).tolist()
    [1, 2, 0]
    """
    if len(keys) <= SHORT + 1 or len(set(keys)) == len(keys):
        return np.argsort(keys, kind="stable")
    order = list(range(len(keys)))
    stretches = [(0, len(keys) - 1)]
    while stretches:
        low, high = stretches.pop()
        while high - low > SHORT:
            middle = parted(order, keys, low, high)
            if middle - low < high - middle:
                stretches.append((middle + 1, high))
                high = middle - 1
            else:
                stretches.append((low, middle - 1))
                low = middle + 1
        order[low : high + 1] = sorted(order[low : high + 1], key=keys.__getitem__)  # ties stay, as by insertion
    return np.array(order)


def parted(order: list[int], keys: Sequence[int], low: int, high: int) -> int:
    """Bring smaller keys of a stretch before its pivot, the median of three, and larger ones behind; where it is."""

    def swap(a: int, b: int) -> None:
        order[a], order[b] = order[b], order[a]

    middle = (low + high) // 2
    for left, right in ((low, middle), (middle, high), (low, middle)):
        if keys[order[right]] < keys[order[left]]:
            swap(left, right)
    pivot = keys[order[middle]]
    left, right = low, high - 1
    swap(middle, right)
    while True:
        left += 1
        while keys[order[left]] < pivot:
            left += 1
        right -= 1
        while pivot < keys[order[right]]:
            right -= 1
        if left >= right:
            break
        swap(left, right)
    swap(left, high - 1)
    return left
