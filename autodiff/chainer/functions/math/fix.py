"""The whole number next to x towards zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import constant
from autodiff.facade.variables.variable import Variable


def fix(x: Any) -> Variable:
    """The whole number next to x towards zero.

    Args:
        x: numbers of any shape.

    Returns:
        one number for each; a root of the graph, through which no gradient flows.

    >>> fix(np.array([1.5, -1.5]))
    variable([ 1., -1.])
    """
    return constant(np.trunc, x)
