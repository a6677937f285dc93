"""The link of the convolution with other kernels at each place."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.connection.convolution_2d import pair
from autodiff.chainer.functions.connection.local_convolution_2d import local_convolution_2d
from autodiff.chainer.link import Link
from autodiff.chainer.links.initial import bias, weight
from autodiff.chainer.utils.conv import get_conv_outsize
from autodiff.facade import Variable
from autodiff.trace.source import at_user_line


class LocalConvolution2D(Link):
    """A convolution of images (N, in_channels, h, w) with kernels and a bias of its own at each place.

    Args:
        in_channels: how many channels images have; None to learn it from the first ones.
        out_channels: how many channels the results have.
        in_size: (h, w): a number, or a pair; None to learn it from the first images.
        ksize: size of the kernels: a number, or a pair. It is required.
        stride: steps between kernel positions: a number, or a pair.
        nobias: whether the bias is left out.
        initialW: an initializer, a number or an array of the shape of W; LeCunNormal if None.
        initial_bias: the same for the bias; zeros if None.
        kwargs: are ignored.

    Attributes:
        W: the kernels (out_channels, h_O, w_O, in_channels, h_K, w_K).
        b: the bias (out_channels, h_O, w_O), or None.

    Raises:
        TypeError: if ``ksize`` is missing.

    >>> import numpy as np
    >>> link = LocalConvolution2D(1, 1, ksize=1, initialW=np.arange(3.0).reshape(1, 1, 3, 1, 1, 1))
    >>> link(np.ones((1, 1, 1, 3), np.float32))
    variable([[[[0., 1., 2.]]]])
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        in_size: Any = None,
        ksize: Any = None,
        stride: Any = 1,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
        **kwargs: Any,
    ) -> None:
        if ksize is None:
            raise TypeError(f"LocalConvolution2D needs a ksize{at_user_line()}: the size of its kernels")
        super().__init__()
        self.ksize, self.stride, self.nobias, self.out_channels = ksize, pair(stride), nobias, out_channels
        with self.init_scope():
            self.W = weight(initialW)
            self.b = None if nobias else bias(initial_bias)
        if in_channels is not None and in_size is not None:
            self._initialize_params(in_channels, pair(in_size))

    def _initialize_params(self, in_channels: int, in_size: tuple[int, int]) -> None:
        sizes = zip(in_size, pair(self.ksize), self.stride)
        place = (self.out_channels, *(get_conv_outsize(size, k, s, 0) for size, k, s in sizes))
        self.W.initialize((*place, in_channels, *pair(self.ksize)))
        if self.b is not None:
            self.b.initialize(place)

    def forward(self, x: Any) -> Variable:
        """The results (N, out_channels, h_O, w_O) for images (N, in_channels, h_I, w_I)."""
        if self.W.array is None:
            self._initialize_params(x.shape[1], x.shape[2:])
        return local_convolution_2d(x, self.W, self.b, self.stride)
