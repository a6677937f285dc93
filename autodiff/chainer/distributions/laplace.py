"""The Laplace distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import fitted, parameter
from autodiff.chainer.functions.math.exponential import exp, log
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.graph.applying import apply


class Laplace(Distribution):
    """``p(x) = exp(-|x - loc| / scale) / (2 scale)``.

    Args:
        loc: the mean.
        scale: the mean distance from it.

    >>> Laplace(np.array([0.0]), np.array([1.0])).cdf(np.array([0.0]))
    variable([0.5])
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self._loc, self._scale = parameter(loc), parameter(scale)

    @property
    def loc(self) -> Any:
        """The mean."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The mean distance from the mean."""
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

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @cached_property
    def variance(self) -> Any:
        return 2 * self.scale**2

    @cached_property
    def stddev(self) -> Any:
        return math.sqrt(2.0) * self.scale

    @cached_property
    def entropy(self) -> Any:
        return log(2 * self.scale) + 1.0

    def log_prob(self, x: Any) -> Any:
        return -log(2 * self.scale) - abs(x - self.loc) / self.scale

    def prob(self, x: Any) -> Any:
        return 0.5 / self.scale * exp(-abs(x - self.loc) / self.scale)

    def cdf(self, x: Any) -> Any:
        return apply("LaplaceCDF", cumulative, ((x - self.loc) / self.scale,))

    def icdf(self, x: Any) -> Any:
        return self.loc + self.scale * apply("LaplaceICDF", quantile, (x,))

    def sample_n(self, n: int) -> Any:
        noise = self.xp.random.laplace(size=(n, *self.batch_shape)).astype(self.loc.dtype)
        return fitted(self.scale, n, self.batch_shape) * noise + fitted(self.loc, n, self.batch_shape)


def cumulative(y: Any) -> Any:
    """The probability of at most y; the derivative at 0 is 1/2 from both sides."""
    tail = 0.5 * np.exp(np.where(y < 0, y, -y))
    return np.where(y < 0, tail, 1 - tail)


def quantile(p: Any) -> Any:
    """The number that is not exceeded with probability p; the derivative at 1/2 is 2 from both sides."""
    tail = np.log(2 * np.where(p < 0.5, p, 1 - p))
    return np.where(p < 0.5, tail, -tail)


@register_kl(Laplace, Laplace)
def _kl_laplace_laplace(dist1: Laplace, dist2: Laplace) -> Any:
    ratio, distance = dist1.scale / dist2.scale, abs(dist1.loc - dist2.loc)
    return -log(ratio) + distance / dist2.scale + ratio * exp(-distance / dist1.scale) - 1
