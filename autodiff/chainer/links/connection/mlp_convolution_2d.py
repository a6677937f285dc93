"""The link of the small network at each place of images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from autodiff.chainer.chain_list import ChainList
from autodiff.chainer.functions.activation.relu import relu
from autodiff.chainer.links.connection.convolution_2d import Convolution2D
from autodiff.chainer.links.connection.kernels import channels_and_size
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade import Variable
from autodiff.trace.source import at_user_line

WSCALE = "wscale= is gone; use conv_init= and bias_init= to fill the parameters at first"


class MLPConvolution2D(ChainList):
    """A convolution, and convolutions with kernels of one pixel behind it, with an activation between them.

    Args:
        in_channels: how many channels images have; None, or left out, to learn it from the first ones.
        out_channels: how many channels the results of each convolution have, a tuple.
        ksize: size of the kernels of the first convolution: a number, or a pair.
        stride: its steps between kernel positions.
        pad: its width of the zeros around the images.
        activation: the function between the convolutions.
        kwargs: ``conv_init`` = None and ``bias_init`` = None: what fills kernels and biases, as for
            :class:`Convolution2D`.

    Raises:
        ValueError: for ``wscale``, which is gone.
        TypeError: for more arguments by position, or unknown keywords.

    Source: M. Lin, Q. Chen and S. Yan, Network in Network, 2013.

    >>> import numpy as np
    >>> MLPConvolution2D(1, (2, 1), 2, conv_init=1.0)(np.ones((1, 1, 2, 2), np.float32))
    variable([[[[8.]]]])
    """

    def __init__(
        self,
        in_channels: Any,
        out_channels: Any,
        ksize: Any = None,
        stride: Any = 1,
        pad: Any = 0,
        activation: Callable[..., Any] = relu,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if args:
            raise TypeError(f"{WSCALE}{at_user_line()}; there is no argument behind activation by position")
        conv_init, bias_init = parse_kwargs(kwargs, ("conv_init", None), ("bias_init", None), wscale=WSCALE)
        in_channels, out_channels, ksize = channels_and_size(in_channels, out_channels, ksize)
        initial = {"initialW": conv_init, "initial_bias": bias_init}
        super().__init__(
            Convolution2D(in_channels, out_channels[0], ksize, stride, pad, **initial),
            *one_pixel_each(out_channels, initial),
        )
        self.activation = activation

    def forward(self, x: Any) -> Variable:
        """The results (N, out_channels[-1], h_O, w_O) for images (N, in_channels, h_I, w_I)."""
        for layer in self[:-1]:
            x = self.activation(layer(x))
        return self[-1](x)  # type: ignore[no-any-return]


def one_pixel_each(channels: Sequence[int], initial: dict[str, Any]) -> list[Convolution2D]:
    """Convolutions with kernels of one pixel from each number of channels to the next."""
    return [Convolution2D(before, after, 1, **initial) for before, after in pairwise(channels)]
