"""Gradient descent with momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import Hyperparameter, HyperparameterProxy, defaults, override
from autodiff.chainer.optimizer import GradientMethod
from autodiff.chainer.optimizers.elementwise import ElementwiseRule

_default_hyperparam = defaults(lr=0.01, momentum=0.9)


class MomentumSGDRule(ElementwiseRule):
    """``v = momentum * v - lr * g``; ``x += v``.

    Args:
        parent_hyperparam: the hyperparameters to inherit from.
        lr: the learning rate.
        momentum: how much of the last change is kept.
    """

    keeps = ("v",)

    def __init__(
        self, parent_hyperparam: Hyperparameter | None = None, lr: float | None = None, momentum: float | None = None
    ) -> None:
        super().__init__(parent_hyperparam or _default_hyperparam)
        override(self.hyperparam, lr=lr, momentum=momentum)

    def step(self, hp: Any, x: Any, g: Any, state: dict[str, Any], *scratch: Any) -> None:
        (change,), v = scratch, state["v"]
        v *= hp.momentum
        v -= np.multiply(g, hp.lr, out=change)
        x += v


class MomentumSGD(GradientMethod):
    """Gradient descent with momentum: ``v = momentum * v - lr * g``; ``x += v``.

    Args:
        lr: the learning rate.
        momentum: how much of the last change is kept.

    >>> MomentumSGD().hyperparam
    Hyperparameter(lr=0.01, momentum=0.9)
    """

    lr = HyperparameterProxy("lr")
    momentum = HyperparameterProxy("momentum")

    def __init__(self, lr: float = 0.01, momentum: float = 0.9) -> None:
        super().__init__()
        override(self.hyperparam, lr=lr, momentum=momentum)

    def create_update_rule(self) -> MomentumSGDRule:
        return MomentumSGDRule(self.hyperparam)
