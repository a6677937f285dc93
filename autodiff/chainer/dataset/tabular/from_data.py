"""Datasets of columns made of lists, arrays and functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autodiff.chainer.arrays import get_array_types
from autodiff.chainer.dataset.tabular.table import Columns, Indices, KeyIndices, positions
from autodiff.chainer.dataset.tabular.tabular_dataset import TabularDataset
from autodiff.trace.source import at_user_line


def from_data(data: Any, *, size: int | None = None) -> TabularDataset:
    """A dataset of columns made of lists, arrays and functions of the number of an example.

    Args:
        data: a column: a list or an array, ``(name, list or array or function)``, or ``((name, ...), function)`` with a
            function that returns the values of several columns. Or a tuple of columns, or a dict from names to lists,
            arrays and functions.
        size: how many examples there are; needed where there are functions only.

    Returns:
        a dataset whose examples are values of the only column, tuples, or dicts.

    Raises:
        ValueError: if a function has no name, or the number of examples is not known.
        TypeError: if a column is something else.

    >>> from_data({"a": [0, 1], "b": [2, 3]})[1]
    {'a': 1, 'b': 3}
    >>> from_data(("square", lambda i: i * i), size=10)[5]
    25
    """
    if isinstance(data, dict):
        return joined(data.items(), size).asdict()
    if not isinstance(data, tuple):
        return column(None, data, size)
    if len(data) == 2 and is_key(data[0]):
        return column(*data, size)
    return joined([each if isinstance(each, tuple) else (None, each) for each in data], size).astuple()


def is_key(value: Any) -> bool:
    """Whether something is the name of a column, or the names of several."""
    return isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(name, str) for name in value))


def joined(columns: Iterable[tuple[Any, Any]], size: int | None) -> TabularDataset:
    """Columns side by side; the first that has a length says how many examples there are."""
    pairs = list(columns)
    if size is None:
        size = next((len(values) for _, values in pairs if hasattr(values, "__len__")), None)
    first, *others = [column(key, values, size) for key, values in pairs]
    return first.join(*others)


def column(key: Any, values: Any, size: int | None) -> TabularDataset:
    """One column, or those of a function that gives several."""
    if isinstance(values, (list, *get_array_types())):
        return Column(f"_{id(values)}" if key is None else key, values)
    if not callable(values):
        raise TypeError(
            f"a column is a list, an array or a function, got {type(values).__name__}{at_user_line()}; list() makes a "
            "list of a sequence"
        )
    return of_function(key, values, size)


def of_function(key: Any, function: Callable[[int], Any], size: int | None) -> TabularDataset:
    """The columns that a function of the number of an example gives."""
    if key is None:
        raise ValueError(f"key(s) must be specified for callable{at_user_line()}: write (name, function)")
    if size is None:
        raise ValueError(f"size must be specified for callable{at_user_line()}: from_data(..., size=10)")
    return Column("index", range(size)).transform(key, function)


class Column(TabularDataset):
    """One column.

    Args:
        key: its name.
        values: a list, an array, or a range.
    """

    def __init__(self, key: str, values: Any) -> None:
        self._key, self._values = key, values

    def __len__(self) -> int:
        return len(self._values)

    @property
    def keys(self) -> tuple[str, ...]:
        return (self._key,)

    @property
    def mode(self) -> None:
        return None

    def get_examples(self, indices: Indices, key_indices: KeyIndices) -> Columns:
        return (self._picked(indices),) * (1 if key_indices is None else len(key_indices))

    def _picked(self, indices: Indices) -> Any:
        """Some of the values."""
        values = self._values
        if indices is None and not isinstance(values, range):
            return values
        if hasattr(values, "dtype"):
            return values[indices]
        return [values[index] for index in positions(indices, len(self))]
