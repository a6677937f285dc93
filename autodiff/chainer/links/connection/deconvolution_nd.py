"""Links of the transposed convolution of images with any number of spatial axes."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.connection.deconvolution_nd import deconvolution_nd
from autodiff.chainer.link import Link
from autodiff.chainer.links.connection.kernels import channels_and_size, per_group
from autodiff.chainer.links.initial import bias, weight
from autodiff.chainer.utils.conv_nd import as_tuple
from autodiff.facade import Variable


class DeconvolutionND(Link):
    """The transposed convolution: each element of images (N, in_channels, d_1, ..., d_n) lays down a kernel of W.

    Args:
        ndim: n.
        in_channels: how many channels images have; None, or left out, to learn it from the first ones.
        out_channels: how many channels the results have.
        ksize: size of the kernels: a number, or one for each spatial axis.
        stride: steps between the kernels.
        pad: how much is cut off on both sides.
        nobias: whether the bias is left out.
        outsize: spatial lengths of the results; by default s (d - 1) + k - 2 p.
        initialW: an initializer, a number or an array of the shape of W; LeCunNormal if None.
        initial_bias: the same for the bias; zeros if None.
        dilate: steps between elements of a kernel.
        groups: channels and outputs fall into so many groups.

    Attributes:
        W: the kernels (in_channels, out_channels / groups, k_1, ..., k_n).
        b: the bias (out_channels,), or None.

    Raises:
        ValueError: if ``groups`` does not divide the numbers of channels.

    >>> import numpy as np
    >>> DeconvolutionND(1, 1, 1, 2, stride=2, initialW=1.0)(np.array([[[1.0, 2.0]]], np.float32))
    variable([[[1., 1., 2., 2.]]])
    """

    def __init__(
        self,
        ndim: int,
        in_channels: int | None,
        out_channels: int,
        ksize: Any = None,
        stride: Any = 1,
        pad: Any = 0,
        nobias: bool = False,
        outsize: Any = None,
        initialW: Any = None,
        initial_bias: Any = None,
        dilate: Any = 1,
        groups: int = 1,
    ) -> None:
        super().__init__()
        in_channels, out_channels, ksize = channels_and_size(in_channels, out_channels, ksize)
        self.out_channels, self.ksize = out_channels, as_tuple(ksize, ndim)
        self.stride, self.pad, self.outsize = stride, pad, outsize
        self.dilate, self.groups = as_tuple(dilate, ndim), int(groups)
        with self.init_scope():
            self.W = weight(initialW)
            if in_channels is not None:
                self._initialize_params(in_channels)
            self.b = None if nobias else bias(initial_bias, out_channels)

    def _initialize_params(self, in_channels: int) -> None:
        per_group(in_channels, self.groups, "input")
        outputs = per_group(self.out_channels, self.groups, "output")
        self.W.initialize((in_channels, outputs, *self.ksize))

    def forward(self, x: Any) -> Variable:
        """The results (N, out_channels, l_1, ..., l_n) for images (N, in_channels, d_1, ..., d_n)."""
        if self.W.array is None:
            self._initialize_params(x.shape[1])
        return deconvolution_nd(
            x, self.W, self.b, self.stride, self.pad, self.outsize, dilate=self.dilate, groups=self.groups
        )


class Deconvolution1D(DeconvolutionND):
    """:class:`DeconvolutionND` of images (N, in_channels, d)."""

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: Any,
        stride: Any = 1,
        pad: Any = 0,
        nobias: bool = False,
        outsize: Any = None,
        initialW: Any = None,
        initial_bias: Any = None,
        dilate: Any = 1,
        groups: int = 1,
    ) -> None:
        sizes = in_channels, out_channels, ksize, stride, pad
        super().__init__(1, *sizes, nobias, outsize, initialW, initial_bias, dilate, groups)


class Deconvolution3D(DeconvolutionND):
    """:class:`DeconvolutionND` of images (N, in_channels, d_1, d_2, d_3)."""

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: Any,
        stride: Any = 1,
        pad: Any = 0,
        nobias: bool = False,
        outsize: Any = None,
        initialW: Any = None,
        initial_bias: Any = None,
        dilate: Any = 1,
        groups: int = 1,
    ) -> None:
        sizes = in_channels, out_channels, ksize, stride, pad
        super().__init__(3, *sizes, nobias, outsize, initialW, initial_bias, dilate, groups)
