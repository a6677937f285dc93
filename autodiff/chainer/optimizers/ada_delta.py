"""AdaDelta: rates from the mean squares of gradients and of changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import Hyperparameter, HyperparameterProxy, defaults, override
from autodiff.chainer.optimizer import GradientMethod
from autodiff.chainer.optimizers.elementwise import ElementwiseRule

_default_hyperparam = defaults(rho=0.95, eps=1e-6)


class AdaDeltaRule(ElementwiseRule):
    """``x -= dx`` with ``dx = sqrt((msdx + eps) / (msg + eps)) * g``.

    ``msg`` and ``msdx`` are the running means of ``g**2`` and ``dx**2``.

    Args:
        parent_hyperparam: the hyperparameters to inherit from.
        rho: how much of the means is kept.
        eps: a small number that the first changes begin with.
    """

    keeps = ("msg", "msdx")
    scratch = 2

    def __init__(
        self, parent_hyperparam: Hyperparameter | None = None, rho: float | None = None, eps: float | None = None
    ) -> None:
        super().__init__(parent_hyperparam or _default_hyperparam)
        override(self.hyperparam, rho=rho, eps=eps)

    def step(self, hp: Any, x: Any, g: Any, state: dict[str, Any], *scratch: Any) -> None:
        (dx, other), msg, msdx = scratch, state["msg"], state["msdx"]
        average(msg, g, hp.rho, other)
        np.add(msdx, hp.eps, out=dx)
        dx /= np.add(msg, hp.eps, out=other)
        np.sqrt(dx, out=dx)
        dx *= g
        average(msdx, dx, hp.rho, other)
        x -= dx


def average(mean: Any, x: Any, kept: float, other: Any) -> None:
    """``mean = kept * mean + (1 - kept) * x**2`` in place."""
    mean *= kept
    np.multiply(x, 1 - kept, out=other)
    other *= x
    mean += other


class AdaDelta(GradientMethod):
    """AdaDelta: ``x -= sqrt((msdx + eps) / (msg + eps)) * g``, without a learning rate.

    Args:
        rho: how much of the running means of squares is kept.
        eps: a small number that the first changes begin with.

    M. Zeiler, ADADELTA: An Adaptive Learning Rate Method, 2012.

    >>> AdaDelta().hyperparam
    Hyperparameter(eps=1e-06, rho=0.95)
    """

    rho = HyperparameterProxy("rho")
    eps = HyperparameterProxy("eps")

    def __init__(self, rho: float = 0.95, eps: float = 1e-6) -> None:
        super().__init__()
        override(self.hyperparam, rho=rho, eps=eps)

    def create_update_rule(self) -> AdaDeltaRule:
        return AdaDeltaRule(self.hyperparam)
