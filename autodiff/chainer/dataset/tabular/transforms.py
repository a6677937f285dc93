"""Tables whose rows are made of those of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.chainer.dataset.tabular.table import Columns, Indices, KeyIndices, Over, Table, positions
from autodiff.trace.source import at_user_line

UNKNOWN = object()


class Transformed(Over):
    """What the two kinds of transforms share.

    Args:
        table: the table.
        keys: the names of the new columns, or of the only one.
        transform: the function.
    """

    what: str

    def __init__(self, table: Table, keys: Any, transform: Callable[..., Any]) -> None:
        super().__init__(table)
        self._keys = keys if isinstance(keys, tuple) else (keys,)
        self._mode_without_rows = tuple if isinstance(keys, tuple) else None
        self._transform = transform
        self._mode: Any = UNKNOWN

    @property
    def keys(self) -> tuple[str, ...]:
        return self._keys

    @property
    def mode(self) -> type | None:
        """What the function returns, which is called on the first row if it was not called before.

        Without rows, it is a tuple if the columns were given as one, and a value otherwise.
        """
        if self._mode is UNKNOWN and not len(self):
            return self._mode_without_rows
        if self._mode is UNKNOWN:
            self.get_examples([0], None)
        return self._mode  # type: ignore[no-any-return]

    def _called(self, values: tuple[Any, ...]) -> Any:
        """What the function returns for a row, or for columns."""
        if self.table.mode is dict:
            found = self._transform(**dict(zip(self.table.keys, values, strict=True)))
        else:
            found = self._transform(*values)
        mode = next((kind for kind in (tuple, dict) if isinstance(found, kind)), None)
        if self._mode not in (UNKNOWN, mode):
            raise ValueError(f"{self.what} must not change its return type{at_user_line()}")
        self._mode = mode
        return found

    def _by_number(self, found: Any) -> Any:
        """What the function has returned, by the numbers of columns."""
        if self._mode is dict:
            return [found[key] for key in self._keys]
        return found if self._mode is tuple else (found,)


class TransformOf(Transformed):
    """Each row is what a function makes of a row: a tuple, a dict, or a value."""

    what = "transform"

    def get_examples(self, indices: Indices, key_indices: KeyIndices) -> Columns:
        wanted = range(len(self._keys)) if key_indices is None else key_indices
        rows = [self._by_number(self._called(row)) for row in zip(*self.table.get_examples(indices, None), strict=True)]
        return tuple([row[index] for row in rows] for index in wanted)


class TransformBatchOf(Transformed):
    """All rows that are asked for are made at once: the function takes columns and returns columns."""

    what = "transform_batch"

    def get_examples(self, indices: Indices, key_indices: KeyIndices) -> Columns:
        wanted = range(len(self._keys)) if key_indices is None else key_indices
        found = self._called(self.table.get_examples(indices, None))
        columns = found.values() if isinstance(found, dict) else found if isinstance(found, tuple) else (found,)
        count = len(positions(indices, len(self)))
        if any(len(column) != count for column in columns):
            raise ValueError(
                f"transform_batch must not change the length of data: {count} rows were asked for, and it returned "
                f"{', '.join(str(len(column)) for column in columns)}{at_user_line()}"
            )
        by_number = self._by_number(found)
        return tuple(by_number[index] for index in wanted)
