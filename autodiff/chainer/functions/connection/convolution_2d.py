"""Convolution of images."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.connection.convolution_nd import bias_fits, convolution, kernels_fit
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.shown_attributes import always
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.trace.source import at_user_line

DETERMINISTIC = "deterministic= is gone; use chainer.using_config('cudnn_deterministic', value)"


def convolution_2d(
    x: Any, W: Any, b: Any = None, stride: Any = 1, pad: Any = 0, cover_all: bool = False, **kwargs: Any
) -> Variable:
    """y[n, o, i, j] = sum of x[n, c, i sy + k dy - ph, j sx + l dx - pw] W[o, c, k, l] over c, k, l, plus b[o].

    Args:
        x: images (N, c_I, h_I, w_I), floats.
        W: kernels (c_O, c_I / groups, h_K, w_K), floats.
        b: bias (c_O,), of the dtype of x.
        stride: steps between kernel positions: a number, or a pair (sy, sx).
        pad: width of the zeros around the images: a number, or a pair (ph, pw).
        cover_all: whether kernel positions go on until all pixels are covered.
        kwargs: ``dilate`` = 1, steps between pixels under the kernel: a number, or a pair (dy, dx); ``groups`` = 1:
            channels and outputs fall into so many groups, and an output sees the channels of its group.

    Returns:
        (N, c_O, h_O, w_O), of the dtype of x, with h_O = (h_I + 2 ph - h_K - (h_K - 1) (dy - 1)) // sy + 1.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        TypeError: if ``groups`` does not divide the numbers of channels.
        AssertionError: if the kernel does not fit into the padded images.

    >>> import numpy as np
    >>> convolution_2d(np.arange(9.0).reshape(1, 1, 3, 3), np.ones((1, 1, 2, 2)), np.array([0.5]))
    variable([[[[ 8.5, 12.5],
                [20.5, 24.5]]]])
    """
    dilate, groups = parse_kwargs(kwargs, ("dilate", 1), ("groups", 1), deterministic=DETERMINISTIC)
    convolve = convolution(pair(stride), pair(pad), cover_all, pair(dilate), groups)

    def fits(*in_types: Any) -> tuple[Any, ...]:
        return (*kernels_fit(4, groups, *in_types), *bias_has_dtype(*in_types), *bias_fits(*in_types))

    return apply("Convolution2DFunction", convolve, (x, W) if b is None else (x, W, b), check=fits)


def bias_has_dtype(x: Any, W: Any, b: Any = None) -> tuple[Any, ...]:
    """The condition on the dtype of the bias."""
    return () if b is None else (b.dtype == x.dtype,)


def pair(x: Any) -> tuple[Any, Any]:
    """A pair: the given one, or a single thing twice."""
    if not hasattr(x, "__getitem__"):
        return x, x
    if len(x) != 2:
        raise ValueError(f"one number or a pair is needed for two spatial axes, got {x!r}{at_user_line()}")
    first, second = x
    return first, second


PLACES = {
    "sy": lambda self: pair(self.stride)[0],
    "sx": lambda self: pair(self.stride)[1],
    "ph": lambda self: pair(self.pad)[0],
    "pw": lambda self: pair(self.pad)[1],
    "dy": lambda self: pair(self.dilate)[0],
    "dx": lambda self: pair(self.dilate)[1],
}
"""What creators have for each of the two axes."""

Convolution2DFunction = function_class(
    "Convolution2DFunction",
    lambda x, W, b=None, **given: convolution_2d(x, W, b, **given),
    "stride=1, pad=0, cover_all=False, **kwargs",
    computed={**PLACES, "cudnn_fast": always(False)},
)
