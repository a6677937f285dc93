"""Nesterov's accelerated gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import Hyperparameter, HyperparameterProxy, defaults, override
from autodiff.chainer.optimizer import GradientMethod
from autodiff.chainer.optimizers.elementwise import ElementwiseRule

_default_hyperparam = defaults(lr=0.01, momentum=0.9)


class NesterovAGRule(ElementwiseRule):
    """``v = momentum * v - lr * g``; ``x += momentum**2 * v - (1 + momentum) * lr * g``.

    Args:
        parent_hyperparam: the hyperparameters to inherit from.
        lr: the learning rate.
        momentum: how much of the last change is kept.
    """

    keeps = ("v",)
    scratch = 2

    def __init__(
        self, parent_hyperparam: Hyperparameter | None = None, lr: float | None = None, momentum: float | None = None
    ) -> None:
        super().__init__(parent_hyperparam or _default_hyperparam)
        override(self.hyperparam, lr=lr, momentum=momentum)

    def step(self, hp: Any, x: Any, g: Any, state: dict[str, Any], *scratch: Any) -> None:
        (change, ahead), v = scratch, state["v"]
        v *= hp.momentum
        v -= np.multiply(g, hp.lr, out=change)
        x += np.multiply(v, hp.momentum * hp.momentum, out=ahead)
        x -= np.multiply(g, (1 + hp.momentum) * hp.lr, out=change)


class NesterovAG(GradientMethod):
    """Nesterov's accelerated gradient, with the parameter at the point looked ahead to.

    ``v = momentum * v - lr * g``; ``x += momentum**2 * v - (1 + momentum) * lr * g``.

    Args:
        lr: the learning rate.
        momentum: how much of the last change is kept.

    Y. Bengio, N. Boulanger-Lewandowski, R. Pascanu, Advances in Optimizing Recurrent Networks, 2013.

    >>> NesterovAG().hyperparam
    Hyperparameter(lr=0.01, momentum=0.9)
    """

    lr = HyperparameterProxy("lr")
    momentum = HyperparameterProxy("momentum")

    def __init__(self, lr: float = 0.01, momentum: float = 0.9) -> None:
        super().__init__()
        override(self.hyperparam, lr=lr, momentum=momentum)

    def create_update_rule(self) -> NesterovAGRule:
        return NesterovAGRule(self.hyperparam)
