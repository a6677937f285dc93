"""RMSprop: rates that fall with the running mean of squared gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import Hyperparameter, HyperparameterProxy, defaults, override
from autodiff.chainer.optimizer import GradientMethod
from autodiff.chainer.optimizers.elementwise import ElementwiseRule, check_eps

_default_hyperparam = defaults(lr=0.01, alpha=0.99, eps=1e-8, eps_inside_sqrt=False)


class RMSpropRule(ElementwiseRule):
    """``ms = alpha * ms + (1 - alpha) * g**2``; ``x -= lr * g / (sqrt(ms) + eps)``.

    Args:
        parent_hyperparam: the hyperparameters to inherit from.
        lr: the learning rate.
        alpha: how much of the mean is kept.
        eps: a small number against division by zero.
        eps_inside_sqrt: whether it is divided by ``sqrt(ms + eps)`` instead.
    """

    keeps = ("ms",)
    scratch = 2

    def __init__(
        self,
        parent_hyperparam: Hyperparameter | None = None,
        lr: float | None = None,
        alpha: float | None = None,
        eps: float | None = None,
        eps_inside_sqrt: bool | None = None,
    ) -> None:
        super().__init__(parent_hyperparam or _default_hyperparam)
        override(self.hyperparam, lr=lr, alpha=alpha, eps=eps, eps_inside_sqrt=eps_inside_sqrt)

    def apply(self, param: Any) -> None:
        check_eps("RMSprop", self.hyperparam.eps, param.dtype)
        super().apply(param)

    def step(self, hp: Any, x: Any, g: Any, state: dict[str, Any], *scratch: Any) -> None:
        (change, below), ms = scratch, state["ms"]
        ms *= hp.alpha
        np.multiply(g, 1 - hp.alpha, out=change)
        change *= g
        ms += change
        if hp.eps_inside_sqrt:
            np.sqrt(np.add(ms, hp.eps, out=below), out=below)
        else:
            np.add(np.sqrt(ms, out=below), hp.eps, out=below)
        np.multiply(g, hp.lr, out=change)
        change /= below
        x -= change


class RMSprop(GradientMethod):
    """RMSprop: ``ms = alpha * ms + (1 - alpha) * g**2``; ``x -= lr * g / (sqrt(ms) + eps)``.

    Args:
        lr: the learning rate.
        alpha: how much of the running mean of squares is kept.
        eps: a small number against division by zero.
        eps_inside_sqrt: whether it is divided by ``sqrt(ms + eps)`` instead.

    Raises:
        ValueError: at an update, if ``eps`` is zero in the dtype of the parameter.

    T. Tieleman, G. Hinton, Lecture 6.5 - rmsprop, 2012.

    >>> RMSprop().hyperparam
    Hyperparameter(alpha=0.99, eps=1e-08, eps_inside_sqrt=False, lr=0.01)
    """

    lr = HyperparameterProxy("lr")
    alpha = HyperparameterProxy("alpha")
    eps = HyperparameterProxy("eps")
    eps_inside_sqrt = HyperparameterProxy("eps_inside_sqrt")

    def __init__(self, lr: float = 0.01, alpha: float = 0.99, eps: float = 1e-8, eps_inside_sqrt: bool = False) -> None:
        super().__init__()
        override(self.hyperparam, lr=lr, alpha=alpha, eps=eps, eps_inside_sqrt=eps_inside_sqrt)

    def create_update_rule(self) -> RMSpropRule:
        return RMSpropRule(self.hyperparam)
