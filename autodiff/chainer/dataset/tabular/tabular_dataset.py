"""The dataset of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autodiff.chainer.arrays import get_array_types
from autodiff.chainer.backend import get_device_from_array
from autodiff.chainer.dataset.dataset_mixin import DatasetMixin
from autodiff.chainer.dataset.tabular.slices import SliceOf
from autodiff.chainer.dataset.tabular.stacking import ConcatOf, JoinOf
from autodiff.chainer.dataset.tabular.table import Columns, Converted, Indices, InMode, KeyIndices, Table
from autodiff.chainer.dataset.tabular.transforms import TransformBatchOf, TransformOf
from autodiff.trace.source import at_user_line


class TabularDataset(DatasetMixin):
    """A dataset all of whose examples have the same columns; views of it are datasets too, and copy nothing.

    A subclass defines ``__len__``, :attr:`keys`, :attr:`mode` and :meth:`get_examples`.

    >>> from autodiff.chainer.dataset.tabular import from_data
    >>> dataset = from_data((("a", [0, 1, 2]), ("b", [3, 4, 5])))
    >>> dataset[0], dataset.asdict()[1], dataset.slice[::-1, "b"][0]
    ((0, 3), {'a': 1, 'b': 4}, 5)
    >>> dataset.transform("c", lambda a, b: a + b).fetch()
    [3, 5, 7]
    """

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the columns."""
        raise NotImplementedError(f"{type(self).__name__} must define keys")

    @property
    def mode(self) -> type | None:
        """What an example is: ``tuple``, ``dict``, or None for the value of the only column."""
        raise NotImplementedError(f"{type(self).__name__} must define mode")

    def get_examples(self, indices: Indices, key_indices: KeyIndices) -> Columns:
        """The values of some rows, column by column.

        Args:
            indices: the numbers of the rows, or a slice; None for all.
            key_indices: the numbers of the columns; None for all.

        Returns:
            a list or an array for each column.
        """
        raise NotImplementedError(f"{type(self).__name__} must define get_examples(self, indices, key_indices)")

    @property
    def slice(self) -> Slicing:
        """Views of rows and columns, by brackets: ``dataset.slice[rows]``, ``dataset.slice[rows, columns]``.

        Rows are a slice, or numbers or truth values; columns a tuple of names or numbers, or a single one.
        """
        return Slicing(self)

    def fetch(self) -> Any:
        """All values, column by column: a tuple, a dict, or the only column, as :attr:`mode` says."""
        return self._in_mode(self.get_examples(None, None))

    def convert(self, data: Any) -> Any:
        """Arrays of what was fetched.

        Args:
            data: a tuple, a dict, or a column.
        """
        if isinstance(data, tuple):
            return tuple(map(as_array, data))
        if isinstance(data, dict):
            return {key: as_array(column) for key, column in data.items()}
        return as_array(data)

    def astuple(self) -> View:
        """The same with examples that are tuples."""
        return View(InMode(self, tuple))

    def asdict(self) -> View:
        """The same with examples that are dicts."""
        return View(InMode(self, dict))

    def concat(self, *datasets: TabularDataset) -> View:
        """The rows of this dataset and of others with the same columns.

        Raises:
            ValueError: if the columns differ.
        """
        return View(ConcatOf(self, *datasets))

    def join(self, *datasets: TabularDataset) -> View:
        """The columns of this dataset and of others of the same length.

        Raises:
            ValueError: if lengths differ, or two columns have the same name.
        """
        return View(JoinOf(self, *datasets))

    def transform(self, keys: Any, transform: Callable[..., Any]) -> View:
        """Examples that a function makes of the examples.

        Args:
            keys: the names of the new columns, or of the only one.
            transform: takes the values of an example, as keywords if it is a dict, and returns a tuple, a dict, or a
                value.
        """
        return View(TransformOf(self, keys, transform))

    def transform_batch(self, keys: Any, transform_batch: Callable[..., Any]) -> View:
        """The same with a function that takes and returns columns of the examples that are asked for."""
        return View(TransformBatchOf(self, keys, transform_batch))

    def with_converter(self, converter: Callable[..., Any]) -> View:
        """The same with another :meth:`convert`.

        Args:
            converter: takes columns as arguments, as keywords, or as its one argument, as :attr:`mode` says.
        """
        return View(Converted(self, converter))

    def get_example(self, i: int) -> Any:
        """One example."""
        return self._in_mode(tuple(column[0] for column in self.get_examples([i], None)))

    def __iter__(self) -> Iterator[Any]:
        return (self.get_example(i) for i in range(len(self)))

    def _in_mode(self, values: tuple[Any, ...]) -> Any:
        """Values by columns as :attr:`mode` says."""
        if self.mode is dict:
            return dict(zip(self.keys, values, strict=True))
        return values if self.mode is tuple else values[0]


class View(TabularDataset):
    """A dataset made of others.

    Args:
        table: says what it consists of.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table)

    @property
    def keys(self) -> tuple[str, ...]:
        return self._table.keys

    @property
    def mode(self) -> type | None:
        return self._table.mode

    def get_examples(self, indices: Indices, key_indices: KeyIndices) -> Columns:
        return self._table.get_examples(indices, key_indices)

    def convert(self, data: Any) -> Any:
        return self._table.convert(data)


class Slicing:
    """What makes views of rows and columns.

    Args:
        dataset: the dataset.
    """

    def __init__(self, dataset: TabularDataset) -> None:
        self._dataset = dataset

    def __getitem__(self, args: Any) -> View:
        if isinstance(args, tuple) and len(args) not in (1, 2):
            raise ValueError(
                f"slice[rows] and slice[rows, columns] are known, got {len(args)} arguments{at_user_line()}; "
                "several columns are a tuple: slice[rows, (column, column)]"
            )
        return View(SliceOf(self._dataset, *args) if isinstance(args, tuple) else SliceOf(self._dataset, args))


def as_array(column: Any) -> Any:
    """A column as an array, on the device of its values."""
    if isinstance(column, get_array_types()):
        return column
    device = get_device_from_array(column[0])
    with device.create_context():
        return device.xp.asarray(column)
