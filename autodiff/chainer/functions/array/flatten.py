"""All elements in one row."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.array.reshape import reshape
from autodiff.facade.variables.variable import Variable


def flatten(x: Any) -> Variable:
    """All elements in one row.

    Args:
        x: any array.

    Returns:
        a Variable with one axis; ``x`` itself where it is a Variable that has one.

    >>> import numpy as np
    >>> flatten(np.array([[1.0, 2.0], [3.0, 4.0]]))
    variable([1., 2., 3., 4.])
    """
    return reshape(x, (x.size,))
