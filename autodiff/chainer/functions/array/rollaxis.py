"""An axis moved in front of another one."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.axes import one_axis
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def rollaxis(x: Any, axis: int, start: int = 0) -> Variable:
    """An axis moved in front of another one.

    Args:
        x: any array.
        axis: the axis.
        start: the one in front of which it goes.

    Raises:
        TypeError: if they are no ints.
        InvalidType: if there are no such axes.

    >>> rollaxis(np.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    axis, start = one_axis(axis), one_axis(start)
    return apply(
        "Rollaxis",
        lambda x: np.rollaxis(x, axis, start),
        (x,),
        lambda x: (
            x.ndim > axis if axis >= 0 else x.ndim >= -axis,
            x.ndim >= start if start >= 0 else x.ndim > -start,
        ),
    )


Rollaxis = function_class("Rollaxis", rollaxis, "axis, start")
