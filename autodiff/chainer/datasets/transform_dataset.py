"""Examples that are computed from other examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.chainer.dataset.dataset_mixin import DatasetMixin


class TransformDataset(DatasetMixin):
    """The function of every example, computed when the example is asked for.

    Args:
        dataset: the dataset.
        transform: a function of one example.

    >>> TransformDataset([1, 2, 3], lambda example: 10 * example)[:]
    [10, 20, 30]
    """

    def __init__(self, dataset: Any, transform: Callable[[Any], Any]) -> None:
        self._dataset = dataset
        self._transform = transform

    def __len__(self) -> int:
        return len(self._dataset)

    def get_example(self, i: int) -> Any:
        return self._transform(self._dataset[i])
