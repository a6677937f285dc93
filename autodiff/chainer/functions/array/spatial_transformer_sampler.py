"""Images sampled at places between their pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.utils.argument import assert_kwargs_empty, check_unexpected_kwargs
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable
from autodiff.ops.elementwise import cast
from autodiff.transforms.stop_gradient import stop_gradient


def spatial_transformer_sampler(x: Any, grid: Any, **kwargs: Any) -> Variable:
    """Mixtures of the four pixels around each place; outside of an image there are zeros.

    Args:
        x: images, floating-point numbers of shape (batch, channels, height, width).
        grid: x and y of each place, of shape (batch, 2, new height, new width); the image covers -1 to 1.
        kwargs: ``use_cudnn`` is gone: use ``using_config("use_cudnn", ...)``.

    Returns:
        images of shape (batch, channels, new height, new width).

    Raises:
        TypeError: if a keyword is unknown.
        InvalidType: if shapes or dtypes do not fit.

    >>> places = np.array([[[[0.0]], [[0.0]]]])
    >>> spatial_transformer_sampler(np.array([[[[0.0, 2.0], [4.0, 6.0]]]]), places)
    variable([[[[3.]]]])
    """
    check_unexpected_kwargs(
        kwargs,
        use_cudnn="use_cudnn= is gone; use chainer.using_config('use_cudnn', value)",
    )
    assert_kwargs_empty(kwargs)
    return apply("SpatialTransformerSampler", sampled, (x, grid), fitting)


def sampled(x: Any, grid: Any) -> Any:
    """The four pixels around each place, each with its share."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    along_y, along_x = (shares(grid[:, 1 - k], x.shape[k + 2]) for k in range(2))
    image = get_array_module(x).arange(x.shape[0])[:, None, None]
    return sum(padded[image, :, i, j].transpose(0, 3, 1, 2) * (p * q)[:, None] for i, p in along_y for j, q in along_x)


def shares(places: Any, length: int) -> Any:
    """The pixels before and after each place, counted with the margin, and their shares."""
    position = np.clip((places + 1) * ((length - 1) / 2), -1, length) + 1
    before = np.minimum(np.floor(as_array(stop_gradient(position))), length)
    share = position - before
    index = cast(before, dtype=np.intp)
    return (index, 1 - share), (index + 1, share)


def fitting(*in_types: Any) -> tuple[Any, ...]:
    """Whether images and places are of one batch and dtype."""
    x, grid = in_types
    return (
        x.dtype.kind == "f",
        grid.dtype.kind == "f",
        grid.dtype == x.dtype,
        x.ndim == 4,
        grid.ndim == 4,
        grid.shape[1] == 2,
        x.shape[0] == grid.shape[0],
    )


SpatialTransformerSampler = function_class("SpatialTransformerSampler", spatial_transformer_sampler, called=True)
