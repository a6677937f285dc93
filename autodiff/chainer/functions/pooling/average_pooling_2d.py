"""The mean of the pixels under each window."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.connection.convolution_2d import pair
from autodiff.chainer.functions.function_class import element, function_class
from autodiff.chainer.functions.pooling.average_pooling_nd import averaging
from autodiff.chainer.functions.shown_attributes import always
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def average_pooling_2d(x: Any, ksize: Any, stride: Any = None, pad: Any = 0) -> Variable:
    """y[n, c, i, j] = the mean of x[n, c, i sy + k - ph, j sx + l - pw] over places (k, l) of the window.

    Args:
        x: images (N, C, H, W), floats.
        ksize: size of the windows: a number, or a pair.
        stride: steps between windows; by default they stand side by side.
        pad: width of the border, of zeros that count.

    Returns:
        (N, C, h, w).

    Raises:
        InvalidType: if x is no array of floats with four axes.
        AssertionError: if the window does not fit into the padded images.

    >>> import numpy as np
    >>> average_pooling_2d(np.arange(4.0).reshape(1, 1, 2, 2), 2)
    variable([[[[1.5]]]])
    """
    shape = pair(ksize)
    mean = averaging(shape, shape if stride is None else pair(stride), pair(pad), False)
    return apply(
        "AveragePooling2D", mean, (x,), check=lambda *in_types: (in_types[0].dtype.kind == "f", in_types[0].ndim == 4)
    )


AveragePooling2D = function_class(
    "AveragePooling2D",
    lambda x, ksize, stride, pad, cover_all, return_indices: average_pooling_2d(x, ksize, stride, pad),
    "ksize, stride=None, pad=0, cover_all=True, return_indices=False",
    computed={
        "kh": element("shape", 0),
        "kw": element("shape", 1),
        "sy": element("stride", 0),
        "sx": element("stride", 1),
        "ph": element("pad", 0),
        "pw": element("pad", 1),
        "cover_all": always(False),
        "return_indices": always(False),
    },
)
