"""The beta distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import event, log_beta, parameter, within
from autodiff.chainer.functions.math.digamma import digamma
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.functions.math.logarithm_1p import log1p
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


class Beta(Distribution):
    """p(x) = x^(a - 1) (1 - x)^(b - 1) / B(a, b) for x between 0 and 1.

    Args:
        a: the exponent of x, plus one.
        b: the exponent of 1 - x, plus one.

    >>> Beta(np.array([2.0]), np.array([2.0])).log_prob(np.array([0.5]))
    variable([0.40546511])
    """

    def __init__(self, a: Any, b: Any) -> None:
        self._a, self._b = parameter(a), parameter(b)

    @property
    def a(self) -> Any:
        """The exponent of x, plus one."""
        return self._a

    @property
    def b(self) -> Any:
        """The exponent of 1 - x, plus one."""
        return self._b

    @property
    def params(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.a.shape  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return "[0, 1]"

    @cached_property
    def mean(self) -> Any:
        return self.a / (self.a + self.b)

    @cached_property
    def variance(self) -> Any:
        total = self.a + self.b
        return self.a * self.b / total**2 / (total + 1)

    @cached_property
    def entropy(self) -> Any:
        a, b, total = self.a, self.b, self.a + self.b
        return log_beta(a, b) - (a - 1) * digamma(a) - (b - 1) * digamma(b) + (total - 2) * digamma(total)

    def log_prob(self, x: Any) -> Any:
        x = event(x)
        inside = (as_array(x) >= 0) & (as_array(x) <= 1)
        log_p = (self.a - 1) * log(x) + (self.b - 1) * log1p(-x) - log_beta(self.a, self.b)
        return within(inside, log_p, -np.inf)

    def sample_n(self, n: int) -> Any:
        draws = self.xp.random.beta(as_array(self.a), as_array(self.b), size=(n, *self.batch_shape))
        return Variable(draws.astype(self.a.dtype), requires_grad=False)


@register_kl(Beta, Beta)
def _kl_beta_beta(dist1: Beta, dist2: Beta) -> Any:
    a, b = dist1.a - dist2.a, dist1.b - dist2.b
    means = a * digamma(dist1.a) + b * digamma(dist1.b) - (a + b) * digamma(dist1.a + dist1.b)
    return log_beta(dist2.a, dist2.b) - log_beta(dist1.a, dist1.b) + means
