"""Noise added to gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.optimizer_hooks.gradient_change import GradientChange


def exponential_decay_noise(xp: Any, shape: Any, dtype: Any, hook: Any, opt: Any) -> Any:
    """Normal noise with the variance ``eta / (1 + t) ** 0.55`` at update ``t``.

    Args:
        xp: numpy or cupy; the numbers come from its global random state.
        shape: the shape of the noise.
        dtype: its dtype.
        hook: whose ``eta`` it is.
        opt: the update rule, whose ``t`` it is.
    """
    deviation = np.sqrt(hook.eta / np.power(1 + opt.t, 0.55))
    return xp.random.normal(0, deviation, shape).astype(dtype)


class GradientNoise(GradientChange):
    """``grad + noise``.

    Args:
        eta: the variance at the first update.
        noise_func: a function ``(xp, shape, dtype, hook, rule)`` that returns the noise.

    A. Neelakantan et al., Adding Gradient Noise Improves Learning for Very Deep Networks, 2015.
    """

    name = "GradientNoise"

    def __init__(self, eta: float, noise_func: Callable[..., Any] = exponential_decay_noise) -> None:
        self.eta = eta
        self.noise_func = noise_func

    def changed(self, array: Any, grad: Any, scale: float, rule: Any) -> Any:
        noise = self.noise_func(get_array_module(array), array.shape, array.dtype, self, rule)
        return grad + (noise if scale == 1.0 else noise * scale)
