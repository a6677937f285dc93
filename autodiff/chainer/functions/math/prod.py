"""Products of elements."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from autodiff.chainer.functions.axes import axes_of
from autodiff.chainer.functions.conditions import has_axes
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def prod(x: Any, axis: Any = None, keepdims: bool = False) -> Variable:
    """The product along axes.

    Args:
        x: floating-point numbers.
        axis: an axis, a tuple of axes, or None for all.
        keepdims: whether the axes stay, with length one.

    Returns:
        products. The derivative by an element is the product of all others, where some are zero too.

    Raises:
        TypeError: if the axis is neither None, nor an int, nor a tuple of ints.
        ValueError: if an axis is there twice.
        InvalidType: if the numbers are no floating-point numbers, or there is no such axis.

    >>> prod(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    variable([3., 8.])
    """
    axes = axes_of(axis)
    return apply(
        "Prod",
        partial(np.prod, axis=axes, keepdims=keepdims),
        (x,),
        lambda x: (x.dtype.kind == "f", *has_axes(x, axes)),
    )


Prod = function_class("Prod", prod, "axis=None, keepdims=False")
