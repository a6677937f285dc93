"""Products with an array that stands beside some axes."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.array.broadcast import broadcast_to
from autodiff.chainer.functions.array.reshape import reshape
from autodiff.facade.variables.conversion import as_variable
from autodiff.facade.variables.variable import Variable


def scale(x: Any, y: Any, axis: int = 1) -> Variable:
    """x times y, where ``y`` stands beside the axes of ``x`` from the given one on.

    Args:
        x: floating-point numbers.
        y: numbers of the shape ``x.shape[axis : axis + y.ndim]``.
        axis: the first of these axes.

    Raises:
        InvalidType: if dtypes or shapes do not fit.

    >>> import numpy as np
    >>> scale(np.ones((2, 2)), np.array([1.0, 2.0]), axis=0)
    variable([[1., 1.],
              [2., 2.]])
    """
    return as_variable(x) * beside(x, y, axis)


def beside(x: Any, y: Any, axis: int) -> Any:
    """``y`` in the shape of ``x``, its first axis at the given one."""
    behind = len(x.shape) - axis - len(y.shape)
    return broadcast_to(reshape(y, (*(1,) * axis, *y.shape, *(1,) * behind)), x.shape)
