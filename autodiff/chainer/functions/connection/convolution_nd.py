"""Convolution of images with any number of spatial axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.utils.conv import get_conv_outsize
from autodiff.chainer.utils.conv_nd import as_tuple
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.images.windows import convolve_nd
from autodiff.ops.shape import reshape
from autodiff.trace.source import at_user_line


def convolution_nd(
    x: Any,
    W: Any,
    b: Any = None,
    stride: Any = 1,
    pad: Any = 0,
    cover_all: bool = False,
    dilate: Any = 1,
    groups: int = 1,
) -> Variable:
    """y[n, o, p] = sum of x[n, c, p stride + k dilate - pad] W[o, c, k] over channels c and places k, plus b[o].

    Args:
        x: images (N, c_I, d_1, ..., d_n), floats.
        W: kernels (c_O, c_I / groups, k_1, ..., k_n), floats.
        b: bias (c_O,).
        stride: steps between kernel positions: a number, or one for each spatial axis.
        pad: width of the zeros around the images.
        cover_all: whether kernel positions go on until all elements are covered.
        dilate: steps between elements under the kernel.
        groups: channels and outputs fall into so many groups; an output sees the channels of its group.

    Returns:
        (N, c_O, l_1, ..., l_n), of the dtype of x.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        TypeError: if ``groups`` does not divide the numbers of channels.
        AssertionError: if the kernel does not fit into the padded images.

    >>> import numpy as np
    >>> convolution_nd(np.arange(4.0).reshape(1, 1, 4), np.ones((1, 1, 2)))
    variable([[[1., 3., 5.]]])
    """
    rank = x.ndim - 2
    stride, pad, dilate = (as_tuple(given, rank) for given in (stride, pad, dilate))
    convolve = convolution(stride, pad, cover_all, dilate, groups)

    def fits(*in_types: Any) -> tuple[Any, ...]:
        return (*kernels_fit(rank + 2, groups, *in_types), *bias_fits(*in_types))

    return apply("ConvolutionND", convolve, (x, W) if b is None else (x, W, b), check=fits)


def kernels_fit(ndim: int, groups: int, x: Any, W: Any, b: Any = None) -> tuple[Any, ...]:
    """The conditions on images and kernels."""
    return (
        x.dtype.kind == "f",
        W.dtype.kind == "f",
        x.ndim == ndim,
        W.ndim == ndim,
        x.shape[1] == W.shape[1] * groups,
    )


def bias_fits(x: Any, W: Any, b: Any = None) -> tuple[Any, ...]:
    """The conditions on the bias."""
    return () if b is None else (b.dtype.kind == "f", b.ndim == 1, b.shape[0] == W.shape[0])


def convolution(stride: Any, pad: Any, cover_all: bool, dilate: Any, groups: int) -> Any:
    """The function of arrays."""

    def convolve(x: Any, W: Any, *b: Any) -> Any:
        check_groups(groups, x.shape[1], W.shape[0])
        widths = paddings(x.shape[2:], W.shape[2:], stride, pad, cover_all, dilate)
        y = convolve_nd(x, W, stride=stride, padding=widths, dilation=dilate, groups=groups)
        return finished(y, b, x.dtype)

    return convolve


def finished(y: Any, b: Any, dtype: Any) -> Any:
    """A result with its bias, if there is one, in its dtype."""
    if b:
        y = y + reshape(b[0], shape=(b[0].shape[0], *(1,) * (len(y.shape) - 2)))
    return y if y.dtype == dtype else y.astype(dtype)


def paddings(
    lengths: Any, kernel: Any, stride: Any, pad: Any, cover_all: bool, dilate: Any
) -> tuple[tuple[int, int], ...]:
    """For each spatial axis, the widths of the padding before and after, such that the last window just fits.

    Raises:
        ValueError: if sizes or steps are no whole numbers, or too small.
        AssertionError: if no window fits.
    """
    for name, numbers, least in (("ksize", kernel, 1), ("stride", stride, 1), ("pad", pad, 0), ("dilate", dilate, 1)):
        check_whole(name, numbers, least)
    widths = []
    for axis, (length, k, s, p, d) in enumerate(zip(lengths, kernel, stride, pad, dilate)):
        count = get_conv_outsize(length, k, s, p, cover_all, d)
        if count <= 0:
            raise AssertionError(no_output(axis, lengths, kernel))
        widths.append((p, max(0, s * (count - 1) + d * (k - 1) + 1 - length - p)))
    return tuple(widths)


def check_whole(name: str, numbers: Any, least: int) -> None:
    """See that sizes or steps of windows are whole numbers that are large enough.

    Raises:
        ValueError: if they are not.
    """
    if not all(isinstance(number, (int, np.integer)) and number >= least for number in numbers):
        raise ValueError(f"{name} must be whole numbers of at least {least}, got {tuple(numbers)}{at_user_line()}")


def no_output(axis: int, lengths: Any, kernel: Any) -> str:
    """What is said where windows do not fit."""
    return (
        f"windows of size {tuple(kernel)} do not fit into images of size {tuple(lengths)}, along axis {axis}"
        f"{at_user_line()}; pad the images, or make the windows smaller"
    )


def check_groups(groups: int, channels: int, outputs: int) -> None:
    """See that channels can be divided into groups.

    Raises:
        TypeError: if they cannot.
    """
    for number, name in ((outputs, "output"), (channels, "input")):
        if number % groups:
            raise TypeError(f"groups={groups} does not divide the {number} {name} channels{at_user_line()}")


def convolution_1d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: Any = 1,
    pad: Any = 0,
    cover_all: bool = False,
    dilate: Any = 1,
    groups: int = 1,
) -> Variable:
    """:func:`convolution_nd` of images with one spatial axis.

    Raises:
        ValueError: if the images have more or fewer.
    """
    check_spatial(x, 1)
    return convolution_nd(x, W, b, stride, pad, cover_all, dilate, groups)


def convolution_3d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: Any = 1,
    pad: Any = 0,
    cover_all: bool = False,
    dilate: Any = 1,
    groups: int = 1,
) -> Variable:
    """:func:`convolution_nd` of images with three spatial axes.

    Raises:
        ValueError: if the images have more or fewer.
    """
    check_spatial(x, 3)
    return convolution_nd(x, W, b, stride, pad, cover_all, dilate, groups)


def check_spatial(x: Any, rank: int) -> None:
    """See that images have so many spatial axes.

    Raises:
        ValueError: if they have not.
    """
    if x.ndim - 2 != rank:
        raise ValueError(f"x must have {rank} spatial axes behind (N, C), got shape {x.shape}{at_user_line()}")


ConvolutionND = function_class(
    "ConvolutionND",
    lambda x, W, b=None, ndim=None, **given: convolution_nd(x, W, b, **given),
    "ndim, stride=1, pad=0, cover_all=False, dilate=1, groups=1",
    computed={"ndim": lambda self: len(self.stride)},
)
