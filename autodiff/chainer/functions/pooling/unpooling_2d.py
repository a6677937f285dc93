"""Each pixel repeated all over its window."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.connection.convolution_2d import pair
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.pooling.unpooling_nd import spreading, unpooled
from autodiff.chainer.functions.shown_attributes import WINDOWS
from autodiff.chainer.utils.conv import get_conv_outsize
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def unpooling_2d(
    x: Any, ksize: Any, stride: Any = None, pad: Any = 0, outsize: Any = None, cover_all: bool = True
) -> Variable:
    """Each pixel of x is laid down on its whole window; where windows overlap, it is summed.

    Args:
        x: images (N, C, H, W), floats.
        ksize: size of the windows: a number, or a pair.
        stride: steps between windows; by default they stand side by side.
        pad: how much is cut off on both sides.
        outsize: (h, w) of the result, from which a pooling makes those of x.
        cover_all: whether that pooling covers all pixels.

    Returns:
        (N, C, h, w).

    Raises:
        InvalidType: if x is no array of floats with four axes, or ``outsize`` does not fit.

    >>> import numpy as np
    >>> unpooling_2d(np.array([[[[1.0, 2.0]]]]), (1, 2), cover_all=False)
    variable([[[[1., 1., 2., 2.]]]])
    """
    shape, pads = pair(ksize), pair(pad)
    steps = shape if stride is None else pair(stride)

    def spread(x: Any) -> Any:
        sizes = outsize or unpooled(x.shape[2:], shape, steps, pads, cover_all)
        return spreading(shape, steps, pads, sizes)(x)

    def fits(*in_types: Any) -> tuple[Any, ...]:
        (x,) = in_types
        return x.dtype.kind == "f", x.ndim == 4, *size_fits(x, shape, steps, pads, outsize, cover_all)

    return apply("Unpooling2D", spread, (x,), check=fits)


def size_fits(x: Any, shape: Any, stride: Any, pad: Any, outsize: Any, cover_all: bool) -> tuple[Any, ...]:
    """The conditions on a given size: a pooling of it has as many windows as x."""
    if outsize is None:
        return ()
    return tuple(
        x.shape[axis] == get_conv_outsize(size, k, s, p, cover_all)
        for axis, (size, k, s, p) in enumerate(zip(outsize, shape, stride, pad), 2)
    )


Unpooling2D = function_class(
    "Unpooling2D",
    unpooling_2d,
    "ksize, stride=None, pad=0, outsize=None, cover_all=True",
    computed=WINDOWS,
)
