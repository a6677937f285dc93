"""The link that multiplies by a learned array."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.functions.math.scale import scale
from autodiff.chainer.links.connection.bias import Bias, operands
from autodiff.facade import Parameter, Variable
from autodiff.trace.source import at_user_line


class Scale(Chain):
    """x times W, plus a bias if wanted; W stands beside the axes of x from the given one on.

    Args:
        axis: the first of these axes.
        W_shape: the shape of W, which is ones at first. Without one the link is called with x and W.
        bias_term: whether a bias of the shape of W is added.
        bias_shape: its shape, needed where ``W_shape`` is not given.

    Raises:
        ValueError: if the shape of the bias is not known.

    >>> import numpy as np
    >>> Scale(axis=1)(np.ones((2, 2)), np.array([1.0, 2.0]))
    variable([[1., 2.],
              [1., 2.]])
    """

    def __init__(self, axis: int = 1, W_shape: Any = None, bias_term: bool = False, bias_shape: Any = None) -> None:
        super().__init__()
        self.axis = axis
        shape = bias_shape if W_shape is None else W_shape
        if bias_term and shape is None:
            raise ValueError(f"the bias needs a bias_shape where W_shape is not given{at_user_line()}")
        with self.init_scope():
            if W_shape is not None:
                self.W = Parameter(1, W_shape)
            if bias_term:
                self.bias = Bias(axis, shape)

    def forward(self, *xs: Any) -> Variable:
        """The product; of one argument if the link has W, otherwise of two.

        Raises:
            ValueError: if there are more or fewer.
        """
        x, W = operands(xs, getattr(self, "W", None), "W")
        y = scale(x, W, self.axis)
        return self.bias(y) if hasattr(self, "bias") else y
