"""RMSprop as Graves uses it: centred, with momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import Hyperparameter, HyperparameterProxy, defaults, override
from autodiff.chainer.optimizer import GradientMethod
from autodiff.chainer.optimizers.elementwise import ElementwiseRule

_default_hyperparam = defaults(lr=1e-4, alpha=0.95, momentum=0.9, eps=1e-4)


class RMSpropGravesRule(ElementwiseRule):
    """``delta = momentum * delta - lr * grad / sqrt(n - g**2 + eps)``; ``x += delta``.

    ``n`` and ``g`` are the running means of ``grad**2`` and ``grad``.

    Args:
        parent_hyperparam: the hyperparameters to inherit from.
        lr: the learning rate.
        alpha: how much of the means is kept.
        momentum: how much of the last change is kept.
        eps: a small number against division by zero.
    """

    keeps = ("n", "g", "delta")
    scratch = 2

    def __init__(
        self,
        parent_hyperparam: Hyperparameter | None = None,
        lr: float | None = None,
        alpha: float | None = None,
        momentum: float | None = None,
        eps: float | None = None,
    ) -> None:
        super().__init__(parent_hyperparam or _default_hyperparam)
        override(self.hyperparam, lr=lr, alpha=alpha, momentum=momentum, eps=eps)

    def step(self, hp: Any, x: Any, g: Any, state: dict[str, Any], *scratch: Any) -> None:
        (change, below), square, mean, delta = scratch, state["n"], state["g"], state["delta"]
        np.multiply(g, 1 - hp.alpha, out=change)
        mean *= hp.alpha
        mean += change
        change *= g
        square *= hp.alpha
        square += change
        np.subtract(square, np.multiply(mean, mean, out=below), out=below)
        below += hp.eps
        np.sqrt(below, out=below)
        np.multiply(g, hp.lr, out=change)
        change /= below
        delta *= hp.momentum
        delta -= change
        x += delta


class RMSpropGraves(GradientMethod):
    """Centred RMSprop with momentum.

    ``delta = momentum * delta - lr * grad / sqrt(n - g**2 + eps)``; ``x += delta``, where ``n`` and ``g`` are the
    running means of ``grad**2`` and ``grad``.

    Args:
        lr: the learning rate.
        alpha: how much of the means is kept.
        momentum: how much of the last change is kept.
        eps: a small number against division by zero.

    A. Graves, Generating Sequences With Recurrent Neural Networks, 2013.

    >>> RMSpropGraves().hyperparam
    Hyperparameter(alpha=0.95, eps=0.0001, lr=0.0001, momentum=0.9)
    """

    lr = HyperparameterProxy("lr")
    alpha = HyperparameterProxy("alpha")
    momentum = HyperparameterProxy("momentum")
    eps = HyperparameterProxy("eps")

    def __init__(self, lr: float = 1e-4, alpha: float = 0.95, momentum: float = 0.9, eps: float = 1e-4) -> None:
        super().__init__()
        override(self.hyperparam, lr=lr, alpha=alpha, momentum=momentum, eps=eps)

    def create_update_rule(self) -> RMSpropGravesRule:
        return RMSpropGravesRule(self.hyperparam)
