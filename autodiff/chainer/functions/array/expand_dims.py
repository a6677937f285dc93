"""New axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.facade.applying import apply
from autodiff.facade.variable import Variable


def expand_dims(x: Any, axis: int) -> Variable:
    """A new axis of length one.

    Args:
        x: any array.
        axis: where the new axis stands in the result.

    Raises:
        InvalidType: if it cannot stand there.

    >>> expand_dims(np.array([1.0, 2.0]), 0)
    variable([[1., 2.]])
    """
    axis = int(axis)
    return apply(
        "ExpandDims",
        lambda x: np.expand_dims(x, axis),
        (x,),
        lambda x: x.ndim >= (axis if axis >= 0 else -axis - 1),
    )
