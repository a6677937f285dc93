"""An axis in reverse order."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.axes import one_axis
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def flip(x: Any, axis: int) -> Variable:
    """An axis in reverse order.

    Args:
        x: any array.
        axis: the axis.

    Raises:
        TypeError: if the axis is no int.
        InvalidType: if there is no such axis.

    >>> flip(np.array([1.0, 2.0, 3.0]), 0)
    variable([3., 2., 1.])
    """
    axis = one_axis(axis)
    return apply(
        "Flip",
        lambda x: np.flip(x, axis),
        (x,),
        lambda x: (x.ndim > 0, x.ndim > axis if axis >= 0 else x.ndim >= -axis),
    )


Flip = function_class("Flip", flip, "axis")
