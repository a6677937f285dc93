"""Each element repeated all over its window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.chainer.functions.connection.convolution_nd import check_spatial
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.pooling.max_pooling_nd import pooling_geometry
from autodiff.chainer.utils.conv import get_conv_outsize, get_deconv_outsize
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.images.windows import spread_windows

Lengths = tuple[int, ...]


def unpooling_nd(
    x: Any, ksize: Any, stride: Any = None, pad: Any = 0, outsize: Any = None, cover_all: bool = True
) -> Variable:
    """Each element of x is laid down on its whole window; where windows overlap, it is summed.

    Args:
        x: images (N, C, d_1, ..., d_n), floats.
        ksize: size of the windows: a number, or one for each spatial axis.
        stride: steps between windows; by default they stand side by side.
        pad: how much is cut off on both sides.
        outsize: spatial lengths of the result, from which a pooling makes those of x.
        cover_all: whether that pooling covers all elements.

    Returns:
        (N, C, l_1, ..., l_n).

    Raises:
        InvalidType: if x are no floats, or ``outsize`` does not fit.
        ValueError: if x has no spatial axis.

    >>> unpooling_nd(np.array([[[1.0, 2.0]]]), 2, cover_all=False)
    variable([[[1., 1., 2., 2.]]])
    """
    shape, stride, pad = pooling_geometry(x, ksize, stride, pad)
    sizes = unpooled(x.shape[2:], shape, stride, pad, cover_all) if outsize is None else tuple(outsize)
    counts = tuple(get_conv_outsize(size, k, s, p, cover_all) for size, k, s, p in zip(sizes, shape, stride, pad))
    return apply(
        "UnpoolingND",
        spreading(shape, stride, pad, sizes),
        (x,),
        check=lambda *in_types: (in_types[0].dtype.kind == "f", in_types[0].shape[2:] == counts),
    )


def unpooled(lengths: Lengths, shape: Lengths, stride: Lengths, pad: Lengths, cover_all: bool) -> Lengths:
    """The spatial lengths from which a pooling makes the given ones."""
    return tuple(get_deconv_outsize(n, k, s, p, cover_all) for n, k, s, p in zip(lengths, shape, stride, pad))


def spreading(shape: Lengths, stride: Lengths, pad: Lengths, sizes: Lengths) -> Callable[[Any], Any]:
    """The function of arrays."""

    def spread(x: Any) -> Any:
        laid = tuple(s * (n - 1) + k for n, k, s in zip(x.shape[2:], shape, stride))
        full = spread_windows(x, lengths=laid, shape=shape, stride=stride)
        return cut(full, pad, sizes)

    return spread


def cut(full: Any, pad: Lengths, sizes: Lengths) -> Any:
    """What remains of images without their padding, with zeros where they do not reach."""
    missing = [(0, max(0, p + size - length)) for length, size, p in zip(full.shape[2:], sizes, pad)]
    if any(map(any, missing)):
        full = np.pad(full, ((0, 0), (0, 0), *missing))
    if full.shape[2:] == tuple(sizes) and not any(pad):
        return full
    return full[(slice(None), slice(None), *(slice(p, p + size) for p, size in zip(pad, sizes)))]


def unpooling_1d(
    x: Any, ksize: Any, stride: Any = None, pad: Any = 0, outsize: Any = None, cover_all: bool = True
) -> Variable:
    """:func:`unpooling_nd` of images with one spatial axis.

    Raises:
        ValueError: if the images have more or fewer.
    """
    check_spatial(x, 1)
    return unpooling_nd(x, ksize, stride, pad, outsize, cover_all)


def unpooling_3d(
    x: Any, ksize: Any, stride: Any = None, pad: Any = 0, outsize: Any = None, cover_all: bool = True
) -> Variable:
    """:func:`unpooling_nd` of images with three spatial axes.

    Raises:
        ValueError: if the images have more or fewer.
    """
    check_spatial(x, 3)
    return unpooling_nd(x, ksize, stride, pad, outsize, cover_all)


UnpoolingND = function_class(
    "UnpoolingND",
    lambda x, ndim, **given: unpooling_nd(x, **given),
    "ndim, ksize, stride=None, pad=0, outsize=None, cover_all=True",
    computed={"ksize": lambda self: self.shape},
)
