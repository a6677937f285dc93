"""The log-normal distribution."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.normal import HALF_LOG_2PI
from autodiff.chainer.distributions.parameters import fitted, parameter
from autodiff.chainer.functions.math.exponential import exp, log
from autodiff.chainer.functions.math.exponential_m1 import expm1
from autodiff.chainer.utils.cache import cached_property


class LogNormal(Distribution):
    """The distribution of exp(y) for normal y.

    Args:
        mu: the mean of y.
        sigma: the standard deviation of y.

    >>> import numpy as np
    >>> LogNormal(np.array([0.0]), np.array([1.0])).log_prob(np.array([1.0]))
    variable([-0.91893853])
    """

    def __init__(self, mu: Any, sigma: Any) -> None:
        self._mu, self._sigma = parameter(mu), parameter(sigma)

    @property
    def mu(self) -> Any:
        """The mean of the logarithm."""
        return self._mu

    @property
    def sigma(self) -> Any:
        """The standard deviation of the logarithm."""
        return self._sigma

    @property
    def params(self) -> dict[str, Any]:
        return {"mu": self.mu, "sigma": self.sigma}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.mu.shape  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return "positive"

    @cached_property
    def mean(self) -> Any:
        return exp(self.mu + 0.5 * self.sigma**2)

    @cached_property
    def variance(self) -> Any:
        return exp(2 * self.mu + self.sigma**2) * expm1(self.sigma**2)

    @cached_property
    def entropy(self) -> Any:
        return 0.5 + HALF_LOG_2PI + log(self.sigma) + self.mu

    def log_prob(self, x: Any) -> Any:
        log_x = log(x)
        squared = 0.5 * (log_x - self.mu) ** 2 / self.sigma**2
        return -HALF_LOG_2PI - log(self.sigma) - log_x - squared

    def sample_n(self, n: int) -> Any:
        noise = self.xp.random.standard_normal((n, *self.batch_shape)).astype(self.mu.dtype)
        return exp(fitted(self.sigma, n, self.batch_shape) * noise + fitted(self.mu, n, self.batch_shape))


@register_kl(LogNormal, LogNormal)
def _kl_log_normal_log_normal(dist1: LogNormal, dist2: LogNormal) -> Any:
    squares = 0.5 * ((dist1.mu - dist2.mu) ** 2 + dist1.sigma**2) / dist2.sigma**2
    return log(dist2.sigma) - log(dist1.sigma) + squares - 0.5
