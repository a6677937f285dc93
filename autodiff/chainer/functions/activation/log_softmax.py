"""Logarithms of shares that sum to one."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.axes import one_axis
from autodiff.chainer.functions.conditions import has_axis
from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import from_first, function_class, parameter
from autodiff.facade.variables.variable import Variable
from autodiff.ops.reductions.softmax import log_softmax as along_axes


def log_softmax(x: Any, axis: int = 1) -> Variable:
    """log(softmax(x)) along an axis, without the logarithm of a zero.

    Args:
        x: floating-point numbers.
        axis: the axis of what is compared.

    Returns:
        the logarithms, of the same shape.

    Raises:
        TypeError: if the axis is no int.
        InvalidType: if the numbers are no floating-point numbers, or there is no such axis.

    >>> import numpy as np
    >>> log_softmax(np.array([[1000.0, 0.0]]))
    variable([[    0., -1000.]])
    """
    axis = one_axis(axis)
    return direct(
        "LogSoftmax",
        lambda x: along_axes(x, axes=(axis if axis < 0 else axis - x.ndim,)),
        x,
        lambda x: (x.dtype.kind == "f", has_axis(x, axis)),
    )


LogSoftmax = function_class(
    "LogSoftmax", log_softmax, "axis=1", computed={"axis": lambda self: from_first(self, parameter(self, "axes", 1))[0]}
)
