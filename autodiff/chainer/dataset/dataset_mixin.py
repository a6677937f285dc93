"""What makes a class with ``get_example`` and ``__len__`` a dataset."""

from __future__ import annotations

from typing import Any

import numpy as np


class DatasetMixin:
    """A dataset that is indexed by numbers, slices, lists and arrays of numbers.

    A subclass defines :meth:`get_example` and ``__len__``.

    >>> class Squares(DatasetMixin):
    ...     def __len__(self):
    ...         return 10
    ...
    ...     def get_example(self, i):
    ...         return i * i
    >>> squares = Squares()
    >>> squares[3], squares[2:5], squares[[0, 9]]
    (9, [4, 9, 16], [0, 81])
    """

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self.get_example(i) for i in range(*index.indices(len(self)))]
        if isinstance(index, (list, np.ndarray)):
            return [self.get_example(i) for i in index]
        return self.get_example(index)

    def __len__(self) -> int:
        """How many examples there are."""
        raise NotImplementedError(f"{type(self).__name__} must define __len__")

    def get_example(self, i: int) -> Any:
        """The example number ``i``, which may be negative if the subclass allows it."""
        raise NotImplementedError(f"{type(self).__name__} must define get_example")
