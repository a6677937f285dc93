"""The link of the convolution of images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from autodiff.chainer.functions.connection.convolution_2d import DETERMINISTIC, convolution_2d, pair
from autodiff.chainer.link import Link
from autodiff.chainer.links.connection.kernels import channels_and_size, per_group
from autodiff.chainer.links.initial import bias, weight
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade import Variable


class Convolution2D(Link):
    """The convolution of images (N, in_channels, h, w) with kernels W, plus a bias b for each output channel.

    Args:
        in_channels: how many channels images have; None, or left out, to learn it from the first ones.
        out_channels: how many channels the results have.
        ksize: size of the kernels: a number, or a pair.
        stride: steps between kernel positions: a number, or a pair.
        pad: width of the zeros around the images: a number, or a pair.
        nobias: whether b is left out.
        initialW: an initializer, a number or an array of the shape of W; LeCunNormal if None.
        initial_bias: the same for b; zeros if None.
        kwargs: ``dilate`` = 1, steps between pixels under the kernel: a number, or a pair; ``groups`` = 1: channels and
            outputs fall into so many groups, and an output sees the channels of its group.

    Attributes:
        W: the kernels (out_channels, in_channels / groups, h_K, w_K).
        b: the bias (out_channels,), or None.
        x_layout: None, which is NumPy's layout of images.
        cudnn_fast: False: cuDNN is never used.

    Raises:
        ValueError: if ``groups`` does not divide the numbers of channels.

    >>> import numpy as np
    >>> link = Convolution2D(1, 1, 2, initialW=1.0)
    >>> link(np.arange(9.0).reshape(1, 1, 3, 3).astype("f")).array
    array([[[[ 8., 12.],
             [20., 24.]]]], dtype=float32)
    >>> Convolution2D(8, 3).out_channels  # with any number of input channels
    8
    """

    x_layout: None = None
    cudnn_fast = False

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: Any = None,
        stride: Any = 1,
        pad: Any = 0,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        dilate, groups = parse_kwargs(kwargs, ("dilate", 1), ("groups", 1), deterministic=DETERMINISTIC)
        in_channels, out_channels, ksize = channels_and_size(in_channels, out_channels, ksize)
        self.in_channels, self.out_channels, self.ksize = in_channels, out_channels, ksize
        self.stride, self.pad, self.dilate, self.groups = pair(stride), pair(pad), pair(dilate), int(groups)
        with self.init_scope():
            self.W = weight(initialW)
            if in_channels is not None:
                self._initialize_params(in_channels)
            self.b = None if nobias else bias(initial_bias, out_channels)

    def _initialize_params(self, in_channels: int) -> None:
        inputs = per_group(in_channels, self.groups, "input")
        per_group(self.out_channels, self.groups, "output")
        self.W.initialize((self.out_channels, inputs, *pair(self.ksize)))

    @property
    def printable_specs(self) -> Iterator[tuple[str, Any]]:
        for name in ("in_channels", "out_channels", "ksize", "stride", "pad"):
            yield name, getattr(self, name)
        yield "nobias", self.b is None
        yield "dilate", self.dilate
        yield "groups", self.groups

    @classmethod
    def from_params(
        cls, W: Any, b: Any = None, stride: Any = 1, pad: Any = 0, nobias: bool = False, **kwargs: Any
    ) -> Self:
        """A link with these kernels and this bias, which are copied.

        Args:
            W: kernels (out_channels, in_channels / groups, h_K, w_K).
            b: bias (out_channels,); zeros if None.
            stride: steps between kernel positions.
            pad: width of the zeros around the images.
            nobias: whether the bias is left out.
            kwargs: ``dilate`` = 1 and ``groups`` = 1.
        """
        dilate, groups = parse_kwargs(kwargs, ("dilate", 1), ("groups", 1))
        out_channels, inputs, *ksize = W.shape
        initial = getattr(W, "array", W), getattr(b, "array", b)
        return cls(
            inputs * groups, out_channels, tuple(ksize), stride, pad, nobias, *initial, dilate=dilate, groups=groups
        )

    def forward(self, x: Any) -> Variable:
        """The results (N, out_channels, h_O, w_O) for images (N, in_channels, h_I, w_I)."""
        if self.W.array is None:
            self._initialize_params(x.shape[1])
        return convolution_2d(x, self.W, self.b, self.stride, self.pad, dilate=self.dilate, groups=self.groups)
