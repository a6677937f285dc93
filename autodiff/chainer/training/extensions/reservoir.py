"""A random sample of a stream."""

from __future__ import annotations

from typing import Any

import numpy as np


class Reservoir:
    """A random sample of bounded size of the values of a stream, each with its number.

    Args:
        size: how many values are kept.
        data_shape: their shape.
        dtype: their dtype.
    """

    def __init__(self, size: int, data_shape: tuple[int, ...], dtype: Any = np.float32) -> None:
        self.size = size
        self.data = np.zeros((size, *data_shape), dtype=dtype)
        self.idxs = np.zeros((size,), dtype=np.int32)
        self.counter = 0

    def add(self, x: Any, idx: int | None = None) -> None:
        """Add a value; where the sample is full it replaces another one, or is dropped.

        Args:
            x: the value.
            idx: its number; how many there were before by default.
        """
        place = self.counter
        if place >= self.size:
            place = int(np.random.randint(self.counter + 1))  # noqa: NPY002 - the numbers that a program's seed decides
        if place < self.size:
            self.data[place] = x
            self.idxs[place] = self.counter if idx is None else idx
        self.counter += 1

    def get_data(self) -> tuple[Any, Any]:
        """The numbers in rising order, and the values."""
        filled = min(self.counter, self.size)
        order = np.argsort(self.idxs[:filled])
        return self.idxs[:filled][order], self.data[:filled][order]
