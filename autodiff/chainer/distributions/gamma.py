"""The gamma distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import fitted, parameter, within
from autodiff.chainer.functions.math.digamma import digamma
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.functions.math.lgamma import lgamma
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.variables.conversion import as_array


class Gamma(Distribution):
    """p(x) = x^(k - 1) exp(-x / theta) / (Gamma(k) theta^k) for x > 0.

    Args:
        k: the shape.
        theta: the scale. Gradients of draws flow to it, and none to ``k``.

    >>> Gamma(np.array([2.0]), np.array([1.0])).log_prob(np.array([1.0]))
    variable([-1.])
    """

    def __init__(self, k: Any, theta: Any) -> None:
        self._k, self._theta = parameter(k), parameter(theta)

    @property
    def k(self) -> Any:
        """The shape."""
        return self._k

    @property
    def theta(self) -> Any:
        """The scale."""
        return self._theta

    @property
    def params(self) -> dict[str, Any]:
        return {"k": self.k, "theta": self.theta}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.k.shape  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return "positive"

    @cached_property
    def mean(self) -> Any:
        return self.k * self.theta

    @cached_property
    def variance(self) -> Any:
        return self.mean * self.theta

    @cached_property
    def entropy(self) -> Any:
        return self.k + log(self.theta) + lgamma(self.k) + (1 - self.k) * digamma(self.k)

    def log_prob(self, x: Any) -> Any:
        log_p = -lgamma(self.k) - self.k * log(self.theta) + (self.k - 1) * log(x) - x / self.theta
        return within(as_array(x) >= 0, log_p, -np.inf)

    def sample_n(self, n: int) -> Any:
        draws = self.xp.random.gamma(as_array(self.k), size=(n, *self.batch_shape)).astype(self.k.dtype)
        return fitted(self.theta, n, self.batch_shape) * draws


@register_kl(Gamma, Gamma)
def _kl_gamma_gamma(dist1: Gamma, dist2: Gamma) -> Any:
    shapes = (dist1.k - dist2.k) * digamma(dist1.k) - lgamma(dist1.k) + lgamma(dist2.k)
    scales = log(dist2.theta) - log(dist1.theta)
    return shapes + dist2.k * scales + dist1.k * (dist1.theta / dist2.theta - 1)
