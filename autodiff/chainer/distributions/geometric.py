"""The geometric distribution."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import event, parameter
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.functions.math.logarithm_1p import log1p
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


class Geometric(Distribution):
    """P(k) = p (1 - p)^(k - 1) for k = 1, 2, ...: the number of trials up to the first success.

    Args:
        p: the probability of success.

    >>> import numpy as np
    >>> Geometric(np.array([0.5])).log_prob(np.array([2]))
    variable([-1.38629436])
    """

    def __init__(self, p: Any) -> None:
        self._p = parameter(p)

    @property
    def p(self) -> Any:
        """The probability of success."""
        return self._p

    @property
    def params(self) -> dict[str, Any]:
        return {"p": self.p}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.p.shape  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return "positive integer"

    @cached_property
    def mean(self) -> Any:
        return 1 / self.p

    @cached_property
    def variance(self) -> Any:
        return (1 - self.p) / self.p**2

    def log_prob(self, x: Any) -> Any:
        return (event(x, self.p.dtype) - 1) * log1p(-self.p) + log(self.p)

    def sample_n(self, n: int) -> Any:
        draws = self.xp.random.geometric(as_array(self.p), size=(n, *self.batch_shape))
        return Variable(draws.astype(self.p.dtype), requires_grad=False)


@register_kl(Geometric, Geometric)
def _kl_geometric_geometric(dist1: Geometric, dist2: Geometric) -> Any:
    failures = (1 / dist1.p - 1) * (log1p(-dist1.p) - log1p(-dist2.p))
    return failures + log(dist1.p) - log(dist2.p)
