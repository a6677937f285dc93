"""Lasso: the gradient of an absolute norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import weak
from autodiff.chainer.optimizer_hooks.gradient_change import GradientChange


class Lasso(GradientChange):
    """``grad + rate * sign(param)``: the derivative of ``rate`` times the sum of absolute values is added.

    Args:
        rate: the factor.

    >>> from autodiff import Parameter
    >>> param = Parameter(np.array([-3.0, 0.0, 2.0]))
    >>> param.grad = np.zeros(3)
    >>> Lasso(0.5)(None, param)
    >>> param.grad
    array([-0.5,  0. ,  0.5])
    """

    name = "Lasso"

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def changed(self, array: Any, grad: Any, scale: float, rule: Any) -> Any:
        push = np.sign(array)
        push *= weak(self.rate) * scale
        push += grad
        return push
