"""The largest whole number that is not above x."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import constant
from autodiff.facade.variables.variable import Variable


def floor(x: Any) -> Variable:
    """The largest whole number that is not above x.

    Args:
        x: numbers of any shape.

    Returns:
        one number for each; a root of the graph, through which no gradient flows.

    >>> floor(np.array([0.5, -0.5, 2.0]))
    variable([ 0., -1.,  2.])
    """
    return constant(np.floor, x)
