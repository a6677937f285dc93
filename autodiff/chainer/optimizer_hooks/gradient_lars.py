"""Layer-wise adaptive rate scaling."""

from __future__ import annotations

from math import sqrt
from typing import Any

from autodiff.chainer.hyperparameter import weak
from autodiff.chainer.optimizer_hooks.gradient_change import GradientChange
from autodiff.chainer.optimizer_hooks.gradient_clipping import squared_norm


class GradientLARS(GradientChange):
    """``rate * (grad + weight_decay * param)`` with ``rate = |param| / (eps + |grad| + weight_decay * |param|)``.

    So the steps of all parameters are in proportion to their norms.

    Args:
        threshold: where the norm of the parameter is not above it, the rate is 1.
        weight_decay: the factor of the parameter.
        eps: a small number against division by zero.

    Y. You, I. Gitman, B. Ginsburg, Large Batch Training of Convolutional Networks, 2017.

    >>> from autodiff import Parameter
    >>> import numpy as np
    >>> param = Parameter(np.array([3.0, 4.0]))
    >>> param.grad = np.array([0.0, 2.0])
    >>> GradientLARS(eps=0)(None, param)
    >>> param.grad
    array([0., 5.])
    """

    name = "GradientLARS"

    def __init__(self, threshold: float = 1e-2, weight_decay: float = 0.0, eps: float = 1e-9) -> None:
        self.threshold = threshold
        self.weight_decay = weight_decay
        self.eps = eps

    def changed(self, array: Any, grad: Any, scale: float, rule: Any) -> Any:
        decay = weak(self.weight_decay)
        direction = grad + array * (decay * scale) if decay else grad
        return direction * self.rate(sqrt(squared_norm(array)), sqrt(squared_norm(grad)) / scale)

    def rate(self, size: float, slope: float) -> float:
        """The factor for a parameter and a gradient of these norms."""
        below = weak(self.eps) + slope + weak(self.weight_decay) * size
        return 1.0 if size <= self.threshold or below == 0 else size / below
