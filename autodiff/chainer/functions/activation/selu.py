"""The scaled exponential linear unit."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.activation.elu import elu
from autodiff.facade.variables.variable import Variable


def selu(x: Any, alpha: float = 1.6732632423543772, scale: float = 1.0507009873554805) -> Variable:
    """``scale`` times :func:`elu`, which keeps mean 0 and variance 1 from layer to layer.

    Args:
        x: floating-point numbers of any shape.
        alpha: the constant of :func:`elu`.
        scale: the factor.

    Returns:
        an array of that shape. The derivative at 0 is ``scale * alpha``.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> selu(np.array([-1.0, 1.0]))
    variable([-1.11133074,  1.05070099])
    """
    return scale * elu(x, alpha)
