"""The Bernoulli distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import demand_one, event, parameter, times_log, within
from autodiff.chainer.functions.activation.sigmoid import sigmoid
from autodiff.chainer.functions.activation.softplus import softplus
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.functions.math.logarithm_1p import log1p
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


class Bernoulli(Distribution):
    """P(1) = p and P(0) = 1 - p.

    Args:
        p: the probability of 1.
        logit: log(p / (1 - p)), instead of ``p``.
        binary_check: whether events other than 0 and 1 have probability 0; otherwise they are not looked for.

    Raises:
        ValueError: if not exactly one of ``p`` and ``logit`` is given.

    >>> coin = Bernoulli(np.array([0.5, 0.25]))
    >>> coin.log_prob(np.array([1, 1]))
    variable([-0.69314718, -1.38629436])
    """

    def __init__(self, p: Any = None, logit: Any = None, binary_check: bool = False) -> None:
        demand_one("Bernoulli", "p", "logit", p is not None, logit is not None)
        self._p: Any = None if p is None else parameter(p)
        self._logit: Any = None if logit is None else parameter(logit)
        self.binary_check = binary_check

    @cached_property
    def p(self) -> Any:
        """The probability of 1."""
        return sigmoid(self._logit) if self._p is None else self._p

    @cached_property
    def logit(self) -> Any:
        """log(p / (1 - p))."""
        return log(self._p) - log1p(-self._p) if self._logit is None else self._logit

    @property
    def params(self) -> dict[str, Any]:
        return {"logit": self.logit}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return (self._logit if self._p is None else self._p).shape  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return "{0, 1}"

    @property
    def mean(self) -> Any:
        return self.p

    @cached_property
    def variance(self) -> Any:
        return self.p * (1 - self.p)

    @cached_property
    def stddev(self) -> Any:
        return self.variance**0.5

    @cached_property
    def entropy(self) -> Any:
        q = 1.0 - self.p
        return -times_log(self.p, log(self.p)) - times_log(q, log(q))

    def log_prob(self, x: Any) -> Any:
        x = as_array(x)
        log_p = apply("BernoulliLogProb", lambda logit: log_probability(logit, x), (self.logit,))
        return self._checked(x, log_p, -np.inf)

    def prob(self, x: Any) -> Any:
        x = event(x, self.p.dtype)
        return self._checked(x, x * self.p + (1 - x) * (1 - self.p), 0.0)

    def _checked(self, x: Any, value: Any, outside: float) -> Any:
        x = as_array(x)
        return within((x == 0) | (x == 1), value, outside) if self.binary_check else value

    def sample_n(self, n: int) -> Any:
        draws = self.xp.random.binomial(1, as_array(self.p), size=(n, *self.batch_shape))
        return Variable(draws, requires_grad=False)


def log_probability(logit: Any, x: Any) -> Any:
    """x log(p) + (1 - x) log(1 - p), where 0 times minus infinity is 0."""
    x = get_array_module(logit).asarray(x, dtype=logit.dtype) if np.isscalar(x) else x.astype(logit.dtype)
    return -np.where(x == 0, 0, x * np.logaddexp(-logit, 0)) - np.where(x == 1, 0, (1 - x) * np.logaddexp(logit, 0))


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(dist1: Bernoulli, dist2: Bernoulli) -> Any:
    return dist1.p * (dist1.logit - dist2.logit) - softplus(dist1.logit) + softplus(dist2.logit)
