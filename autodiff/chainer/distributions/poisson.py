"""The Poisson distribution."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import event, parameter
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.functions.math.lgamma import lgamma
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


class Poisson(Distribution):
    """P(k) = lam^k exp(-lam) / k! for k = 0, 1, ...

    Args:
        lam: the mean.

    >>> import numpy as np
    >>> Poisson(np.array([1.0])).log_prob(np.array([2]))
    variable([-1.69314718])
    """

    def __init__(self, lam: Any) -> None:
        self._lam = parameter(lam)

    @property
    def lam(self) -> Any:
        """The mean."""
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
        return "non negative integer"

    @property
    def mean(self) -> Any:
        return self.lam

    @property
    def variance(self) -> Any:
        return self.lam

    def log_prob(self, x: Any) -> Any:
        x = event(as_array(x), self.lam.dtype)
        return x * log(self.lam) - lgamma(x + 1) - self.lam

    def sample_n(self, n: int) -> Any:
        draws = self.xp.random.poisson(as_array(self.lam), size=(n, *self.batch_shape))
        return Variable(draws.astype(self.lam.dtype), requires_grad=False)


@register_kl(Poisson, Poisson)
def _kl_poisson_poisson(dist1: Poisson, dist2: Poisson) -> Any:
    return dist1.lam * (log(dist1.lam) - log(dist2.lam)) - dist1.lam + dist2.lam
