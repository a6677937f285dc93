"""Convolution whose kernel is another one at each place."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from autodiff.chainer.functions.connection.convolution_2d import PLACES, pair
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.images.windows import windows
from autodiff.trace.source import at_user_line


def local_convolution_2d(x: Any, W: Any, b: Any = None, stride: Any = 1) -> Variable:
    """y[n, o, i, j] = sum of x[n, c, i sy + k, j sx + l] W[o, i, j, c, k, l] over c, k, l, plus b[o, i, j].

    Args:
        x: images (N, c_I, h_I, w_I), floats.
        W: kernels (c_O, h_O, w_O, c_I, h_K, w_K), floats.
        b: bias (c_O, h_O, w_O), of the dtype of x.
        stride: steps between kernel positions: a number, or a pair (sy, sx).

    Returns:
        (N, c_O, h_O, w_O), of the dtype of x.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        ValueError: if the kernels reach beyond the images.

    >>> local_convolution_2d(np.ones((1, 1, 1, 3)), np.arange(3.0).reshape(1, 1, 3, 1, 1, 1))
    variable([[[[0., 1., 2.]]]])
    """
    steps = pair(stride)

    def convolve(x: Any, W: Any, *b: Any) -> Any:
        outputs, height, width, *kernel = W.shape
        ends = [s * (n - 1) + k for s, n, k in zip(steps, (height, width), kernel[1:])]
        if ends[0] > x.shape[2] or ends[1] > x.shape[3]:
            raise ValueError(
                f"{height} times {width} kernels of size {tuple(kernel[1:])} reach beyond images of size "
                f"{x.shape[2:]}{at_user_line()}; the images must be at least {tuple(ends)}"
            )
        taken = windows(x[:, :, : ends[0], : ends[1]], shape=tuple(kernel[1:]), stride=steps, dilation=(1, 1))
        columns = taken.transpose(2, 3, 0, 1, 4, 5).reshape((height, width, x.shape[0], prod(kernel)))
        kernels = W.transpose(1, 2, 3, 4, 5, 0).reshape((height, width, prod(kernel), outputs))
        y = np.matmul(columns, kernels).transpose(2, 3, 0, 1)
        y = y if y.dtype == x.dtype else y.astype(x.dtype)
        return y + b[0] if b else y

    return apply("LocalConvolution2DFunction", convolve, (x, W) if b is None else (x, W, b), check=fits)


def fits(*in_types: Any) -> tuple[Any, ...]:
    """The conditions on shapes and dtypes."""
    x, W, *b = in_types
    conditions = x.dtype.kind == "f", W.dtype.kind == "f", x.ndim == 4, W.ndim == 6, x.shape[1] == W.shape[3]
    bias = (b[0].dtype == x.dtype, b[0].ndim == 3, b[0].shape == W.shape[:3]) if b else ()
    return (*conditions, *bias)


LocalConvolution2DFunction = function_class(
    "LocalConvolution2DFunction",
    lambda x, W, b=None, stride=1: local_convolution_2d(x, W, b, stride),
    "stride=1",
    computed={"sy": PLACES["sy"], "sx": PLACES["sx"]},
)
