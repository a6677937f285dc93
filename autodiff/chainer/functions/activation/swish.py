"""The swish."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.activation.channels import alike_but_the_batch, beside_the_batch
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.elementwise import logistic


def swish(x: Any, beta: Any) -> Variable:
    """x times the sigmoid of beta x.

    Args:
        x: floating-point numbers; the first axis is the batch.
        beta: factors, of the shape of the first axes of ``x`` after the batch.

    Raises:
        InvalidType: if dtypes or shapes do not fit.

    >>> import numpy as np
    >>> swish(np.array([[0.0, 1.0]]), np.array([1.0, np.log(3.0)]))
    variable([[0.  , 0.75]])
    """
    return apply(
        "Swish",
        lambda x, beta: x * logistic(beside_the_batch(beta, x) * x),
        (x, beta),
        lambda x, beta: (
            x.dtype.kind == "f",
            beta.dtype == x.dtype,
            beta.ndim <= x.ndim - 1,
            beta.shape == alike_but_the_batch(x, beta),
        ),
    )


Swish = function_class("Swish", swish)
