"""Axes moved to other places."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.axes import axes_of
from autodiff.chainer.functions.conditions import has_axes
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def moveaxis(x: Any, source: Any, destination: Any) -> Variable:
    """Axes moved to other places; the others stay in order.

    Args:
        x: floating-point numbers.
        source: an axis, or a tuple of axes.
        destination: the new place of each.

    Raises:
        TypeError: if they are no ints.
        ValueError: if an axis is there twice, or both differ in number.
        InvalidType: if there are no such axes, or the numbers are no floating-point numbers.

    >>> moveaxis(np.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    origins, places = axes_of(source) or (), axes_of(destination) or ()
    return apply(
        "Moveaxis",
        lambda x: np.moveaxis(x, origins, places),
        (x,),
        lambda x: (x.dtype.kind == "f", *has_axes(x, origins), *has_axes(x, places)),
    )


Moveaxis = function_class(
    "Moveaxis",
    moveaxis,
    "source, destination",
    computed={"source": lambda self: self.origins, "destination": lambda self: self.places},
)
