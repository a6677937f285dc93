"""The link of the convolution of each channel by itself."""

from __future__ import annotations

from math import sqrt
from typing import Any

from autodiff.chainer.functions.connection.convolution_2d import pair
from autodiff.chainer.functions.connection.depthwise_convolution_2d import depthwise_convolution_2d
from autodiff.chainer.initializers import HeNormal
from autodiff.chainer.link import Link
from autodiff.chainer.links.initial import bias, weight
from autodiff.facade import Variable


class DepthwiseConvolution2D(Link):
    """Each channel of images (N, in_channels, h, w) under kernels of its own.

    Args:
        in_channels: how many channels images have; None to learn it from the first ones.
        channel_multiplier: how many results each channel has.
        ksize: size of the kernels: a number, or a pair.
        stride: steps between kernel positions: a number, or a pair.
        pad: width of the zeros around the images: a number, or a pair.
        nobias: whether the bias is left out.
        initialW: an initializer, a number or an array of the shape of W; HeNormal(1 / sqrt(2)) if None.
        initial_bias: the same for the bias; zeros if None.

    Attributes:
        W: the kernels (channel_multiplier, in_channels, h_K, w_K).
        b: the bias (in_channels channel_multiplier,), or None.

    >>> import numpy as np
    >>> link = DepthwiseConvolution2D(None, 1, 1, initialW=np.array([[[[1.0]], [[10.0]]]]))
    >>> link(np.arange(4.0, dtype="f").reshape(1, 2, 1, 2)).array.ravel().tolist()
    [0.0, 1.0, 20.0, 30.0]
    """

    def __init__(
        self,
        in_channels: int | None,
        channel_multiplier: int,
        ksize: Any,
        stride: Any = 1,
        pad: Any = 0,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        self.channel_multiplier, self.ksize, self.nobias = channel_multiplier, ksize, nobias
        self.stride, self.pad = pair(stride), pair(pad)
        with self.init_scope():
            self.W = weight(HeNormal(1 / sqrt(2)) if initialW is None else initialW)
            self.b = None if nobias else bias(initial_bias)
        if in_channels is not None:
            self._initialize_params(in_channels)

    def _initialize_params(self, in_channels: int) -> None:
        self.W.initialize((self.channel_multiplier, in_channels, *pair(self.ksize)))
        if self.b is not None:
            self.b.initialize((self.channel_multiplier * in_channels,))

    def forward(self, x: Any) -> Variable:
        """The results (N, in_channels channel_multiplier, h_O, w_O); those of one channel stand together."""
        if self.W.array is None:
            self._initialize_params(x.shape[1])
        return depthwise_convolution_2d(x, self.W, self.b, self.stride, self.pad)
