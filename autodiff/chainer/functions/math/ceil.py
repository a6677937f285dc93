"""The smallest whole number that is not below x."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import constant
from autodiff.facade.variables.variable import Variable


def ceil(x: Any) -> Variable:
    """The smallest whole number that is not below x.

    Args:
        x: numbers of any shape.

    Returns:
        one number for each; a root of the graph, through which no gradient flows.

    >>> ceil(np.array([0.5, -0.5, 2.0]))
    variable([ 1., -0.,  2.])
    """
    return constant(np.ceil, x)
