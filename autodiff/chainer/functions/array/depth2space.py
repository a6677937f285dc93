"""Channels spread over blocks of pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def depth2space(X: Any, r: int) -> Variable:
    """Channels spread over blocks of r x r pixels.

    Args:
        X: images, floating-point numbers of shape (batch, r * r * channels, height, width).
        r: the size of the blocks.

    Returns:
        images of shape (batch, channels, r * height, r * width).

    Raises:
        ValueError: if the channels cannot be divided so.
        InvalidType: if the shape or the dtype does not fit.

    >>> depth2space(np.arange(4.0).reshape(1, 4, 1, 1), 2)
    variable([[[[0., 1.],
                [2., 3.]]]])
    """

    def fun(x: Any) -> Any:
        batch, depth, height, width = x.shape
        blocks = np.reshape(x, (batch, r, r, depth // r**2, height, width))
        return np.reshape(np.transpose(blocks, (0, 3, 4, 1, 5, 2)), (batch, depth // r**2, r * height, r * width))

    return apply("Depth2Space", fun, (X,), lambda x: (x.dtype.kind == "f", x.ndim == 4))


Depth2Space = function_class("Depth2Space", depth2space, "r")
