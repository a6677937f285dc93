"""Two axes exchanged."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def swapaxes(x: Any, axis1: int, axis2: int) -> Variable:
    """Two axes exchanged.

    Args:
        x: any array.
        axis1: one axis.
        axis2: the other one.

    Raises:
        AxisError: if there are no such axes.

    >>> swapaxes(np.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    return apply("Swapaxes", lambda x: np.swapaxes(x, axis1, axis2), (x,))


Swapaxes = function_class("Swapaxes", swapaxes, "axis1, axis2")
