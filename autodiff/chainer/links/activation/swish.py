"""The link of the swish function."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.activation.swish import swish
from autodiff.chainer.link import Link
from autodiff.chainer.links.initial import weight
from autodiff.facade import Variable


class Swish(Link):
    """x times the sigmoid of beta x.

    Args:
        beta_shape: the shape of beta: of the first axes of x behind the batch; None for all of them.
        beta_init: an initializer, a number or an array that fills beta.

    Attributes:
        beta: the factors.

    Source: P. Ramachandran, B. Zoph and Q. V. Le, Searching for Activation Functions, 2017.

    >>> import numpy as np
    >>> Swish((), np.log(3.0))(np.array([[0.0, 1.0]], np.float32))
    variable([[0.  , 0.75]])
    """

    def __init__(self, beta_shape: Any, beta_init: Any = 1.0) -> None:
        super().__init__()
        with self.init_scope():
            self.beta = weight(beta_init, beta_shape)

    def forward(self, x: Any) -> Variable:
        """An array like x, with the batch as the first axis."""
        if self.beta.array is None:
            self.beta.initialize(x.shape[1:])
        return swish(x, self.beta)
