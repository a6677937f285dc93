"""The rectifier with a leak that is learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.activation.channels import alike_but_the_batch, beside_the_batch
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def prelu(x: Any, W: Any) -> Variable:
    """x where it is not negative, W x elsewhere.

    Args:
        x: floating-point numbers; the first axis is the batch.
        W: slopes, of the shape of the first axes of ``x`` after the batch.

    Returns:
        an array of the shape of ``x``. The derivative at 0 by ``x`` is 1, by ``W`` it is 0.

    Raises:
        InvalidType: if dtypes or shapes do not fit.

    >>> prelu(np.array([[-2.0, -2.0, 3.0]]), np.array([0.1, 0.5, 0.5]))
    variable([[-0.2, -1. ,  3. ]])
    """
    return apply(
        "PReLUFunction",
        lambda x, W: np.where(x < 0, beside_the_batch(W, x) * x, x),
        (x, W),
        lambda x, W: (
            x.dtype.kind == "f",
            W.dtype == x.dtype,
            x.ndim >= W.ndim + 1,
            alike_but_the_batch(x, W) == W.shape,
        ),
    )


PReLUFunction = function_class("PReLUFunction", prelu)
