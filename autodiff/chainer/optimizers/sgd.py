"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import Hyperparameter, HyperparameterProxy, defaults, override
from autodiff.chainer.optimizer import GradientMethod
from autodiff.chainer.optimizers.elementwise import ElementwiseRule

_default_hyperparam = defaults(lr=0.01)


class SGDRule(ElementwiseRule):
    """``x -= lr * g``.

    Args:
        parent_hyperparam: the hyperparameters to inherit from.
        lr: the learning rate.
    """

    def __init__(self, parent_hyperparam: Hyperparameter | None = None, lr: float | None = None) -> None:
        super().__init__(parent_hyperparam or _default_hyperparam)
        override(self.hyperparam, lr=lr)

    def step(self, hp: Any, x: Any, g: Any, state: dict[str, Any], *scratch: Any) -> None:
        (change,) = scratch
        x -= np.multiply(g, hp.lr, out=change)


class SGD(GradientMethod):
    """Stochastic gradient descent: ``x -= lr * g``.

    Args:
        lr: the learning rate.

    >>> SGD(lr=0.1).hyperparam
    Hyperparameter(lr=0.1)
    """

    lr = HyperparameterProxy("lr")

    def __init__(self, lr: float = 0.01) -> None:
        super().__init__()
        override(self.hyperparam, lr=lr)

    def create_update_rule(self) -> SGDRule:
        return SGDRule(self.hyperparam)
