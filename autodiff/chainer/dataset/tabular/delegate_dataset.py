"""A dataset of columns that is another one."""

from __future__ import annotations

from autodiff.chainer.dataset.tabular.table import Columns, Indices, KeyIndices
from autodiff.chainer.dataset.tabular.tabular_dataset import TabularDataset


class DelegateDataset(TabularDataset):
    """What datasets derive from that are made of columns in their constructor.

    Args:
        dataset: the dataset that it is.

    >>> from autodiff.chainer.dataset.tabular import from_data
    >>> class Squares(DelegateDataset):
    ...     def __init__(self):
    ...         super().__init__(from_data((("x", [0, 1, 2]), ("y", self.square))))
    ...
    ...     def square(self, i):
    ...         return i * i
    >>> Squares()[2]
    (2, 4)
    """

    def __init__(self, dataset: TabularDataset) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    @property
    def keys(self) -> tuple[str, ...]:
        return self.dataset.keys

    @property
    def mode(self) -> type | None:
        return self.dataset.mode

    def get_examples(self, indices: Indices, key_indices: KeyIndices) -> Columns:
        return self.dataset.get_examples(indices, key_indices)
