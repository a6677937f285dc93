"""The link of the parametric rectifier."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.activation.prelu import prelu
from autodiff.chainer.link import Link
from autodiff.chainer.links.initial import weight
from autodiff.facade import Variable


class PReLU(Link):
    """x where it is not negative, W x elsewhere.

    Args:
        shape: the shape of W: of the first axes of x behind the batch.
        init: an initializer, a number or an array that fills W.

    Attributes:
        W: the slopes.

    Source: K. He, X. Zhang, S. Ren and J. Sun, Delving Deep into Rectifiers, 2015.

    >>> import numpy as np
    >>> PReLU()(np.array([[-2.0, 3.0]], np.float32))
    variable([[-0.5,  3. ]])
    """

    def __init__(self, shape: Any = (), init: Any = 0.25) -> None:
        super().__init__()
        with self.init_scope():
            self.W = weight(init, shape)

    def forward(self, x: Any) -> Variable:
        """An array like x, with the batch as the first axis."""
        return prelu(x, self.W)
