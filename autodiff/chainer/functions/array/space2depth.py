"""Blocks of pixels gathered in channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def space2depth(X: Any, r: int) -> Variable:
    """Blocks of r x r pixels gathered in channels.

    Args:
        X: images, floating-point numbers of shape (batch, channels, r * height, r * width).
        r: the size of the blocks.

    Returns:
        images of shape (batch, r * r * channels, height, width).

    Raises:
        ValueError: if the images cannot be divided so.
        InvalidType: if the shape or the dtype does not fit.

    >>> space2depth(np.arange(4.0).reshape(1, 1, 2, 2), 2).array[0, :, 0, 0]
    array([0., 1., 2., 3.])
    """

    def fun(x: Any) -> Any:
        batch, depth, height, width = x.shape
        blocks = np.reshape(x, (batch, depth, height // r, r, width // r, r))
        return np.reshape(np.transpose(blocks, (0, 3, 5, 1, 2, 4)), (batch, r**2 * depth, height // r, width // r))

    return apply("Space2Depth", fun, (X,), lambda x: (x.dtype.kind == "f", x.ndim == 4))


Space2Depth = function_class("Space2Depth", space2depth, "r")
