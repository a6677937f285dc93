"""Transposed convolution of images with any number of spatial axes."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.connection.convolution_nd import check_groups, check_spatial, finished
from autodiff.chainer.functions.function_class import function_class, shape_of_result
from autodiff.chainer.functions.shown_attributes import always
from autodiff.chainer.utils.conv import get_conv_outsize, get_deconv_outsize
from autodiff.chainer.utils.conv_nd import as_tuple
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.images.windows import transposed_convolve_nd
from autodiff.trace.source import at_user_line


def deconvolution_nd(
    x: Any,
    W: Any,
    b: Any = None,
    stride: Any = 1,
    pad: Any = 0,
    outsize: Any = None,
    dilate: Any = 1,
    groups: int = 1,
) -> Variable:
    """Each pixel of x lays down a kernel: the transpose of a convolution by its images, plus b.

    Args:
        x: images (N, c_I, d_1, ..., d_n), floats.
        W: kernels (c_I, c_O / groups, k_1, ..., k_n), floats.
        b: bias (c_O,).
        stride: steps between the kernels: a number, or one for each spatial axis.
        pad: how much is cut off on both sides.
        outsize: spatial lengths of the result; by default s (d - 1) + k - 2 p.
        dilate: steps between elements of a kernel.
        groups: channels and outputs fall into so many groups.

    Returns:
        (N, c_O, l_1, ..., l_n), of the dtype of x.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        TypeError: if ``groups`` does not divide the numbers of channels.
        AssertionError: if nothing would be left.

    >>> import numpy as np
    >>> deconvolution_nd(np.ones((1, 1, 2)), np.array([[[1.0, 2.0, 3.0]]]), stride=2)
    variable([[[1., 2., 4., 2., 3.]]])
    """
    rank = x.ndim - 2
    stride, pad, dilate = (as_tuple(given, rank) for given in (stride, pad, dilate))
    outsize = None if outsize is None else as_tuple(outsize, rank)

    def fits(*in_types: Any) -> tuple[Any, ...]:
        conditions = kernels_fit(rank + 2, *in_types)
        return (
            *conditions,
            *size_fits(in_types[0], in_types[1], outsize, stride, pad, dilate),
            *bias_fits(groups, *in_types),
        )

    deconvolve = deconvolution(stride, pad, outsize, dilate, groups)
    return apply("DeconvolutionND", deconvolve, (x, W) if b is None else (x, W, b), check=fits)


def kernels_fit(ndim: int, x: Any, W: Any, b: Any = None) -> tuple[Any, ...]:
    """The conditions on images and kernels."""
    return x.dtype.kind == "f", W.dtype.kind == "f", x.ndim == ndim, W.ndim == ndim, x.shape[1] == W.shape[0]


def size_fits(x: Any, W: Any, outsize: Any, stride: Any, pad: Any, dilate: Any) -> tuple[Any, ...]:
    """The conditions on a given size: a convolution of it, covering all or not, has as many windows as x."""
    conditions: list[Any] = []
    for axis, (size, s, p, d) in enumerate(zip(outsize or (), stride, pad, dilate), 2):
        least, most = (get_conv_outsize(size, W.shape[axis], s, p, covering, d) for covering in (False, True))
        conditions += [least <= x.shape[axis], x.shape[axis] <= most]
    return tuple(conditions)


def bias_fits(groups: int, x: Any, W: Any, b: Any = None) -> tuple[Any, ...]:
    """The conditions on the bias."""
    return () if b is None else (b.dtype.kind == "f", b.ndim == 1, b.shape[0] == W.shape[1] * groups)


def deconvolution(stride: Any, pad: Any, outsize: Any, dilate: Any, groups: int) -> Any:
    """The function of arrays."""

    def deconvolve(x: Any, W: Any, *b: Any) -> Any:
        check_groups(groups, W.shape[1] * groups, x.shape[1])
        counts, kernel = x.shape[2:], W.shape[2:]
        sizes = outsize or tuple(map(get_deconv_outsize, counts, kernel, stride, pad, (False,) * len(pad), dilate))
        if min(sizes) <= 0:
            raise AssertionError(nothing_left(sizes))
        widths = tuple(
            (p, max(0, s * (n - 1) + d * (k - 1) + 1 - size - p))
            for n, k, s, p, d, size in zip(counts, kernel, stride, pad, dilate, sizes)
        )
        y = transposed_convolve_nd(x, W, stride=stride, padding=widths, dilation=dilate, groups=groups, lengths=sizes)
        return finished(y, b, x.dtype)

    return deconvolve


def nothing_left(sizes: tuple[int, ...]) -> str:
    """What is said where padding takes everything."""
    return f"the result would have size {sizes}{at_user_line()}; choose a smaller pad"


def deconvolution_1d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: Any = 1,
    pad: Any = 0,
    outsize: Any = None,
    dilate: Any = 1,
    groups: int = 1,
) -> Variable:
    """:func:`deconvolution_nd` of images with one spatial axis.

    Raises:
        ValueError: if the images have more or fewer.
    """
    check_spatial(x, 1)
    return deconvolution_nd(x, W, b, stride, pad, outsize, dilate, groups)


def deconvolution_3d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: Any = 1,
    pad: Any = 0,
    outsize: Any = None,
    dilate: Any = 1,
    groups: int = 1,
) -> Variable:
    """:func:`deconvolution_nd` of images with three spatial axes.

    Raises:
        ValueError: if the images have more or fewer.
    """
    check_spatial(x, 3)
    return deconvolution_nd(x, W, b, stride, pad, outsize, dilate, groups)


DeconvolutionND = function_class(
    "DeconvolutionND",
    lambda x, W, b=None, ndim=None, **given: deconvolution_nd(x, W, b, **given),
    "ndim, stride=1, pad=0, outsize=None, dilate=1, groups=1",
    computed={
        "ndim": lambda self: len(self.stride),
        "outs": lambda self: shape_of_result(self)[2:],
        "cover_all": always(False),
    },
)
