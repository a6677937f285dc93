"""Several tables as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autodiff.chainer.dataset.tabular.table import Columns, Indices, KeyIndices, Table, as_slice, positions
from autodiff.trace.source import at_user_line


class ConcatOf:
    """The rows of several tables, one table after the other.

    Args:
        tables: with the same columns. The first one says what a row is, and converts.

    Raises:
        ValueError: if the columns differ.
    """

    def __init__(self, *tables: Table) -> None:
        for table in tables:
            if table.keys != tables[0].keys:
                raise ValueError(
                    f"all datasets must have the same keys, got {table.keys} beside {tables[0].keys}{at_user_line()}"
                )
        self.tables = tables

    def __len__(self) -> int:
        return sum(map(len, self.tables))

    @property
    def keys(self) -> tuple[str, ...]:
        return self.tables[0].keys

    @property
    def mode(self) -> type | None:
        return self.tables[0].mode

    def convert(self, data: Any) -> Any:
        return self.tables[0].convert(data)

    def get_examples(self, indices: Indices, key_indices: KeyIndices) -> Columns:
        if indices is None:
            return one_after_the_other([table.get_examples(None, key_indices) for table in self.tables])
        rows = positions(indices, len(self))
        if isinstance(rows, range):
            parts = [table.get_examples(as_slice(own), key_indices) for table, own in self._ranges(rows)]
            found = one_after_the_other(parts)
        else:
            found = self._scattered(rows, key_indices)
        return found or ([],) * len(self.keys if key_indices is None else key_indices)

    def _ranges(self, rows: range) -> Iterator[tuple[Table, range]]:
        """The tables, in the order of the rows, with those of their rows that are among them."""
        offsets, before = [], 0
        for table in self.tables:
            offsets.append((table, before))
            before += len(table)
        for table, offset in offsets if rows.step > 0 else reversed(offsets):
            window = range(offset, offset + len(table))
            first, last = (places_until(rows, bound) for bound in ends(window, rows.step))
            own = rows[first:last]
            if len(own):
                yield table, range(own.start - offset, own.stop - offset, own.step)

    def _scattered(self, rows: Sequence[int], key_indices: KeyIndices) -> Columns:
        """The values of rows in any order."""
        parts: list[Columns] = []
        places: dict[int, tuple[int, int]] = {}
        offset = 0
        for table in self.tables:
            own = [place for place, row in enumerate(rows) if offset <= row < offset + len(table)]
            if own:
                places.update({place: (len(parts), number) for number, place in enumerate(own)})
                parts.append(table.get_examples([rows[place] - offset for place in own], key_indices))
            offset += len(table)
        if len(parts) < 2:
            return parts[0] if parts else ()
        order = [places[place] for place in range(len(rows))]
        return tuple([parts[part][column][number] for part, number in order] for column in range(len(parts[0])))


def ends(window: range, step: int) -> tuple[int, int]:
    """The values between which a progression is within a window: from the first on, before the second."""
    return (window.start, window.stop) if step > 0 else (window.stop - 1, window.start - 1)


def places_until(rows: range, bound: int) -> int:
    """How many terms of a progression come before a bound."""
    return min(max(-((rows.start - bound) // rows.step), 0), len(rows))


def one_after_the_other(parts: Sequence[Columns]) -> Columns:
    """The values of each column in all parts; those of a single part as they are."""
    if len(parts) < 2:
        return parts[0] if parts else ()
    return tuple([value for column in columns for value in column] for columns in zip(*parts, strict=True))


class JoinOf:
    """The columns of several tables, side by side.

    Args:
        tables: of the same length, without common columns. The first one converts.

    Raises:
        ValueError: if lengths differ, or two columns have the same name.
    """

    def __init__(self, *tables: Table) -> None:
        names: set[str] = set()
        for table in tables:
            if len(table) != len(tables[0]):
                raise ValueError(
                    f"all datasets must have the same length, got {len(table)} beside {len(tables[0])}{at_user_line()}"
                )
            if names.intersection(table.keys):
                common = ", ".join(map(str, sorted(names.intersection(table.keys))))
                raise ValueError(f"all keys must be unique among all datasets, got {common} twice{at_user_line()}")
            names.update(table.keys)
        self.tables = tables

    def __len__(self) -> int:
        return len(self.tables[0])

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key for table in self.tables for key in table.keys)

    @property
    def mode(self) -> type | None:
        return next((table.mode for table in self.tables if table.mode is not None), tuple)

    def convert(self, data: Any) -> Any:
        return self.tables[0].convert(data)

    def get_examples(self, indices: Indices, key_indices: KeyIndices) -> Columns:
        if key_indices is None:
            return tuple(column for table in self.tables for column in table.get_examples(indices, None))
        found: dict[int, Any] = {}
        offset = 0
        for table in self.tables:
            own = [index for index in dict.fromkeys(key_indices) if offset <= index < offset + len(table.keys)]
            if own:
                columns = table.get_examples(indices, tuple(index - offset for index in own))
                found.update(zip(own, columns, strict=True))
            offset += len(table.keys)
        return tuple(found[index] for index in key_indices)
