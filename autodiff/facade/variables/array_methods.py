"""Methods that Variables share with NumPy's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy import methods
from autodiff.numpy.dispatch import FUNCTIONS

dot = methods.as_method("dot")


class ArrayMethods:
    """What NumPy's functions of the same names do."""

    __slots__ = ()

    def sum(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """The sum, over all axes or the given ones."""
        return FUNCTIONS[np.sum](self, axis, keepdims=keepdims)

    def prod(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """The product."""
        return FUNCTIONS[np.prod](self, axis, keepdims=keepdims)

    def max(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """The largest element."""
        return FUNCTIONS[np.max](self, axis, keepdims=keepdims)

    def min(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """The smallest element."""
        return FUNCTIONS[np.min](self, axis, keepdims=keepdims)

    def mean(self, axis: Any = None, *, weights: Any = None, keepdims: bool = False) -> Any:
        """The mean, or the weighted mean, over all axes or the given ones."""
        if weights is None:
            return FUNCTIONS[np.mean](self, axis, keepdims=keepdims)
        return FUNCTIONS[np.average](self, axis, weights=weights, keepdims=keepdims)

    def std(self, axis: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
        """The standard deviation."""
        return FUNCTIONS[np.std](self, axis, ddof=ddof, keepdims=keepdims)

    def var(self, axis: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
        """The variance."""
        return FUNCTIONS[np.var](self, axis, ddof=ddof, keepdims=keepdims)

    def argmax(self, axis: int | None = None) -> Any:
        """Where the largest element is, as a plain array."""
        return FUNCTIONS[np.argmax](self, axis)

    def argmin(self, axis: int | None = None) -> Any:
        """Where the smallest element is, as a plain array."""
        return FUNCTIONS[np.argmin](self, axis)

    def cumsum(self, axis: int | None = None) -> Any:
        """The sums of the elements up to each."""
        return FUNCTIONS[np.cumsum](self, axis)

    def cumprod(self, axis: int | None = None) -> Any:
        """The products of the elements up to each."""
        return FUNCTIONS[np.cumprod](self, axis)

    def dot(self, other: Any) -> Any:
        """The matrix product, or the inner product of vectors."""
        return dot(self, other)

    def ravel(self) -> Any:
        """All elements along one axis."""
        return FUNCTIONS[np.ravel](self)

    def flatten(self) -> Any:
        """A copy along one axis."""
        return methods.flatten(self)

    def squeeze(self, axis: Any = None) -> Any:
        """The array without axes of length one."""
        return FUNCTIONS[np.squeeze](self, axis)

    def swapaxes(self, axis1: int, axis2: int) -> Any:
        """Two axes exchanged."""
        return FUNCTIONS[np.swapaxes](self, axis1, axis2)

    def clip(self, min: Any = None, max: Any = None) -> Any:
        """The elements limited to [min, max]."""
        return FUNCTIONS[np.clip](self, min, max)

    def astype(self, dtype: Any) -> Any:
        """The elements converted to another dtype."""
        return methods.astype(self, dtype)
