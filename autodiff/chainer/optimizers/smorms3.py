"""SMORMS3: RMSprop that chooses how long it remembers."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import Hyperparameter, HyperparameterProxy, defaults, override
from autodiff.chainer.optimizer import GradientMethod
from autodiff.chainer.optimizers.elementwise import ElementwiseRule

_default_hyperparam = defaults(lr=0.001, eps=1e-16)


class SMORMS3Rule(ElementwiseRule):
    """``x -= min(lr, c) * grad / (sqrt(g2) + eps)`` with ``c = g**2 / (g2 + eps)``.

    ``g`` and ``g2`` are means of ``grad`` and ``grad**2`` in which the newest has the weight ``1 / (mem + 1)``; then
    ``mem = 1 + mem * (1 - c)``, so that the memory is short where gradients agree.

    Args:
        parent_hyperparam: the hyperparameters to inherit from.
        lr: the greatest rate.
        eps: a small number against division by zero.
    """

    keeps = ("mem", "g", "g2")
    scratch = 3

    def __init__(
        self, parent_hyperparam: Hyperparameter | None = None, lr: float | None = None, eps: float | None = None
    ) -> None:
        super().__init__(parent_hyperparam or _default_hyperparam)
        override(self.hyperparam, lr=lr, eps=eps)

    def init_state(self, param: Any) -> None:
        super().init_state(param)
        assert self.state is not None
        self.state["mem"] += 1

    def step(self, hp: Any, x: Any, g: Any, state: dict[str, Any], *scratch: Any) -> None:
        (weight, kept, other), memory, mean, square = scratch, state["mem"], state["g"], state["g2"]
        np.divide(1, np.add(memory, 1, out=weight), out=weight)
        np.subtract(1, weight, out=kept)
        weight *= g
        mean *= kept
        mean += weight
        weight *= g
        square *= kept
        square += weight
        agreement = np.multiply(mean, mean, out=kept)
        agreement /= np.add(square, hp.eps, out=other)
        below = np.sqrt(square, out=other)
        below += hp.eps
        change = np.minimum(agreement, hp.lr, out=weight)
        change *= g
        change /= below
        x -= change
        memory *= np.subtract(1, agreement, out=agreement)
        memory += 1


class SMORMS3(GradientMethod):
    """SMORMS3: ``x -= min(lr, g**2 / (g2 + eps)) * grad / (sqrt(g2) + eps)``.

    ``g`` and ``g2`` are means of ``grad`` and ``grad**2`` whose memory is short where gradients agree.

    Args:
        lr: the greatest rate.
        eps: a small number against division by zero.

    S. Funk, RMSprop loses to SMORMS3 - Beware the Epsilon!, 2015.

    >>> SMORMS3().hyperparam
    Hyperparameter(eps=1e-16, lr=0.001)
    """

    lr = HyperparameterProxy("lr")
    eps = HyperparameterProxy("eps")

    def __init__(self, lr: float = 0.001, eps: float = 1e-16) -> None:
        super().__init__()
        override(self.hyperparam, lr=lr, eps=eps)

    def create_update_rule(self) -> SMORMS3Rule:
        return SMORMS3Rule(self.hyperparam)
