"""Shares that sum to one."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.axes import one_axis
from autodiff.chainer.functions.conditions import has_axis
from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import from_first, function_class, parameter
from autodiff.facade.variables.variable import Variable
from autodiff.ops.reductions.softmax import softmax as along_axes


def softmax(x: Any, axis: int = 1) -> Variable:
    """exp(x) / sum(exp(x)) along an axis.

    Args:
        x: floating-point numbers.
        axis: the axis of what is compared.

    Returns:
        positive numbers of the same shape, which sum to 1 along the axis.

    Raises:
        TypeError: if the axis is no int.
        InvalidType: if the numbers are no floating-point numbers, or there is no such axis.

    >>> import numpy as np
    >>> softmax(np.array([[0.0, np.log(3.0)]]))
    variable([[0.25, 0.75]])
    """
    axis = one_axis(axis)
    return direct(
        "Softmax",
        lambda x: along_axes(x, axes=(axis if axis < 0 else axis - x.ndim,)),
        x,
        lambda x: (x.dtype.kind == "f", has_axis(x, axis)),
    )


Softmax = function_class(
    "Softmax",
    softmax,
    "axis=1",
    computed={"axis": lambda self: from_first(self, parameter(self, "axes", 1))[0]},
    of_outputs=lambda self, y, gy: y * (gy - (y * gy).sum(axis=self.axis, keepdims=True)),
)
