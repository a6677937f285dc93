"""The order of the examples in an epoch."""

from __future__ import annotations

from typing import Any

import numpy as np

GLOBAL_RANDOM_STATE: Any = np.random.permutation.__self__  # type: ignore[attr-defined]
"""What ``np.random.seed`` seeds."""


class OrderSampler:
    """What decides the order of the examples of the next epoch. A subclass defines ``__call__``."""

    def __call__(self, current_order: Any, current_position: int) -> Any:
        """The next order.

        Args:
            current_order: the order of the epoch that ends, an array of numbers of examples.
            current_position: where in it the batch began in which it ends.
        """
        raise NotImplementedError(f"{type(self).__name__} must define __call__(current_order, current_position)")


class ShuffleOrderSampler(OrderSampler):
    """A new random order for every epoch.

    Args:
        random_state: where random numbers come from; NumPy's global ones, which ``np.random.seed`` fixes, if None.

    >>> ShuffleOrderSampler(np.random.RandomState(0))(np.arange(4), 0)
    array([2, 3, 1, 0])
    """

    def __init__(self, random_state: Any = None) -> None:
        self._random = GLOBAL_RANDOM_STATE if random_state is None else random_state

    def __call__(self, current_order: Any, current_position: int) -> Any:
        return self._random.permutation(len(current_order))
