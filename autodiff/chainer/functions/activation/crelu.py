"""The concatenated rectifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.axes import one_axis
from autodiff.chainer.functions.conditions import has_axis
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.rectifier import rectifier


def crelu(x: Any, axis: int = 1) -> Variable:
    """max(x, 0) and max(-x, 0), one after the other along an axis.

    Args:
        x: floating-point numbers.
        axis: the axis that becomes twice as long.

    Returns:
        an array with that axis doubled. The derivatives at 0 are 0.

    Raises:
        TypeError: if the axis is no int.
        InvalidType: if the numbers are no floating-point numbers, or there is no such axis.

    >>> crelu(np.array([[-2.0, 3.0]]))
    variable([[0., 3., 2., 0.]])
    """
    axis = one_axis(axis)
    return apply(
        "CReLU",
        lambda x: np.concatenate((rectifier(x), rectifier(-x)), axis),
        (x,),
        lambda x: (x.dtype.kind == "f", has_axis(x, axis)),
    )


CReLU = function_class("CReLU", crelu, "axis=1")
