"""AdaGrad: rates that fall with the squares of all gradients so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import Hyperparameter, HyperparameterProxy, defaults, override
from autodiff.chainer.optimizer import GradientMethod
from autodiff.chainer.optimizers.elementwise import ElementwiseRule

_default_hyperparam = defaults(lr=0.001, eps=1e-8)


class AdaGradRule(ElementwiseRule):
    """``h += g**2``; ``x -= lr * g / (sqrt(h) + eps)``.

    Args:
        parent_hyperparam: the hyperparameters to inherit from.
        lr: the learning rate.
        eps: a small number against division by zero.
    """

    keeps = ("h",)
    scratch = 2

    def __init__(
        self, parent_hyperparam: Hyperparameter | None = None, lr: float | None = None, eps: float | None = None
    ) -> None:
        super().__init__(parent_hyperparam or _default_hyperparam)
        override(self.hyperparam, lr=lr, eps=eps)

    def step(self, hp: Any, x: Any, g: Any, state: dict[str, Any], *scratch: Any) -> None:
        (change, below), h = scratch, state["h"]
        h += np.multiply(g, g, out=change)
        np.sqrt(h, out=below)
        below += hp.eps
        np.multiply(g, hp.lr, out=change)
        change /= below
        x -= change


class AdaGrad(GradientMethod):
    """AdaGrad: ``h += g**2``; ``x -= lr * g / (sqrt(h) + eps)``.

    Args:
        lr: the learning rate.
        eps: a small number against division by zero.

    J. Duchi, E. Hazan, Y. Singer, Adaptive Subgradient Methods, 2011.

    >>> AdaGrad().hyperparam
    Hyperparameter(eps=1e-08, lr=0.001)
    """

    lr = HyperparameterProxy("lr")
    eps = HyperparameterProxy("eps")

    def __init__(self, lr: float = 0.001, eps: float = 1e-8) -> None:
        super().__init__()
        override(self.hyperparam, lr=lr, eps=eps)

    def create_update_rule(self) -> AdaGradRule:
        return AdaGradRule(self.hyperparam)
