"""Examples that are dicts of examples."""

from __future__ import annotations

from typing import Any

from autodiff.trace.source import at_user_line


class DictDataset:
    """Datasets of one length side by side: example ``i`` is the dict of their examples ``i``.

    Args:
        datasets: lists, arrays, datasets, as keywords.

    Raises:
        ValueError: if there is none, or their lengths differ.

    >>> DictDataset(letter="abc", number=[1, 2, 3])[1]
    {'letter': 'b', 'number': 2}
    """

    def __init__(self, **datasets: Any) -> None:
        if not datasets:
            raise ValueError(f"a DictDataset needs at least one dataset{at_user_line()}")
        lengths = {name: len(dataset) for name, dataset in datasets.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the datasets have different lengths: {lengths}{at_user_line()}")
        self._datasets = datasets
        self._length = next(iter(lengths.values()))

    def __getitem__(self, index: Any) -> Any:
        found = {name: dataset[index] for name, dataset in self._datasets.items()}
        if not isinstance(index, slice):
            return found
        length = len(next(iter(found.values())))
        return [{name: part[i] for name, part in found.items()} for i in range(length)]

    def __len__(self) -> int:
        return self._length
