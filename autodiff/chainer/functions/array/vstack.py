"""Arrays one after the other, as ``numpy.vstack``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.functions.array.stacking import vstack as fits
from autodiff.chainer.functions.conditions import demand_some
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def vstack(xs: Sequence[Any]) -> Variable:
    """Arrays one after the other along the first axis; vectors become rows first.

    Args:
        xs: arrays of one dtype, whose other axes have equal lengths.

    Raises:
        InvalidType: if dtypes or shapes do not fit, or there is no array.

    >>> vstack((np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    variable([[1., 2.],
              [3., 4.]])
    """
    arrays = tuple(xs)
    demand_some("Vstack", arrays)
    return apply("Vstack", lambda *xs: np.vstack(xs), arrays, fits)


Vstack = function_class("Vstack", vstack, of_list=True)
