"""The logarithm of a sum of exponentials."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.axes import axes_of
from autodiff.chainer.functions.conditions import has_axes
from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import from_first, function_class, inputs_of, parameter
from autodiff.facade.variables.variable import Variable
from autodiff.numpy.axes import negative_axes
from autodiff.ops.reductions.logsumexp import logsumexp as along_axes


def logsumexp(x: Any, axis: Any = None) -> Variable:
    """log(sum(exp(x))) along axes, without overflow.

    Args:
        x: floating-point numbers.
        axis: an axis, a tuple of axes, or None for all.

    Returns:
        the logarithms. The derivatives are the shares of each element in the sum; where the sum is 0 they are 0.

    Raises:
        TypeError: if the axis is neither None, nor an int, nor a tuple of ints.
        ValueError: if an axis is there twice.
        InvalidType: if the numbers are no floating-point numbers, or there is no such axis.

    >>> import numpy as np
    >>> logsumexp(np.log(np.array([1.0, 2.0, 5.0])))
    variable(2.07944154)
    """
    axes = axes_of(axis)
    return direct(
        "LogSumExp",
        lambda x: along_axes(x, axes=negative_axes(axes, x.ndim)),
        x,
        lambda x: (x.dtype.kind == "f", *has_axes(x, axes)),
    )


def axes_or_none(self: Any) -> tuple[int, ...] | None:
    """The axes that were added up, counted from the first; None for all."""
    axes = from_first(self, parameter(self, "axes", 2))
    return None if len(axes) == len(inputs_of(self)[0].shape) else axes


LogSumExp = function_class("LogSumExp", logsumexp, "axis=None", computed={"axis": axes_or_none})
