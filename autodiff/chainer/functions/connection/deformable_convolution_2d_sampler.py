"""Convolution whose kernel looks elsewhere at each place."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.array.spatial_transformer_sampler import spatial_transformer_sampler
from autodiff.chainer.functions.beside import beside
from autodiff.chainer.functions.connection.convolution_2d import pair
from autodiff.facade import Variable, as_variable
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced


def deformable_convolution_2d_sampler(
    x: Any, offset: Any, W: Any, b: Any = None, stride: Any = 1, pad: Any = 0
) -> Variable:
    """A convolution that takes each pixel under the kernel from a place moved by an offset, between pixels.

    Args:
        x: images (N, c_I, h_I, w_I), floats.
        offset: (N, 2 h_K w_K, h_O, w_O): for each place of the kernel the step along x, then for each the step along y.
        W: kernels (c_O, c_I, h_K, w_K).
        b: bias (c_O,).
        stride: steps between kernel positions: a number, or a pair (sy, sx).
        pad: width of the zeros around the images: a number, or a pair (ph, pw).

    Returns:
        (N, c_O, h_O, w_O).

    Raises:
        ValueError: if the offsets do not belong to the kernel.

    J. Dai et al., Deformable Convolutional Networks, 2017.

    >>> x, offset = np.arange(4.0).reshape(1, 1, 2, 2), np.zeros((1, 2, 1, 2))
    >>> deformable_convolution_2d_sampler(x, offset + 0.5, np.ones((1, 1, 1, 1)))
    variable([[[[1.5, 1. ]]]])
    """
    steps, (top, left) = pair(stride), pair(pad)
    outputs, channels, *kernel = W.shape
    if offset.shape[1] != 2 * kernel[0] * kernel[1]:
        raise ValueError(
            f"a kernel of size {tuple(kernel)} needs {2 * kernel[0] * kernel[1]} channels of offsets, got shape "
            f"{offset.shape}{at_user_line()}"
        )
    images, moves, weights = map(differentiable, (x, offset, W))
    padded = np.pad(images, ((0, 0), (0, 0), (top, top), (left, left)))
    grid = sampling_grid(moves, kernel, steps, padded.shape[2:])
    sampled = spatial_transformer_sampler(padded, grid)  # (N, c_I, h_K w_K, h_O w_O)
    count, places = x.shape[0], sampled.shape[3]
    columns = sampled.reshape((count, channels * kernel[0] * kernel[1], places))
    y = np.matmul(weights.reshape((outputs, -1)), columns).reshape((count, outputs, *offset.shape[2:]))
    return y if b is None else y + b.reshape((1, -1, 1, 1))


def differentiable(value: Any) -> Any:
    """A Variable or a traced value as it is, an array as a Variable."""
    return value if isinstance(value, Traced) else as_variable(value)


def sampling_grid(offset: Any, kernel: Any, stride: Any, lengths: tuple[int, ...]) -> Any:
    """The places to look at, as x and y between -1 and 1: (N, 2, h_K w_K, h_O w_O)."""
    count, _, *counts = offset.shape
    size = kernel[0] * kernel[1]
    rows, columns = (np.add.outer(np.arange(k), np.arange(n) * s) for k, n, s in zip(kernel, counts, stride))
    shape = (kernel[0], kernel[1], *counts)
    base = np.stack(
        [
            np.broadcast_to(columns[np.newaxis, :, np.newaxis], shape),
            np.broadcast_to(rows[:, np.newaxis, :, np.newaxis], shape),
        ]
    ).reshape((1, 2, size, -1))
    places = offset.reshape((count, 2, size, -1)) + beside(offset, base.astype(offset.dtype))
    ends = np.array(lengths[::-1]).reshape((1, 2, 1, 1)) - 1
    return places * beside(offset, (2 / ends).astype(offset.dtype)) - 1
