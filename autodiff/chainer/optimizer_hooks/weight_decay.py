"""Weight decay: the gradient of a squared norm."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.hyperparameter import weak
from autodiff.chainer.optimizer_hooks.gradient_change import GradientChange


class WeightDecay(GradientChange):
    """``grad + rate * param``: the derivative of ``rate / 2`` times the squared norm is added.

    Args:
        rate: the factor.

    >>> from autodiff import Parameter
    >>> import numpy as np
    >>> param = Parameter(np.array([1.0, 2.0]))
    >>> param.grad = np.zeros(2)
    >>> WeightDecay(0.5)(None, param)
    >>> param.grad
    array([0.5, 1. ])
    """

    name = "WeightDecay"

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def changed(self, array: Any, grad: Any, scale: float, rule: Any) -> Any:
        decay = array * (weak(self.rate) * scale)
        decay += grad
        return decay
