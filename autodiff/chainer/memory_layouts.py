"""The order of axes in memory. Arrays have NumPy's, which is called None; cuDNN's other orders are names only."""

from __future__ import annotations

from typing import Any

from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line

CUDNN_CHANNEL_FIRST_X = CUDNN_CHANNEL_FIRST_W = None
CUDNN_CHANNEL_LAST_X = "CUDNN_CHANNEL_LAST_X"
CUDNN_CHANNEL_LAST_W = "CUDNN_CHANNEL_LAST_W"


def get_raw_shape(arr_or_var: Any) -> tuple[int, ...]:
    """The shape of an array, or of the array of a Variable, in the order of memory."""
    return arr_or_var.shape  # type: ignore[no-any-return]


def get_semantic_shape(arr_or_var: Any, *, assumed_layout: str | None = None) -> tuple[int, ...]:
    """The shape with the channels as its second axis.

    Args:
        arr_or_var: an array, or a Variable, whose layout is None.
        assumed_layout: the order of an array's axes.

    Raises:
        ValueError: if it is not the layout of the Variable, or is no layout.

    >>> import numpy as np
    >>> get_semantic_shape(np.ones((2, 4, 5, 3)), assumed_layout=CUDNN_CHANNEL_LAST_X)
    (2, 3, 4, 5)
    """
    shape: tuple[int, ...] = arr_or_var.shape
    if assumed_layout is None:
        return shape
    if isinstance(arr_or_var, Variable) or assumed_layout not in (CUDNN_CHANNEL_LAST_X, CUDNN_CHANNEL_LAST_W):
        raise ValueError(f"the layout is not {assumed_layout!r}{at_user_line()}; Variables have NumPy's, called None")
    return (shape[0], shape[-1], *shape[1:-1])
