"""Parts of datasets, and pairs of parts in which every example is tested once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from autodiff.chainer.dataset.dataset_mixin import DatasetMixin
from autodiff.trace.source import at_user_line


class SubDataset(DatasetMixin):
    """The examples ``start`` to ``finish - 1`` of a dataset.

    Args:
        dataset: the dataset.
        start: the number of the first example.
        finish: the number after that of the last example.
        order: a permutation of the numbers of all examples, of which the part is taken; None for their own order.

    Raises:
        ValueError: if the part goes beyond the dataset, or ``order`` has another length.

    >>> SubDataset("abcdef", 1, 4)[:], SubDataset("abc", 0, 2, order=[2, 0, 1])[:]
    (['b', 'c', 'd'], ['c', 'a'])
    """

    def __init__(self, dataset: Any, start: int, finish: int, order: Any = None) -> None:
        if start < 0 or finish > len(dataset):
            raise ValueError(
                f"a dataset of {len(dataset)} examples has no part from {start} to {finish}{at_user_line()}"
            )
        if order is not None and len(order) != len(dataset):
            raise ValueError(
                f"order has {len(order)} numbers for a dataset of {len(dataset)} examples{at_user_line()}; it must "
                "have one for each"
            )
        self._dataset = dataset
        self._start = start
        self._finish = finish
        self._size = finish - start
        self._order = order

    def __len__(self) -> int:
        return self._size

    def get_example(self, i: int) -> Any:
        """The example number ``i`` of the part; negative numbers count from its end.

        Raises:
            IndexError: if there is none of that number.
        """
        if not -self._size <= i < self._size:
            raise IndexError(f"there is no example {i} in a part of {self._size} examples{at_user_line()}")
        position = self._start + i % self._size
        return self._dataset[position if self._order is None else self._order[position]]


def split_dataset(dataset: Any, split_at: int, order: Any = None) -> tuple[SubDataset, SubDataset]:
    """Two parts of a dataset: the first ``split_at`` examples, and the rest.

    Args:
        dataset: the dataset.
        split_at: how many examples the first part has.
        order: a permutation of the numbers of all examples.

    Raises:
        TypeError: if ``split_at`` is no integer.
        ValueError: if the dataset has fewer examples.
    """
    count = len(dataset)
    if not isinstance(split_at, (int, np.integer)):
        raise TypeError(f"split_at must be an integer, got {type(split_at).__name__}{at_user_line()}")
    if not 0 <= split_at <= count:
        raise ValueError(f"split_at must be from 0 to {count}, the size of the dataset, got {split_at}{at_user_line()}")
    return SubDataset(dataset, 0, split_at, order), SubDataset(dataset, split_at, count, order)


def split_dataset_random(dataset: Any, first_size: int, seed: int | None = None) -> tuple[SubDataset, SubDataset]:
    """Two parts of a dataset, whose examples are chosen at random.

    Args:
        dataset: the dataset.
        first_size: how many examples the first part has.
        seed: a number that fixes the choice; with None it differs every time.

    >>> [part[:] for part in split_dataset_random("abcde", 2, seed=0)]
    [['c', 'a'], ['b', 'd', 'e']]
    """
    return split_dataset(dataset, first_size, random_order(dataset, seed))


def split_dataset_n(dataset: Any, n: int, order: Any = None) -> list[SubDataset]:
    """Parts of equal size, one after the other; what is left over belongs to none.

    Args:
        dataset: the dataset.
        n: how many parts.
        order: a permutation of the numbers of all examples.

    >>> [part[:] for part in split_dataset_n("abcde", 2)]
    [['a', 'b'], ['c', 'd']]
    """
    size = len(dataset) // n
    return [SubDataset(dataset, i * size, (i + 1) * size, order) for i in range(n)]


def split_dataset_n_random(dataset: Any, n: int, seed: int | None = None) -> list[SubDataset]:
    """Parts of equal size, whose examples are chosen at random.

    Args:
        dataset: the dataset.
        n: how many parts.
        seed: a number that fixes the choice; with None it differs every time.
    """
    return split_dataset_n(dataset, n, random_order(dataset, seed))


def random_order(dataset: Any, seed: int | None) -> np.ndarray[Any, Any]:
    """A random permutation of the numbers of the examples."""
    return np.random.RandomState(seed).permutation(len(dataset))


def get_cross_validation_datasets(
    dataset: Any, n_folds: int | None = None, order: Any = None, **kwargs: Any
) -> list[tuple[SubDataset, SubDataset]]:
    """For each fold a pair: all other examples for training, the fold for testing. The last fold comes first.

    Args:
        dataset: the dataset.
        n_folds: how many folds; their sizes differ by at most one.
        order: a permutation of the numbers of all examples.
        kwargs: ``n_fold``, the old name of ``n_folds``.

    >>> [(train[:], test[:]) for train, test in get_cross_validation_datasets("abcde", 2)]
    [(['a', 'b'], ['c', 'd', 'e']), (['c', 'd', 'e'], ['a', 'b'])]
    """
    folds = number_of_folds(n_folds, kwargs)
    numbers = list(range(len(dataset)) if order is None else order)
    borders = [len(numbers) * fold // folds for fold in range(folds + 1)]
    return [fold_at(dataset, numbers, borders[i], borders[i + 1]) for i in reversed(range(folds))]


def fold_at(dataset: Any, numbers: list[Any], start: int, finish: int) -> tuple[SubDataset, SubDataset]:
    """The examples after and before the fold, and the fold."""
    order = numbers[finish:] + numbers[:start] + numbers[start:finish]
    return split_dataset(dataset, len(order) - (finish - start), order)


def number_of_folds(n_folds: int | None, old: dict[str, Any]) -> int:
    """The number of folds, also by its old name."""
    if "n_fold" in old:
        warnings.warn("n_fold is deprecated; use n_folds", DeprecationWarning, stacklevel=3)
        n_folds = old["n_fold"]
    if n_folds is None or n_folds < 1:
        raise TypeError(f"n_folds must be a positive integer, got {n_folds!r}{at_user_line()}")
    return n_folds


def get_cross_validation_datasets_random(
    dataset: Any, n_folds: int | None = None, seed: int | None = None, **kwargs: Any
) -> list[tuple[SubDataset, SubDataset]]:
    """As :func:`get_cross_validation_datasets`, with folds chosen at random.

    Args:
        dataset: the dataset.
        n_folds: how many folds.
        seed: a number that fixes the choice; with None it differs every time.
        kwargs: ``n_fold``, the old name of ``n_folds``.
    """
    return get_cross_validation_datasets(dataset, n_folds, random_order(dataset, seed), **kwargs)
