"""Each pixel laid down in one place of its window."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.connection.convolution_2d import pair
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.pooling.unpooling_2d import size_fits
from autodiff.chainer.functions.pooling.unpooling_nd import cut, unpooled
from autodiff.chainer.functions.shown_attributes import WINDOWS
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.images.windows import lay_in_windows


def upsampling_2d(
    x: Any, indexes: Any, ksize: Any, stride: Any = None, pad: Any = 0, outsize: Any = None, cover_all: bool = True
) -> Variable:
    """Each pixel of x goes to where a maximum was found in its window; the rest is zero, and overlaps are summed.

    Args:
        x: images (N, C, H, W), floats.
        indexes: integers of the same shape: places in the windows, as ``max_pooling_2d(..., return_indices=True)``
            returns them.
        ksize: size of the windows: a number, or a pair.
        stride: steps between windows; by default they stand side by side.
        pad: how much is cut off on both sides.
        outsize: (h, w) of the result, from which a pooling makes those of x.
        cover_all: whether that pooling covers all pixels.

    Returns:
        (N, C, h, w).

    Raises:
        InvalidType: if shapes or dtypes do not fit.

    >>> upsampling_2d(np.array([[[[5.0, 6.0]]]]), np.array([[[[1, 0]]]]), (1, 2), cover_all=False)
    variable([[[[0., 5., 6., 0.]]]])
    """
    shape, pads = pair(ksize), pair(pad)
    steps = shape if stride is None else pair(stride)

    def lay(x: Any) -> Any:
        counts = x.shape[2:]
        sizes = outsize or unpooled(counts, shape, steps, pads, cover_all)
        laid = tuple(s * (n - 1) + k for n, k, s in zip(counts, shape, steps))
        return cut(lay_in_windows(x, indexes, lengths=laid, shape=shape, stride=steps), pads, sizes)

    def fits(*in_types: Any) -> tuple[Any, ...]:
        (x,) = in_types
        sized = size_fits(x, shape, steps, pads, outsize, cover_all)
        return x.dtype.kind == "f", x.ndim == 4, x.shape == np.shape(indexes), *sized

    return apply("Upsampling2D", lay, (x,), check=fits)


Upsampling2D = function_class(
    "Upsampling2D",
    upsampling_2d,
    "indexes, ksize, stride=None, pad=0, outsize=None, cover_all=True",
    computed=WINDOWS,
)
