"""Draws from a discrete distribution in constant time."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from autodiff.chainer.device_resident import DeviceResident, DeviceResidentsVisitor


class WalkerAlias(DeviceResident):
    """Draws numbers 0, 1, ... with given probabilities, by Walker's alias method.

    The numbers are cut and laid into columns of equal area, at most two in each. A draw picks a column, then one of
    its two numbers.

    Args:
        probs: the probabilities, or positive numbers proportional to them.

    Attributes:
        threshold: the part of each column that belongs to its first number.
        values: the two numbers of each column.

    >>> np.random.seed(0)
    >>> WalkerAlias([1, 2, 3, 4]).sample((2, 5))
    array([[2, 3, 2, 2, 1],
           [2, 1, 3, 3, 1]], dtype=int32)
    """

    def __init__(self, probs: Any) -> None:
        self.threshold, self.values = columns(np.asarray(probs, np.float32))

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        self.threshold, self.values = visitor.visit_array(self.threshold), visitor.visit_array(self.values)

    def copy(self) -> Self:
        """Another one that draws the same, with its own arrays."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.threshold, other.values = self.threshold.copy(), self.values.copy()
        return other

    @property
    def use_gpu(self) -> bool:
        """Whether the arrays are on a GPU."""
        return bool(self.xp is not np)

    def sample(self, shape: Any) -> Any:
        """Numbers drawn independently, int32.

        Args:
            shape: the shape of the result.
        """
        return self.sample_xp(self.xp, shape)

    def sample_gpu(self, shape: Any) -> Any:
        """The same, of an object that is on a GPU."""
        return self.sample_xp(self.xp, shape)

    def sample_xp(self, xp: Any, shape: Any) -> Any:
        """Numbers drawn independently with the random numbers of an array module, int32.

        Args:
            xp: the module.
            shape: the shape of the result.
        """
        place = xp.random.uniform(0, 1, shape) * len(self.threshold)
        column = place.astype(np.int32) if hasattr(place, "astype") else int(place)
        second = self.threshold[column] < place - column
        return self.values[2 * column + second]


def columns(probs: Any) -> tuple[Any, Any]:
    """The threshold of each column, and the two numbers of each."""
    shares, count = probs / np.sum(probs), len(probs)
    threshold, values = np.empty(count, np.float32), np.zeros(2 * count, np.int32)
    waiting = 0  # the first column whose second number is not known
    for column, number in enumerate(np.argsort(shares, kind="stable")):
        area = float(shares[number]) * count
        while area > 1 and waiting < column:
            values[2 * waiting + 1] = number
            area -= 1 - float(threshold[waiting])
            waiting += 1
        threshold[column], values[2 * column] = area, number
    return threshold, values
