"""The Dirichlet distribution."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import parameter
from autodiff.chainer.functions.array.expand_dims import expand_dims
from autodiff.chainer.functions.math.digamma import digamma
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.functions.math.lgamma import lgamma
from autodiff.chainer.functions.math.sum import sum
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


class Dirichlet(Distribution):
    """p(x) = prod x[k]^(alpha[k] - 1) / B(alpha) for positive vectors x whose sum is 1.

    Args:
        alpha: the concentrations, along the last axis.

    >>> import numpy as np
    >>> Dirichlet(np.array([1.0, 1.0, 1.0])).log_prob(np.array([0.25, 0.25, 0.5]))
    variable(0.69314718)
    """

    def __init__(self, alpha: Any) -> None:
        self._alpha = parameter(alpha)

    @property
    def alpha(self) -> Any:
        """The concentrations."""
        return self._alpha

    @cached_property
    def alpha0(self) -> Any:
        """The sum of the concentrations."""
        return sum(self.alpha, axis=-1)

    @property
    def params(self) -> dict[str, Any]:
        return {"alpha": self.alpha}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.alpha.shape[:-1]  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return self.alpha.shape[-1:]  # type: ignore[no-any-return]

    @property
    def support(self) -> str:
        return "[0, 1]"

    @cached_property
    def mean(self) -> Any:
        return self.alpha / expand_dims(self.alpha0, -1)

    @cached_property
    def variance(self) -> Any:
        return self.mean * (1 - self.mean) / expand_dims(self.alpha0 + 1, -1)

    @cached_property
    def entropy(self) -> Any:
        means = (self.alpha0 - self.event_shape[0]) * digamma(self.alpha0)
        return log_beta(self) + means - sum((self.alpha - 1) * digamma(self.alpha), axis=-1)

    def log_prob(self, x: Any) -> Any:
        return sum((self.alpha - 1) * log(x), axis=-1) - log_beta(self)

    def sample_n(self, n: int) -> Any:
        alpha = as_array(self.alpha)
        rows = alpha.reshape(-1, alpha.shape[-1])
        draws = self.xp.stack([self.xp.random.dirichlet(row, size=(n,)) for row in rows], axis=1)
        return Variable(draws.astype(alpha.dtype).reshape(n, *alpha.shape), requires_grad=False)


def log_beta(dist: Dirichlet) -> Any:
    """The logarithm of B(alpha), by which the density is normalized."""
    return sum(lgamma(dist.alpha), axis=-1) - lgamma(dist.alpha0)


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(dist1: Dirichlet, dist2: Dirichlet) -> Any:
    means = digamma(dist1.alpha) - expand_dims(digamma(dist1.alpha0), -1)
    return log_beta(dist2) - log_beta(dist1) + sum((dist1.alpha - dist2.alpha) * means, axis=-1)
