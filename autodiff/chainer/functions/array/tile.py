"""Arrays repeated."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.array.repeat import counted
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def tile(x: Any, reps: int | tuple[int, ...]) -> Variable:
    """The whole array several times along its axes, as ``numpy.tile``.

    Args:
        x: any array.
        reps: how often along the last axis, or along the last axes.

    Raises:
        TypeError: if ``reps`` is neither an int nor a tuple of ints.
        ValueError: if a number is negative.

    >>> tile(np.array([1.0, 2.0]), 2)
    variable([1., 2., 1., 2.])
    """
    counts = counted(reps, "reps must be int or tuple of ints", "all elements in reps must be zero or larger")
    return apply("Tile", lambda x: np.tile(x, counts), (x,))


Tile = function_class("Tile", tile, "reps", computed={"reps": lambda self: self.counts})
