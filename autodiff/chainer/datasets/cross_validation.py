"""Pairs of training and test datasets in which every example is tested once."""

from __future__ import annotations

import warnings
from typing import Any

from autodiff.chainer.datasets.sub_dataset import SubDataset, random_order, split_dataset
from autodiff.trace.source import at_user_line


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
