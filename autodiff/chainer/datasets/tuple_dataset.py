"""Examples that are tuples of examples."""

from __future__ import annotations

from typing import Any

from autodiff.trace.source import at_user_line


class TupleDataset:
    """Datasets of one length side by side: example ``i`` is the tuple of their examples ``i``.

    Args:
        datasets: lists, arrays, datasets.

    Raises:
        ValueError: if there is none, or their lengths differ.

    >>> TupleDataset("abc", [1, 2, 3])[1:]
    [('b', 2), ('c', 3)]
    """

    def __init__(self, *datasets: Any) -> None:
        if not datasets:
            raise ValueError(f"a TupleDataset needs at least one dataset{at_user_line()}")
        lengths = [len(dataset) for dataset in datasets]
        if len(set(lengths)) > 1:
            raise ValueError(f"the datasets have different lengths: {lengths}{at_user_line()}")
        self._datasets = datasets
        self._length = lengths[0]

    def __getitem__(self, index: Any) -> Any:
        found = [dataset[index] for dataset in self._datasets]
        if not isinstance(index, slice):
            return tuple(found)
        return [tuple(part[i] for part in found) for i in range(len(found[0]))]

    def __len__(self) -> int:
        return self._length
