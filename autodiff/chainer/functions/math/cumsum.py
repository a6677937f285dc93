"""Cumulative sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.axes import one_axis
from autodiff.chainer.functions.conditions import has_axes
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def cumsum(x: Any, axis: int | None = None) -> Variable:
    """The sum of all elements up to each, along an axis.

    Args:
        x: floating-point numbers.
        axis: the axis; None runs through all elements, and the result has one axis.

    Raises:
        TypeError: if the axis is neither None nor an int.
        InvalidType: if the numbers are no floating-point numbers, or there is no such axis.

    >>> cumsum(np.array([1.0, 2.0, 3.0]))
    variable([1., 3., 6.])
    """
    axes = None if axis is None else (one_axis(axis, "int or None"),)
    return apply(
        "Cumsum",
        lambda x: np.cumsum(x, axis=None if axes is None else axes[0]),
        (x,),
        lambda x: (x.dtype.kind == "f", *has_axes(x, axes)),
    )


Cumsum = function_class(
    "Cumsum", cumsum, "axis=None", computed={"axis": lambda self: None if self.axes is None else self.axes[0]}
)
