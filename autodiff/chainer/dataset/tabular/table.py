"""What views of datasets of columns stand on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

Indices = Sequence[int] | slice | None
"""Rows: some, those of a slice, or all."""

KeyIndices = tuple[int, ...] | None
"""Columns: some, or all."""

Columns = tuple[Any, ...]
"""For each column the values of its rows, as a list or an array."""


class Table(Protocol):
    """Rows with the same columns.

    Attributes:
        keys: the names of the columns.
        mode: what a row is: ``tuple``, ``dict``, or None for the value of the only column.
    """

    @property
    def keys(self) -> tuple[str, ...]: ...

    @property
    def mode(self) -> type | None: ...

    def __len__(self) -> int: ...

    def get_examples(self, indices: Indices, key_indices: KeyIndices) -> Columns:
        """The values of some rows, column by column."""

    def convert(self, data: Any) -> Any:
        """Arrays of what was fetched."""


class Over:
    """A table that is that of another one, but for what subclasses say.

    Args:
        table: the other one.
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    @property
    def keys(self) -> tuple[str, ...]:
        return self.table.keys

    @property
    def mode(self) -> type | None:
        return self.table.mode

    def get_examples(self, indices: Indices, key_indices: KeyIndices) -> Columns:
        return self.table.get_examples(indices, key_indices)

    def convert(self, data: Any) -> Any:
        return self.table.convert(data)


class InMode(Over):
    """The same with other rows.

    Args:
        table: the table.
        mode: what a row is.
    """

    def __init__(self, table: Table, mode: type) -> None:
        super().__init__(table)
        self._mode = mode

    @property
    def mode(self) -> type | None:
        return self._mode


class Converted(Over):
    """The same with a converter.

    Args:
        table: the table.
        converter: makes arrays of columns, which it takes as arguments, as keywords, or as its one argument.
    """

    def __init__(self, table: Table, converter: Any) -> None:
        super().__init__(table)
        self._converter = converter

    def convert(self, data: Any) -> Any:
        if isinstance(data, tuple):
            return self._converter(*data)
        return self._converter(**data) if isinstance(data, dict) else self._converter(data)


def positions(indices: Indices, length: int) -> range | Sequence[int]:
    """The rows in the order in which they are asked for."""
    if indices is None:
        return range(length)
    return range(length)[indices] if isinstance(indices, slice) else indices


def as_slice(rows: range) -> slice:
    """The slice that picks these rows.

    >>> as_slice(range(5, -1, -1)), as_slice(range(-1, -1, -1))
    (slice(5, None, -1), slice(0, 0, None))
    """
    if not rows:
        return slice(0, 0)  # the ends of an empty range may be numbers that mean other rows in a slice
    return slice(rows.start, rows.stop if rows.stop >= 0 else None, rows.step)
