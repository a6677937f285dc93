"""Diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.conditions import has_axis
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Variable:
    """The diagonal of two axes, which becomes the last axis.

    Args:
        x: any array.
        offset: how far above the main diagonal.
        axis1: the axis of the rows.
        axis2: the axis of the columns.

    Raises:
        ValueError: if both axes are the same.
        InvalidType: if there are no such axes.

    >>> diagonal(np.array([[1.0, 2.0], [3.0, 4.0]]))
    variable([1., 4.])
    """
    last = max(axis1, axis2)
    return apply(
        "Diagonal",
        lambda x: np.diagonal(x, offset, axis1, axis2),
        (x,),
        lambda x: (has_axis(x, last), has_axis(x, axis1), has_axis(x, axis2)),
    )


Diagonal = function_class("Diagonal", diagonal, "offset, axis1, axis2")
