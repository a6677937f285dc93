"""The largest of each group of elements."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.array.reshape import reshape
from autodiff.chainer.functions.math.minmax import max as largest
from autodiff.facade.functions.invalid import invalid
from autodiff.facade.variables.variable import Variable


def maxout(x: Any, pool_size: int, axis: int = 1) -> Variable:
    """The largest of every ``pool_size`` elements in a row along an axis.

    Args:
        x: floating-point numbers.
        pool_size: how many elements are compared; it divides the length of the axis.
        axis: the axis, which becomes ``pool_size`` times shorter.

    Returns:
        an array with that axis shorter. Equal largest elements get the whole derivative each.

    Raises:
        ValueError: if ``pool_size`` is not positive.
        InvalidType: if the axis cannot be divided so.

    >>> import numpy as np
    >>> maxout(np.array([[1.0, 2.0, 5.0, 4.0]]), 2)
    variable([[2., 5.]])
    """
    if pool_size <= 0:
        raise ValueError(f"pool_size must be a positive integer, got {pool_size!r}")
    if not -x.ndim <= axis < x.ndim:
        raise invalid("maxout", f"x.ndim > {axis}" if axis >= 0 else f"x.ndim >= {-axis}", f"x.ndim == {x.ndim}")
    axis = axis % x.ndim
    length = x.shape[axis]
    if length % pool_size:
        raise invalid("maxout", f"x.shape[axis] % {pool_size} == 0", f"{length % pool_size} != 0")
    groups = (*x.shape[:axis], length // pool_size, pool_size, *x.shape[axis + 1 :])
    return largest(reshape(x, groups), axis=axis + 1)
