"""What datasets, iterators over them, and converters of their examples have in common."""

from autodiff.chainer.dataset import tabular
from autodiff.chainer.dataset.convert import (
    ConcatWithAsyncTransfer,
    Converter,
    concat_examples,
    converter,
    to_device,
)
from autodiff.chainer.dataset.dataset_mixin import DatasetMixin
from autodiff.chainer.dataset.download import (
    cache_or_load_file,
    cached_download,
    get_dataset_directory,
    get_dataset_root,
    set_dataset_root,
)
from autodiff.chainer.dataset.iterator import Iterator
from autodiff.chainer.dataset.tabular.tabular_dataset import TabularDataset

__all__ = [
    "ConcatWithAsyncTransfer",
    "Converter",
    "DatasetMixin",
    "Iterator",
    "TabularDataset",
    "cache_or_load_file",
    "cached_download",
    "concat_examples",
    "converter",
    "get_dataset_directory",
    "get_dataset_root",
    "set_dataset_root",
    "tabular",
    "to_device",
]
