"""Transposed convolution of images."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.connection.convolution_2d import DETERMINISTIC, PLACES, bias_has_dtype, pair
from autodiff.chainer.functions.connection.deconvolution_nd import bias_fits, deconvolution, kernels_fit, size_fits
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.shown_attributes import length_of_result
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def deconvolution_2d(
    x: Any, W: Any, b: Any = None, stride: Any = 1, pad: Any = 0, outsize: Any = None, **kwargs: Any
) -> Variable:
    """Each pixel of x lays down a kernel: the transpose of a convolution by its images, plus b.

    Args:
        x: images (N, c_I, h_I, w_I), floats.
        W: kernels (c_I, c_O / groups, h_K, w_K), floats.
        b: bias (c_O,), of the dtype of x.
        stride: steps between the kernels: a number, or a pair (sy, sx).
        pad: how much is cut off on both sides: a number, or a pair (ph, pw).
        outsize: (h_O, w_O) of the result; by default h_O = sy (h_I - 1) + h_K + (h_K - 1) (dy - 1) - 2 ph.
        kwargs: ``dilate`` = 1, steps between pixels of a kernel: a number, or a pair (dy, dx); ``groups`` = 1:
            channels and outputs fall into so many groups.

    Returns:
        (N, c_O, h_O, w_O), of the dtype of x.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        TypeError: if ``groups`` does not divide the numbers of channels.
        AssertionError: if nothing would be left.

    >>> import numpy as np
    >>> deconvolution_2d(np.array([[[[1.0, 2.0]]]]), np.ones((1, 1, 2, 2)))
    variable([[[[1., 3., 2.],
                [1., 3., 2.]]]])
    """
    dilate, groups = parse_kwargs(kwargs, ("dilate", 1), ("groups", 1), deterministic=DETERMINISTIC)
    geometry = pair(stride), pair(pad), None if outsize is None else pair(outsize), pair(dilate)
    strides, pads, sizes, steps = geometry

    def fits(*in_types: Any) -> tuple[Any, ...]:
        kernels = (*kernels_fit(4, *in_types), *size_fits(in_types[0], in_types[1], sizes, strides, pads, steps))
        return (*kernels, *bias_has_dtype(*in_types), *bias_fits(groups, *in_types))

    deconvolve = deconvolution(*geometry, groups)
    return apply("Deconvolution2DFunction", deconvolve, (x, W) if b is None else (x, W, b), check=fits)


Deconvolution2DFunction = function_class(
    "Deconvolution2DFunction",
    lambda x, W, b=None, **given: deconvolution_2d(x, W, b, **given),
    "stride=1, pad=0, outsize=None, **kwargs",
    computed={**PLACES, "outh": length_of_result(2), "outw": length_of_result(3)},
)
