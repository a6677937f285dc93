"""How Adam and what was made of it change one parameter."""

from __future__ import annotations

import warnings
from math import sqrt
from typing import Any

import numpy as np

from autodiff.chainer.hyperparameter import Hyperparameter, defaults, override, weak
from autodiff.chainer.optimizers.adam_step import adam_step
from autodiff.chainer.optimizers.elementwise import ElementwiseRule, blocks, check_eps
from autodiff.trace.source import at_user_line

_default_hyperparam = defaults(
    alpha=0.001,
    beta1=0.9,
    beta2=0.999,
    eps=1e-8,
    eta=1.0,
    weight_decay_rate=0,
    amsgrad=False,
    adabound=False,
    final_lr=0.1,
    gamma=0.001,
)


class AdamRule(ElementwiseRule):
    """``x -= eta * (alpha_t * m / (sqrt(v) + eps) + weight_decay_rate * x)``.

    ``m`` and ``v`` are the running means of ``g`` and ``g**2``. A float16 parameter is computed in float32.

    Args:
        parent_hyperparam: the hyperparameters to inherit from.
        alpha: the learning rate.
        beta1: how much of the mean of gradients is kept.
        beta2: how much of the mean of their squares is kept.
        eps: a small number against division by zero.
        eta: a factor of the whole change.
        weight_decay_rate: the factor of the parameter.
        amsgrad: whether ``v`` is replaced by its greatest value so far.
        adabound: whether the rate of each element is kept between bounds that approach ``final_lr``.
        final_lr: where the bounds meet.
        gamma: how fast they do.
    """

    scratch = 2
    initial_alpha: float | None = None

    def __init__(
        self,
        parent_hyperparam: Hyperparameter | None = None,
        alpha: float | None = None,
        beta1: float | None = None,
        beta2: float | None = None,
        eps: float | None = None,
        eta: float | None = None,
        weight_decay_rate: float | None = None,
        amsgrad: bool | None = None,
        adabound: bool | None = None,
        final_lr: float | None = None,
        gamma: float | None = None,
    ) -> None:
        super().__init__(parent_hyperparam or _default_hyperparam)
        override(self.hyperparam, alpha=alpha, beta1=beta1, beta2=beta2, eps=eps, eta=eta)
        override(self.hyperparam, weight_decay_rate=weight_decay_rate, amsgrad=amsgrad)
        override(self.hyperparam, adabound=adabound, final_lr=final_lr, gamma=gamma)
        if self.hyperparam.adabound:
            self.initial_alpha = self.hyperparam.alpha

    @property
    def keeps(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the arrays kept between updates."""
        return ("m", "v", "vhat") if self.hyperparam.amsgrad else ("m", "v")

    def apply(self, param: Any) -> None:
        assert self.state is not None
        hp = self.current()
        half = param.dtype == np.float16
        check_eps("Adam", hp.eps, np.dtype(np.float32) if half else param.dtype)
        hp.alpha_t, hp.bounds = self.alpha_t, self.bounds if hp.adabound else None
        for x, g, state in blocks(param.array, param.grad, self.state):
            (self.step_in_float32 if half else self.step)(hp, x, g, state, np.empty_like(x), np.empty_like(x))

    def step(self, hp: Any, x: Any, g: Any, state: dict[str, Any], *scratch: Any) -> None:
        adam_step(hp, x, g, state, *scratch)

    def step_in_float32(self, hp: Any, x: Any, g: Any, state: dict[str, Any], *unused: Any) -> None:
        """Change a float16 block, rounding only what is kept."""
        names = list(state)
        precise = [array.astype(np.float32) for array in (x, g, *state.values())]
        scratch = [np.empty_like(precise[0]) for _ in unused]
        self.step(hp, precise[0], precise[1], dict(zip(names, precise[2:])), *scratch)
        x[...] = precise[0]
        for name, array in zip(names, precise[2:]):
            state[name][...] = array

    @property
    def alpha_t(self) -> float:
        """The learning rate of the last update: ``alpha * sqrt(1 - beta2**t) / (1 - beta1**t)``."""
        return learning_rate(self.hyperparam, self.t)

    @property
    def lr(self) -> float:
        """Deprecated name of :attr:`alpha_t`."""
        warn_lr("AdamRule")
        return self.alpha_t

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of AdaBound at the last update."""
        if self.t == 0:
            raise RuntimeError(
                f"Can't determine the bounds of AdaBound optimizer because the update steps have not been started"
                f"{at_user_line()}."
            )
        hp = self.hyperparam
        final = (
            weak(hp.final_lr) * weak(hp.alpha) / weak(hp.alpha if self.initial_alpha is None else self.initial_alpha)
        )
        return final * (1.0 - 1.0 / (hp.gamma * self.t + 1)), final * (1.0 + 1.0 / (hp.gamma * self.t))


def learning_rate(hp: Any, t: int) -> float:
    """The learning rate of Adam at update ``t``, with the means' bias towards their zero beginning taken out."""
    if t == 0:
        raise RuntimeError(
            f"Can't determine the learning rate of Adam optimizer because the update steps have not been started"
            f"{at_user_line()}."
        )
    return float(hp.alpha * sqrt(1.0 - hp.beta2**t) / (1.0 - hp.beta1**t))


def warn_lr(name: str) -> None:
    """Tell who asks for ``lr`` its new name."""
    warnings.warn(
        f"{name}.lr has been renamed to AdamRule.alpha_t. Use of {name}.lr is deprecated in Chainer v6.",
        DeprecationWarning,
        stacklevel=3,
    )
