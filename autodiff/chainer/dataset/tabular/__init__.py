"""Datasets of columns."""

from autodiff.chainer.dataset.tabular.delegate_dataset import DelegateDataset
from autodiff.chainer.dataset.tabular.from_data import from_data

__all__ = ["DelegateDataset", "from_data"]
