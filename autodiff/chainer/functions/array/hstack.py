"""Arrays one after the other, as ``numpy.hstack``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.functions.array.stacking import hstack as fits
from autodiff.chainer.functions.conditions import demand_some
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def hstack(xs: Sequence[Any]) -> Variable:
    """Arrays one after the other along the second axis; vectors along their only one.

    Args:
        xs: arrays of one dtype, whose other axes have equal lengths.

    Raises:
        InvalidType: if dtypes or shapes do not fit, or there is no array.

    >>> hstack((np.array([1.0]), np.array([2.0, 3.0])))
    variable([1., 2., 3.])
    """
    arrays = tuple(xs)
    demand_some("Hstack", arrays)
    return apply("Hstack", lambda *xs: np.hstack(xs), arrays, fits)


Hstack = function_class("Hstack", hstack, of_list=True)
