"""Clipping of each element of a gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import weak
from autodiff.chainer.optimizer_hooks.gradient_change import GradientChange


class GradientHardClipping(GradientChange):
    """``min(max(grad, lower_bound), upper_bound)``, element by element.

    Args:
        lower_bound: the least value.
        upper_bound: the greatest value.

    >>> from autodiff import Parameter
    >>> param = Parameter(np.zeros(3))
    >>> param.grad = np.array([-3.0, 0.5, 3.0])
    >>> GradientHardClipping(-1, 2)(None, param)
    >>> param.grad
    array([-1. ,  0.5,  2. ])
    """

    name = "GradientHardClipping"

    def __init__(self, lower_bound: float, upper_bound: float) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def changed(self, array: Any, grad: Any, scale: float, rule: Any) -> Any:
        lower = np.maximum(grad, weak(self.lower_bound) * scale)
        return np.minimum(lower, weak(self.upper_bound) * scale)
