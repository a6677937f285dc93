"""Links of the convolution with learned places to look at."""

from __future__ import annotations

from math import prod
from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.functions.connection.convolution_2d import pair
from autodiff.chainer.functions.connection.deformable_convolution_2d_sampler import deformable_convolution_2d_sampler
from autodiff.chainer.link import Link
from autodiff.chainer.links.connection.convolution_2d import Convolution2D
from autodiff.chainer.links.initial import bias, weight
from autodiff.facade import Variable


class DeformableConvolution2D(Chain):
    """A convolution that takes each pixel under a kernel from a place moved by an offset, which another one computes.

    Args:
        in_channels: how many channels images have; None to learn it from the first ones.
        out_channels: how many channels the results have.
        ksize: size of the kernels: a number, or a pair.
        stride: steps between kernel positions: a number, or a pair.
        pad: width of the zeros around the images: a number, or a pair.
        offset_nobias: whether the convolution that computes offsets has no bias.
        offset_initialW: what fills its kernels; LeCunNormal if None.
        offset_initial_bias: what fills its bias; zeros if None.
        deform_nobias: whether the convolution of the moved pixels has no bias.
        deform_initialW: what fills its kernels; zeros if None, as in Chainer.
        deform_initial_bias: what fills its bias; zeros if None.

    Attributes:
        offset_conv: the first convolution.
        deform_conv: the second one.

    Source: J. Dai et al., Deformable Convolutional Networks, 2017.

    >>> import numpy as np
    >>> link = DeformableConvolution2D(1, 1, 1, offset_initialW=0.0, offset_initial_bias=0.5, deform_initialW=1.0)
    >>> link(np.arange(4.0, dtype="f").reshape(1, 1, 2, 2))
    variable([[[[1.5 , 1.  ],
                [1.25, 0.75]]]])
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: Any,
        stride: Any = 1,
        pad: Any = 0,
        offset_nobias: bool = False,
        offset_initialW: Any = None,
        offset_initial_bias: Any = None,
        deform_nobias: bool = False,
        deform_initialW: Any = None,
        deform_initial_bias: Any = None,
    ) -> None:
        super().__init__()
        kernels = ksize, stride, pad
        with self.init_scope():
            self.offset_conv = Convolution2D(
                in_channels, 2 * prod(pair(ksize)), *kernels, offset_nobias, offset_initialW, offset_initial_bias
            )
            self.deform_conv = DeformableConvolution2DSampler(
                in_channels, out_channels, *kernels, deform_nobias, deform_initialW, deform_initial_bias
            )

    def forward(self, x: Any) -> Variable:
        """The results (N, out_channels, h_O, w_O) for images (N, in_channels, h_I, w_I)."""
        return self.deform_conv(x, self.offset_conv(x))  # type: ignore[no-any-return]


class DeformableConvolution2DSampler(Link):
    """The convolution with places moved by given offsets.

    Args:
        in_channels: how many channels images have; None to learn it from the first ones.
        out_channels: how many channels the results have.
        ksize: size of the kernels: a number, or a pair.
        stride: steps between kernel positions: a number, or a pair.
        pad: width of the zeros around the images: a number, or a pair.
        nobias: whether the bias is left out.
        initialW: an initializer, a number or an array (out_channels, in_channels, h_K, w_K); zeros if None.
        initial_bias: the same for the bias (out_channels,); zeros if None.
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: Any,
        stride: Any = 1,
        pad: Any = 0,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        self.ksize, self.stride, self.pad = ksize, pair(stride), pair(pad)
        self.out_channels, self.initialW = out_channels, initialW
        with self.init_scope():
            self.W = weight(0 if initialW is None else initialW)
            self.b = None if nobias else bias(initial_bias)
        if in_channels is not None:
            self._initialize_params(in_channels)

    def _initialize_params(self, in_channels: int) -> None:
        self.W.initialize((self.out_channels, in_channels, *pair(self.ksize)))
        if self.b is not None:
            self.b.initialize(self.out_channels)

    def forward(self, x: Any, offset: Any) -> Variable:
        """The results (N, out_channels, h_O, w_O).

        Args:
            x: images (N, in_channels, h_I, w_I).
            offset: (N, 2 h_K w_K, h_O, w_O): for each place of the kernel the step along x, then along y.
        """
        if self.W.array is None:
            self._initialize_params(x.shape[1])
        return deformable_convolution_2d_sampler(x, offset, self.W, self.b, self.stride, self.pad)
