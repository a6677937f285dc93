"""The link of the convolution with gaps in its kernels."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.connection.convolution_2d import pair
from autodiff.chainer.functions.connection.dilated_convolution_2d import dilated_convolution_2d
from autodiff.chainer.link import Link
from autodiff.chainer.links.connection.kernels import channels_and_size
from autodiff.chainer.links.initial import bias, weight
from autodiff.facade import Variable


class DilatedConvolution2D(Link):
    """:class:`Convolution2D` with ``dilate`` as an argument of its own.

    Args:
        in_channels: how many channels images have; None, or left out, to learn it from the first ones.
        out_channels: how many channels the results have.
        ksize: size of the kernels: a number, or a pair.
        stride: steps between kernel positions: a number, or a pair.
        pad: width of the zeros around the images: a number, or a pair.
        dilate: steps between pixels under the kernel: a number, or a pair.
        nobias: whether the bias is left out.
        initialW: an initializer, a number or an array of the shape of W; LeCunNormal if None.
        initial_bias: the same for the bias; zeros if None.

    >>> import numpy as np
    >>> link = DilatedConvolution2D(1, 1, 2, dilate=2, initialW=1.0)
    >>> link(np.arange(9.0, dtype="f").reshape(1, 1, 3, 3))
    variable([[[[16.]]]])
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: Any = None,
        stride: Any = 1,
        pad: Any = 0,
        dilate: Any = 1,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        in_channels, out_channels, ksize = channels_and_size(in_channels, out_channels, ksize)
        self.out_channels, self.ksize = out_channels, ksize
        self.stride, self.pad, self.dilate = pair(stride), pair(pad), pair(dilate)
        with self.init_scope():
            self.W = weight(initialW)
            if in_channels is not None:
                self._initialize_params(in_channels)
            self.b = None if nobias else bias(initial_bias, out_channels)

    def _initialize_params(self, in_channels: int) -> None:
        self.W.initialize((self.out_channels, in_channels, *pair(self.ksize)))

    def forward(self, x: Any) -> Variable:
        """The results (N, out_channels, h_O, w_O) for images (N, in_channels, h_I, w_I)."""
        if self.W.array is None:
            self._initialize_params(x.shape[1])
        return dilated_convolution_2d(x, self.W, self.b, self.stride, self.pad, self.dilate)
