"""The dataset of columns, which is not there."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.dataset.dataset_mixin import DatasetMixin


class TabularDataset(DatasetMixin):
    """A dataset of columns. It is not implemented.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError(
            "chainer.dataset.TabularDataset is not implemented; use TupleDataset or DictDataset with TransformDataset"
        )
