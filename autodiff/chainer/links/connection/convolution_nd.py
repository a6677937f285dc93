"""Links of the convolution of images with any number of spatial axes."""

from __future__ import annotations

import inspect
from typing import Any, Self

from autodiff.chainer.functions.connection.convolution_nd import convolution_nd
from autodiff.chainer.link import Link
from autodiff.chainer.links.connection.kernels import channels_and_size, per_group
from autodiff.chainer.links.initial import bias, weight
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.chainer.utils.conv_nd import as_tuple
from autodiff.facade import Variable


class ConvolutionND(Link):
    """The convolution of images (N, in_channels, d_1, ..., d_n) with kernels W, plus a bias b.

    Args:
        ndim: n.
        in_channels: how many channels images have; None, or left out, to learn it from the first ones.
        out_channels: how many channels the results have.
        ksize: size of the kernels: a number, or one for each spatial axis.
        stride: steps between kernel positions.
        pad: width of the zeros around the images.
        nobias: whether b is left out.
        initialW: an initializer, a number or an array of the shape of W; LeCunNormal if None.
        initial_bias: the same for b; zeros if None.
        cover_all: whether kernel positions go on until all elements are covered.
        dilate: steps between elements under the kernel.
        groups: channels and outputs fall into so many groups.

    Attributes:
        W: the kernels (out_channels, in_channels / groups, k_1, ..., k_n).
        b: the bias (out_channels,), or None.

    Raises:
        ValueError: if ``groups`` does not divide the numbers of channels.

    >>> import numpy as np
    >>> ConvolutionND(1, 1, 1, 2, initialW=1.0)(np.arange(4.0, dtype="f").reshape(1, 1, 4))
    variable([[[1., 3., 5.]]])
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
        initialW: Any = None,
        initial_bias: Any = None,
        cover_all: bool = False,
        dilate: Any = 1,
        groups: int = 1,
    ) -> None:
        super().__init__()
        in_channels, out_channels, ksize = channels_and_size(in_channels, out_channels, ksize)
        self.out_channels, self.ksize = out_channels, as_tuple(ksize, ndim)
        self.stride, self.pad, self.cover_all = stride, pad, cover_all
        self.dilate, self.groups = as_tuple(dilate, ndim), int(groups)
        with self.init_scope():
            self.W = weight(initialW)
            if in_channels is not None:
                self._initialize_params(in_channels)
            self.b = None if nobias else bias(initial_bias, out_channels)

    def _initialize_params(self, in_channels: int) -> None:
        inputs = per_group(in_channels, self.groups, "input")
        per_group(self.out_channels, self.groups, "output")
        self.W.initialize((self.out_channels, inputs, *self.ksize))

    @classmethod
    def from_params(
        cls, W: Any, b: Any = None, stride: Any = 1, pad: Any = 0, nobias: bool = False, **kwargs: Any
    ) -> Self:
        """A link with these kernels and this bias, which are copied.

        Args:
            W: kernels (out_channels, in_channels / groups, k_1, ..., k_n).
            b: bias (out_channels,); zeros if None.
            stride: steps between kernel positions.
            pad: width of the zeros around the images.
            nobias: whether the bias is left out.
            kwargs: ``cover_all`` = False, ``dilate`` = 1 and ``groups`` = 1.
        """
        cover_all, dilate, groups = parse_kwargs(kwargs, ("cover_all", False), ("dilate", 1), ("groups", 1))
        out_channels, inputs, *ksize = W.shape
        initial = getattr(W, "array", W), getattr(b, "array", b)
        rank = {"ndim": len(ksize)} if "ndim" in inspect.signature(cls).parameters else {}
        return cls(
            **rank,
            in_channels=inputs * groups,
            out_channels=out_channels,
            ksize=tuple(ksize),
            stride=stride,
            pad=pad,
            nobias=nobias,
            initialW=initial[0],
            initial_bias=initial[1],
            cover_all=cover_all,
            dilate=dilate,
            groups=groups,
        )

    def forward(self, x: Any) -> Variable:
        """The results (N, out_channels, l_1, ..., l_n) for images (N, in_channels, d_1, ..., d_n)."""
        if self.W.array is None:
            self._initialize_params(x.shape[1])
        return convolution_nd(
            x, self.W, self.b, self.stride, self.pad, self.cover_all, dilate=self.dilate, groups=self.groups
        )


class Convolution1D(ConvolutionND):
    """:class:`ConvolutionND` of images (N, in_channels, d)."""

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
        cover_all: bool = False,
        dilate: Any = 1,
        groups: int = 1,
    ) -> None:
        sizes = in_channels, out_channels, ksize, stride, pad
        super().__init__(1, *sizes, nobias, initialW, initial_bias, cover_all, dilate, groups)


class Convolution3D(ConvolutionND):
    """:class:`ConvolutionND` of images (N, in_channels, d_1, d_2, d_3)."""

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
        cover_all: bool = False,
        dilate: Any = 1,
        groups: int = 1,
    ) -> None:
        sizes = in_channels, out_channels, ksize, stride, pad
        super().__init__(3, *sizes, nobias, initialW, initial_bias, cover_all, dilate, groups)
