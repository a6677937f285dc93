"""Datasets one after the other."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.dataset.dataset_mixin import DatasetMixin
from autodiff.trace.source import at_user_line


class ConcatenatedDataset(DatasetMixin):
    """The examples of the first dataset, then those of the second, and so on.

    Args:
        datasets: lists, arrays, datasets.

    >>> ConcatenatedDataset([1, 2], [3])[:]
    [1, 2, 3]
    """

    def __init__(self, *datasets: Any) -> None:
        self._datasets = datasets

    def __len__(self) -> int:
        return sum(map(len, self._datasets))

    def get_example(self, i: int) -> Any:
        """The example number ``i``, which counts from 0.

        Raises:
            IndexError: if there is none of that number.
        """
        position = i
        for dataset in self._datasets:
            if 0 <= position < len(dataset):
                return dataset[position]
            position -= len(dataset)
        raise IndexError(f"there is no example {i} among {len(self)}{at_user_line()}")
