"""Sums with an array that stands beside some axes."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.math.scale import beside
from autodiff.facade.variables.conversion import as_variable
from autodiff.facade.variables.variable import Variable


def bias(x: Any, y: Any, axis: int = 1) -> Variable:
    """x + y, where ``y`` stands beside the axes of ``x`` from the given one on.

    Args:
        x: numbers.
        y: numbers of the shape ``x.shape[axis : axis + y.ndim]``.
        axis: the first of these axes.

    Raises:
        InvalidType: if dtypes or shapes do not fit.

    >>> import numpy as np
    >>> bias(np.zeros((2, 2)), np.array([1.0, 2.0]), axis=0)
    variable([[1., 1.],
              [2., 2.]])
    """
    return as_variable(x) + beside(x, y, axis)
