"""One update by Adam, in place."""

from __future__ import annotations

from typing import Any

import numpy as np


def adam_step(hp: Any, x: Any, g: Any, state: dict[str, Any], change: Any, other: Any) -> None:
    """Change ``x`` by ``eta * (alpha_t * m / (sqrt(v) + eps) + weight_decay_rate * x)``, and update the means first.

    Args:
        hp: the hyperparameters, ``alpha_t``, and ``bounds`` of the rates or None.
        x: the parameter.
        g: its gradient.
        state: ``m``, ``v`` and, for AMSGrad, ``vhat``.
        change: an array to compute in.
        other: another one.
    """
    m, v = state["m"], state["v"]
    approach(m, g, 1 - hp.beta1, change)
    approach(v, np.multiply(g, g, out=other), 1 - hp.beta2, change)
    if hp.amsgrad:
        v = np.maximum(state["vhat"], v, out=state["vhat"])
    below = np.sqrt(v, out=other)
    below += hp.eps
    if hp.bounds is None:
        np.multiply(m, hp.alpha_t, out=change)
        change /= below
    else:
        np.divide(hp.alpha_t, below, out=change)
        bound(change, hp.bounds)
        change *= m
    if hp.weight_decay_rate:
        x *= 1 - hp.eta * hp.weight_decay_rate
    if hp.eta != 1:
        change *= hp.eta
    x -= change


def approach(mean: Any, value: Any, part: float, scratch: Any) -> None:
    """``mean += part * (value - mean)`` in place."""
    np.subtract(value, mean, out=scratch)
    scratch *= part
    mean += scratch


def bound(rate: Any, bounds: tuple[float, float]) -> None:
    """Keep the rates between the bounds, in place."""
    np.maximum(rate, bounds[0], out=rate)
    np.minimum(rate, bounds[1], out=rate)
