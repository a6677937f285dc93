"""Some rows and columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from autodiff.chainer.dataset.tabular.table import Columns, Indices, KeyIndices, Over, Table, as_slice, positions
from autodiff.trace.source import at_user_line


class SliceOf(Over):
    """Some rows and columns of a table.

    Args:
        table: the table.
        indices: the rows: numbers, truth values, or a slice.
        keys: the columns: a tuple of names and numbers; a single one, whose values the rows are then; None for all.

    Raises:
        IndexError: if there is no row or column of a number.
        KeyError: if there is no column of a name.
        ValueError: if there are not as many truth values as rows.
    """

    def __init__(self, table: Table, indices: Any, keys: Any = None) -> None:
        super().__init__(table)
        self._single = keys is not None and not isinstance(keys, tuple)
        self._indices = rows_of(indices, len(table))
        self._key_indices = columns_of((keys,) if self._single else keys, table.keys)

    def __len__(self) -> int:
        return len(positions(self._indices, len(self.table)))

    @property
    def keys(self) -> tuple[str, ...]:
        names = self.table.keys
        return names if self._key_indices is None else tuple(names[index] for index in self._key_indices)

    @property
    def mode(self) -> type | None:
        if self._single:
            return None
        return self.table.mode or (None if self._key_indices is None else tuple)

    def get_examples(self, indices: Indices, key_indices: KeyIndices) -> Columns:
        own = self._key_indices
        if own is not None:
            key_indices = own if key_indices is None else tuple(own[index] for index in key_indices)
        return self.table.get_examples(picked(self._indices, indices, len(self.table)), key_indices)


def rows_of(indices: Any, length: int) -> Sequence[int] | slice:
    """Rows as a slice, or as a list of numbers that count from the beginning."""
    if isinstance(indices, slice):
        return indices
    if len(indices) and all(isinstance(index, (bool, np.bool_)) for index in indices):
        if len(indices) != length:
            raise ValueError(f"got {len(indices)} booleans for a dataset of length {length}{at_user_line()}")
        return [row for row, wanted in enumerate(indices) if wanted]
    return [counted(int(index), length, f"dataset with size {length}") for index in indices]


def columns_of(keys: tuple[Any, ...] | None, names: tuple[str, ...]) -> KeyIndices:
    """Columns by their numbers."""
    return None if keys is None else tuple(column_of(key, names) for key in keys)


def column_of(key: Any, names: tuple[str, ...]) -> int:
    """The number of a column."""
    if isinstance(key, Integral):
        return counted(int(key), len(names), f"keys with size {len(names)}")
    if key not in names:
        raise KeyError(f"{key} does not exist{at_user_line()}; the columns are {', '.join(map(str, names))}")
    return names.index(key)


def counted(index: int, length: int, what: str) -> int:
    """A number that counts from the beginning."""
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of bounds for {what}{at_user_line()}")
    return index % length


def picked(first: Sequence[int] | slice, then: Indices, length: int) -> Indices:
    """The rows that one index picks of those that another one has picked of so many."""
    if then is None:
        return first
    if not isinstance(first, slice):
        return first[then] if isinstance(then, slice) else [first[index] for index in then]
    rows = range(length)[first]
    return as_slice(rows[then]) if isinstance(then, slice) else [rows[index] for index in then]
