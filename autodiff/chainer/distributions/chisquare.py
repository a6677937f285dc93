"""The chi-square distribution."""

from __future__ import annotations

import math
from typing import Any

from autodiff.chainer.distribution import Distribution
from autodiff.chainer.distributions.parameters import parameter
from autodiff.chainer.functions.math.digamma import digamma
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.functions.math.lgamma import lgamma
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


class Chisquare(Distribution):
    """p(x) = x^(k/2 - 1) exp(-x/2) / (2^(k/2) Gamma(k/2)) for x > 0: the sum of k squared standard normal numbers.

    Args:
        k: the degrees of freedom.

    >>> import numpy as np
    >>> Chisquare(np.array([2.0])).log_prob(np.array([2.0]))
    variable([-1.69314718])
    """

    def __init__(self, k: Any) -> None:
        self._k = parameter(k)

    @property
    def k(self) -> Any:
        """The degrees of freedom."""
        return self._k

    @property
    def params(self) -> dict[str, Any]:
        return {"k": self.k}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.k.shape  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return "positive"

    @property
    def mean(self) -> Any:
        return self.k

    @cached_property
    def variance(self) -> Any:
        return 2 * self.k

    @cached_property
    def entropy(self) -> Any:
        half = 0.5 * self.k
        return half + math.log(2.0) + lgamma(half) + (1 - half) * digamma(half)

    def log_prob(self, x: Any) -> Any:
        half = 0.5 * self.k
        return -lgamma(half) - half * math.log(2.0) + (half - 1) * log(x) - 0.5 * x

    def sample_n(self, n: int) -> Any:
        draws = self.xp.random.chisquare(as_array(self.k), (n, *self.batch_shape))
        return Variable(draws.astype(self.k.dtype), requires_grad=False)
