"""The Gumbel distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import fitted, parameter
from autodiff.chainer.functions.math.exponential import exp, log
from autodiff.chainer.functions.math.lgamma import lgamma
from autodiff.chainer.utils.cache import cached_property


class Gumbel(Distribution):
    """p(x) = exp(-y - exp(-y)) / scale with y = (x - loc) / scale.

    Args:
        loc: the mode.
        scale: the width.

    >>> Gumbel(np.array([0.0]), np.array([1.0])).log_prob(np.array([0.0]))
    variable([-1.])
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self._loc, self._scale = parameter(loc), parameter(scale)

    @property
    def loc(self) -> Any:
        """The mode."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The width."""
        return self._scale

    @property
    def params(self) -> dict[str, Any]:
        return {"loc": self.loc, "scale": self.scale}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.loc.shape  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return "real"

    @cached_property
    def mean(self) -> Any:
        return self.loc + np.euler_gamma * self.scale

    @cached_property
    def variance(self) -> Any:
        return math.pi**2 / 6 * self.scale**2

    @cached_property
    def entropy(self) -> Any:
        return log(self.scale) + (np.euler_gamma + 1)

    def log_prob(self, x: Any) -> Any:
        y = (x - self.loc) / self.scale
        return -log(self.scale) - y - exp(-y)

    def sample_n(self, n: int) -> Any:
        noise = self.xp.random.gumbel(size=(n, *self.batch_shape)).astype(self.loc.dtype)
        return fitted(self.scale, n, self.batch_shape) * noise + fitted(self.loc, n, self.batch_shape)


@register_kl(Gumbel, Gumbel)
def _kl_gumbel_gumbel(dist1: Gumbel, dist2: Gumbel) -> Any:
    ratio, distance = dist1.scale / dist2.scale, (dist1.loc - dist2.loc) / dist2.scale
    tails = exp(lgamma(ratio + 1.0) - distance)
    return log(dist2.scale) - log(dist1.scale) + np.euler_gamma * (ratio - 1.0) + distance + tails - 1
