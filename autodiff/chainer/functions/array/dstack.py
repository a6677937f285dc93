"""Arrays one after the other, as ``numpy.dstack``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.functions.array.stacking import dstack as fits
from autodiff.chainer.functions.conditions import demand_some
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def dstack(xs: Sequence[Any]) -> Variable:
    """Arrays one after the other along the third axis; arrays with less axes get it first.

    Args:
        xs: arrays of one dtype, whose other axes have equal lengths.

    Raises:
        InvalidType: if dtypes or shapes do not fit, or there is no array.

    >>> dstack((np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    variable([[[1., 3.],
               [2., 4.]]])
    """
    arrays = tuple(xs)
    demand_some("Dstack", arrays)
    return apply("Dstack", lambda *xs: np.dstack(xs), arrays, fits)


Dstack = function_class("Dstack", dstack, of_list=True)
