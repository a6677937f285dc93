"""-1, 0 or 1, as x is negative, zero or positive; NaN of NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import constant
from autodiff.facade.variables.variable import Variable


def sign(x: Any) -> Variable:
    """-1, 0 or 1, as x is negative, zero or positive; NaN of NaN.

    Args:
        x: numbers of any shape.

    Returns:
        one number for each; a root of the graph, through which no gradient flows.

    >>> sign(np.array([-2.0, 0.0, 3.0]))
    variable([-1.,  0.,  1.])
    """
    return constant(np.sign, x)
