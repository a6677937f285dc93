"""M-SVAG: momentum whose steps are shorter where gradients vary."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import Hyperparameter, HyperparameterProxy, defaults, override
from autodiff.chainer.optimizer import GradientMethod
from autodiff.chainer.optimizers.adam_step import approach
from autodiff.chainer.optimizers.elementwise import ElementwiseRule

_default_hyperparam = defaults(lr=0.1, beta=0.9, eta=1.0, weight_decay_rate=0)
LARGEST_RHO = 0.9999
"""Keeps the division by 1 - rho finite at the first update, where rho is 1."""


class MSVAGRule(ElementwiseRule):
    """``x -= eta * (lr * f * m + weight_decay_rate * x)`` with the factor ``f = m**2 / (m**2 + rho * s)``.

    ``m`` is the mean of gradients, ``s`` an estimate of their variance, and ``rho`` of how much of it is left in ``m``.

    Args:
        parent_hyperparam: the hyperparameters to inherit from.
        lr: the learning rate.
        beta: how much of the means is kept.
        eta: a factor of the whole change.
        weight_decay_rate: the factor of the parameter.
    """

    keeps = ("m", "v")
    scratch = 3

    def __init__(
        self,
        parent_hyperparam: Hyperparameter | None = None,
        lr: float | None = None,
        beta: float | None = None,
        eta: float | None = None,
        weight_decay_rate: float | None = None,
    ) -> None:
        super().__init__(parent_hyperparam or _default_hyperparam)
        override(self.hyperparam, lr=lr, beta=beta, eta=eta, weight_decay_rate=weight_decay_rate)

    def step(self, hp: Any, x: Any, g: Any, state: dict[str, Any], *scratch: Any) -> None:
        (mean, other, below), m, v = scratch, state["m"], state["v"]
        approach(m, g, 1 - hp.beta, mean)
        approach(v, np.multiply(g, g, out=other), 1 - hp.beta, mean)
        power = hp.beta**self.t
        rho = min((1 - hp.beta) * (1 + power) / (1 + hp.beta) / (1 - power), LARGEST_RHO)
        np.divide(m, 1 - power, out=mean)
        np.divide(v, 1 - power, out=below)
        square = np.multiply(mean, mean, out=other)
        below -= square
        np.maximum(below, 0, out=below)
        below *= rho / (1 - rho)
        below += square
        np.maximum(below, np.finfo(x.dtype).tiny, out=below)
        square /= below
        if hp.weight_decay_rate:
            x *= 1 - hp.eta * hp.weight_decay_rate
        mean *= hp.eta * hp.lr
        mean *= square
        x -= mean


class MSVAG(GradientMethod):
    """Momentum-Stochastic Variance-Adapted Gradient: momentum whose steps are shorter where gradients vary.

    Args:
        lr: the learning rate.
        beta: how much of the means is kept.
        eta: a factor of the whole change.
        weight_decay_rate: the factor of the parameter, which is added to the direction.

    L. Balles, P. Hennig, Dissecting Adam: The Sign, Magnitude and Variance of Stochastic Gradients, 2018.

    >>> MSVAG().hyperparam
    Hyperparameter(beta=0.9, eta=1.0, lr=0.1, weight_decay_rate=0)
    """

    lr = HyperparameterProxy("lr")
    beta = HyperparameterProxy("beta")
    eta = HyperparameterProxy("eta")
    weight_decay_rate = HyperparameterProxy("weight_decay_rate")

    def __init__(self, lr: float = 0.1, beta: float = 0.9, eta: float = 1.0, weight_decay_rate: float = 0) -> None:
        super().__init__()
        override(self.hyperparam, lr=lr, beta=beta, eta=eta, weight_decay_rate=weight_decay_rate)

    def create_update_rule(self) -> MSVAGRule:
        return MSVAGRule(self.hyperparam)
