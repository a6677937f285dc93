"""Grids of an affine transformation."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.beside import beside
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.utils.argument import assert_kwargs_empty, check_unexpected_kwargs
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def spatial_transformer_grid(theta: Any, output_shape: tuple[int, int], **kwargs: Any) -> Variable:
    """Where each pixel of a new image lies in the old one, after an affine transformation.

    Args:
        theta: for each image a matrix of shape (2, 3), which is applied to (x, y, 1); floating-point numbers.
        output_shape: height and width of the new image.
        kwargs: ``use_cudnn`` is gone: use ``using_config("use_cudnn", ...)``.

    Returns:
        an array of shape (batch, 2, height, width): x and y, of which the image covers -1 to 1.

    Raises:
        TypeError: if a keyword is unknown.
        InvalidType: if the shape or the dtype does not fit.

    >>> spatial_transformer_grid(np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), (1, 3)).array[0, 0]
    array([[-1.,  0.,  1.]])
    """
    check_unexpected_kwargs(
        kwargs,
        use_cudnn="use_cudnn= is gone; use chainer.using_config('use_cudnn', value)",
    )
    assert_kwargs_empty(kwargs)
    height, width = output_shape

    def fun(theta: Any) -> Any:
        y, x = np.meshgrid(ends(height), ends(width), indexing="ij")
        places = np.stack((x, y, np.ones_like(x))).astype(theta.dtype)
        return np.tensordot(theta, beside(theta, places), 1)

    return apply(
        "SpatialTransformerGrid",
        fun,
        (theta,),
        lambda theta: (theta.dtype.kind == "f", theta.ndim == 3, theta.shape[1] == 2, theta.shape[2] == 3),
    )


def ends(length: int) -> Any:
    """Numbers from -1 to 1."""
    return np.linspace(-1, 1, length)


SpatialTransformerGrid = function_class(
    "SpatialTransformerGrid",
    spatial_transformer_grid,
    "output_shape",
    called=True,
    computed={"output_shape": lambda self: (self.height, self.width)},
)
