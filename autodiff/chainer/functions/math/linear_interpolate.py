"""Linear interpolation."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def linear_interpolate(p: Any, x: Any, y: Any) -> Variable:
    """p x + (1 - p) y, element by element.

    Args:
        p: shares of ``x``, floating-point numbers.
        x: numbers of the same shape and dtype.
        y: numbers of the same shape and dtype.

    Raises:
        InvalidType: if dtypes or shapes differ.

    >>> import numpy as np
    >>> linear_interpolate(np.array([0.25]), np.array([4.0]), np.array([8.0]))
    variable([7.])
    """
    return apply(
        "LinearInterpolate",
        lambda p, x, y: p * x + (1 - p) * y,
        (p, x, y),
        lambda p, x, y: (
            p.dtype.kind == "f",
            x.dtype == p.dtype,
            y.dtype == p.dtype,
            p.shape == x.shape,
            p.shape == y.shape,
        ),
    )


LinearInterpolate = function_class("LinearInterpolate", linear_interpolate)
