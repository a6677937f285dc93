"""The link of the Inception module."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.functions.activation.relu import relu
from autodiff.chainer.functions.array.concat import concat
from autodiff.chainer.functions.pooling.max_pooling_nd import max_pooling_2d
from autodiff.chainer.links.connection.convolution_2d import Convolution2D
from autodiff.facade import Variable


class Inception(Chain):
    """Convolutions with kernels of 1, 3 and 5 pixels and a max pooling side by side, their channels one behind another.

    Args:
        in_channels: how many channels images have; None to learn it from the first ones.
        out1: how many channels the convolution of 1 pixel has.
        proj3: how many channels are left for the one of 3 pixels.
        out3: how many channels it has.
        proj5: how many channels are left for the one of 5 pixels.
        out5: how many channels it has.
        proj_pool: how many channels the pooling has.
        conv_init: what fills kernels, as ``initialW`` of :class:`Convolution2D`.
        bias_init: what fills biases, as its ``initial_bias``.

    Source: C. Szegedy et al., Going Deeper with Convolutions, 2014.

    >>> import numpy as np
    >>> Inception(3, 1, 2, 3, 4, 5, 6)(np.ones((2, 3, 4, 4), np.float32)).shape
    (2, 15, 4, 4)
    """

    def __init__(
        self,
        in_channels: int | None,
        out1: int,
        proj3: int,
        out3: int,
        proj5: int,
        out5: int,
        proj_pool: int,
        conv_init: Any = None,
        bias_init: Any = None,
    ) -> None:
        super().__init__()
        initial = {"initialW": conv_init, "initial_bias": bias_init}
        with self.init_scope():
            self.conv1 = Convolution2D(in_channels, out1, 1, **initial)
            self.proj3 = Convolution2D(in_channels, proj3, 1, **initial)
            self.conv3 = Convolution2D(proj3, out3, 3, pad=1, **initial)
            self.proj5 = Convolution2D(in_channels, proj5, 1, **initial)
            self.conv5 = Convolution2D(proj5, out5, 5, pad=2, **initial)
            self.projp = Convolution2D(in_channels, proj_pool, 1, **initial)

    def forward(self, x: Any) -> Variable:
        """The results (N, out1 + out3 + out5 + proj_pool, h, w) for images (N, in_channels, h, w)."""
        out1 = self.conv1(x)
        out3 = self.conv3(relu(self.proj3(x)))
        out5 = self.conv5(relu(self.proj5(x)))
        pool = self.projp(max_pooling_2d(x, 3, stride=1, pad=1))
        return relu(concat((out1, out3, out5, pool), axis=1))
