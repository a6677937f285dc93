"""The largest element under each window."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.connection.convolution_nd import check_spatial, paddings
from autodiff.chainer.functions.function_class import function_class, inputs_of
from autodiff.chainer.functions.shown_attributes import always
from autodiff.chainer.utils.conv_nd import as_tuple
from autodiff.facade import Variable, as_array
from autodiff.facade.graph.applying import apply
from autodiff.facade.graph.observing import unwatched
from autodiff.facade.settings.mode import no_backprop_mode
from autodiff.ops.images.windows import first_positions, max_windows
from autodiff.trace.source import at_user_line


def max_pooling_nd(
    x: Any, ksize: Any, stride: Any = None, pad: Any = 0, cover_all: bool = True, return_indices: bool = False
) -> Any:
    """y[n, c, p] = the largest x[n, c, p stride + k - pad] over places k of the window; padding is never chosen.

    Args:
        x: images (N, C, d_1, ..., d_n), floats.
        ksize: size of the windows: a number, or one for each spatial axis.
        stride: steps between windows; by default they stand side by side.
        pad: width of the border, which is minus infinity.
        cover_all: whether windows go on beyond the end until all elements are covered.
        return_indices: whether to return the places of the largest elements too.

    Returns:
        (N, C, l_1, ..., l_n); with ``return_indices`` also an integer array of that shape: for each window the place
        in it, in C order. Of equal elements the first one has the derivative.

    Raises:
        InvalidType: if x are no floats.
        ValueError: if x has no spatial axis.

    >>> max_pooling_nd(np.array([[[1.0, 3.0, 2.0]]]), 2)
    variable([[[3., 2.]]])
    """
    shape, stride, pad = pooling_geometry(x, ksize, stride, pad)

    def padded(x: Any) -> Any:
        widths = paddings(x.shape[2:], shape, stride, pad, cover_all, (1,) * len(shape))
        if not any(map(any, widths)):
            return x
        return np.pad(x, ((0, 0), (0, 0), *widths), constant_values=-np.inf)

    y = apply(
        "MaxPoolingND",
        lambda x: max_windows(padded(x), shape=shape, stride=stride),
        (x,),
        check=lambda *in_types: in_types[0].dtype.kind == "f",
    )
    if not return_indices:
        return y
    largest = y.array if isinstance(y, Variable) else y
    places = first_positions(padded(x.array if isinstance(x, Variable) else x), largest, shape=shape, stride=stride)
    return y, places.astype(np.intp)


def pooling_geometry(x: Any, ksize: Any, stride: Any, pad: Any) -> tuple[tuple[int, ...], ...]:
    """Size, steps and padding of windows, a number for each spatial axis.

    Raises:
        ValueError: if there is no spatial axis.
    """
    rank = x.ndim - 2
    if rank < 1:
        raise ValueError(f"pooling needs at least one spatial axis behind (N, C), got shape {x.shape}{at_user_line()}")
    shape = as_tuple(ksize, rank)
    return shape, shape if stride is None else as_tuple(stride, rank), as_tuple(pad, rank)


def max_pooling_1d(
    x: Any, ksize: Any, stride: Any = None, pad: Any = 0, cover_all: bool = True, return_indices: bool = False
) -> Any:
    """:func:`max_pooling_nd` of images with one spatial axis.

    Raises:
        ValueError: if the images have more or fewer.
    """
    check_spatial(x, 1)
    return max_pooling_nd(x, ksize, stride, pad, cover_all, return_indices)


def max_pooling_2d(
    x: Any, ksize: Any, stride: Any = None, pad: Any = 0, cover_all: bool = True, return_indices: bool = False
) -> Any:
    """:func:`max_pooling_nd` of images with two spatial axes.

    Raises:
        ValueError: if the images have more or fewer.

    >>> max_pooling_2d(np.arange(9.0).reshape(1, 1, 3, 3), 2)
    variable([[[[4., 5.],
                [7., 8.]]]])
    """
    check_spatial(x, 2)
    return max_pooling_nd(x, ksize, stride, pad, cover_all, return_indices)


def max_pooling_3d(
    x: Any, ksize: Any, stride: Any = None, pad: Any = 0, cover_all: bool = True, return_indices: bool = False
) -> Any:
    """:func:`max_pooling_nd` of images with three spatial axes.

    Raises:
        ValueError: if the images have more or fewer.
    """
    check_spatial(x, 3)
    return max_pooling_nd(x, ksize, stride, pad, cover_all, return_indices)


def places_of_largest(self: Any) -> Any:
    """Where in each window the largest number is, as an array."""
    x = as_array(self.applied_to[0]) if self.applied_to else inputs_of(self)[0].data
    if self.given is None:
        x = self.padded(x)
        largest = max_windows(x, shape=self.shape, stride=self.stride)
        return first_positions(x, largest, shape=self.shape, stride=self.stride).astype(np.intp)
    parameters = {name: value for name, value in self.given.items() if name not in ("ndim", "return_indices")}
    with no_backprop_mode(), unwatched():
        return max_pooling_nd(x, **parameters, return_indices=True)[1]


MaxPoolingND = function_class(
    "MaxPoolingND",
    lambda x, ndim, return_indices, **given: max_pooling_nd(x, **given),
    "ndim, ksize, stride=None, pad=0, cover_all=True, return_indices=False",
    computed={
        "ksize": lambda self: self.shape,
        "ndim": lambda self: len(self.shape),
        "indexes": places_of_largest,
        "return_indices": always(False),
    },
)
