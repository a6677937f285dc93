"""The exponential distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import event, fitted, parameter, within
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.functions.math.exponential_m1 import expm1
from autodiff.chainer.functions.math.logarithm_1p import log1p
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.variables.conversion import as_array


class Exponential(Distribution):
    """p(x) = lam exp(-lam x) for x >= 0.

    Args:
        lam: the rate, one over the mean.

    >>> Exponential(np.array([2.0])).log_prob(np.array([1.0]))
    variable([-1.30685282])
    """

    def __init__(self, lam: Any) -> None:
        self._lam = parameter(lam)

    @property
    def lam(self) -> Any:
        """The rate."""
        return self._lam

    @property
    def params(self) -> dict[str, Any]:
        return {"lam": self.lam}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.lam.shape  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return "positive"

    @cached_property
    def mean(self) -> Any:
        return 1 / self.lam

    @cached_property
    def variance(self) -> Any:
        return self.mean**2

    @cached_property
    def entropy(self) -> Any:
        return 1 - log(self.lam)

    def log_prob(self, x: Any) -> Any:
        return within(as_array(x) >= 0, log(self.lam) - self.lam * x, -np.inf)

    def cdf(self, x: Any) -> Any:
        return -expm1(-self.lam * x)

    def icdf(self, x: Any) -> Any:
        return -1 / self.lam * log1p(-event(x))

    def sample_n(self, n: int) -> Any:
        noise = self.xp.random.standard_exponential((n, *self.batch_shape)).astype(self.lam.dtype)
        return noise / fitted(self.lam, n, self.batch_shape)


@register_kl(Exponential, Exponential)
def _kl_exponential_exponential(dist1: Exponential, dist2: Exponential) -> Any:
    return log(dist1.lam) - log(dist2.lam) + dist2.lam / dist1.lam - 1.0
