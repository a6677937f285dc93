"""The link of the transposed convolution of images."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.connection.convolution_2d import DETERMINISTIC, pair
from autodiff.chainer.functions.connection.deconvolution_2d import deconvolution_2d
from autodiff.chainer.link import Link
from autodiff.chainer.links.connection.kernels import channels_and_size, per_group
from autodiff.chainer.links.initial import bias, weight
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade import Variable


class Deconvolution2D(Link):
    """The transposed convolution: each pixel of images (N, in_channels, h, w) lays down a kernel of W, plus a bias b.

    Args:
        in_channels: how many channels images have; None, or left out, to learn it from the first ones.
        out_channels: how many channels the results have.
        ksize: size of the kernels: a number, or a pair.
        stride: steps between the kernels: a number, or a pair.
        pad: how much is cut off on both sides: a number, or a pair.
        nobias: whether b is left out.
        outsize: (h_O, w_O) of the results; by default h_O = sy (h - 1) + h_K + (h_K - 1) (dy - 1) - 2 ph.
        initialW: an initializer, a number or an array of the shape of W; LeCunNormal if None.
        initial_bias: the same for b; zeros if None.
        kwargs: ``dilate`` = 1, steps between pixels of a kernel: a number, or a pair; ``groups`` = 1: channels and
            outputs fall into so many groups.

    Attributes:
        W: the kernels (in_channels, out_channels / groups, h_K, w_K).
        b: the bias (out_channels,), or None.

    Raises:
        ValueError: if ``groups`` does not divide the numbers of channels.

    >>> import numpy as np
    >>> Deconvolution2D(1, 1, 2, initialW=1.0)(np.array([[[[1.0, 2.0]]]], np.float32))
    variable([[[[1., 3., 2.],
                [1., 3., 2.]]]])
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: Any = None,
        stride: Any = 1,
        pad: Any = 0,
        nobias: bool = False,
        outsize: Any = None,
        initialW: Any = None,
        initial_bias: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        dilate, groups = parse_kwargs(kwargs, ("dilate", 1), ("groups", 1), deterministic=DETERMINISTIC)
        in_channels, out_channels, ksize = channels_and_size(in_channels, out_channels, ksize)
        self.out_channels, self.ksize = out_channels, ksize
        self.stride, self.pad, self.dilate, self.groups = pair(stride), pair(pad), pair(dilate), int(groups)
        self.outsize = (None, None) if outsize is None else outsize
        with self.init_scope():
            self.W = weight(initialW)
            if in_channels is not None:
                self._initialize_params(in_channels)
            self.b = None if nobias else bias(initial_bias, out_channels)

    def _initialize_params(self, in_channels: int) -> None:
        per_group(in_channels, self.groups, "input")
        outputs = per_group(self.out_channels, self.groups, "output")
        self.W.initialize((in_channels, outputs, *pair(self.ksize)))

    def forward(self, x: Any) -> Variable:
        """The results (N, out_channels, h_O, w_O) for images (N, in_channels, h_I, w_I)."""
        if self.W.array is None:
            self._initialize_params(x.shape[1])
        outsize = None if self.outsize == (None, None) else self.outsize
        return deconvolution_2d(
            x, self.W, self.b, self.stride, self.pad, outsize, dilate=self.dilate, groups=self.groups
        )
