"""The categorical distribution of unit vectors."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import event, parameter, times_log
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.functions.math.sum import sum
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


class OneHotCategorical(Distribution):
    """P(e_k) = p[k] for the vectors e_k that are 1 at place k and 0 elsewhere.

    Args:
        p: the probabilities, along the last axis.

    >>> import numpy as np
    >>> OneHotCategorical(np.array([0.5, 0.25, 0.25])).log_prob(np.array([0, 1, 0]))
    variable(-1.38629436)
    """

    def __init__(self, p: Any) -> None:
        self._p = parameter(p)

    @property
    def p(self) -> Any:
        """The probabilities."""
        return self._p

    @cached_property
    def log_p(self) -> Any:
        """The logarithms of the probabilities."""
        return log(self.p)

    @property
    def params(self) -> dict[str, Any]:
        return {"p": self.p}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.p.shape[:-1]  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return self.p.shape[-1:]  # type: ignore[no-any-return]

    @property
    def mean(self) -> Any:
        return self.p

    @cached_property
    def variance(self) -> Any:
        return self.p * (1 - self.p)

    def log_prob(self, x: Any) -> Any:
        return sum(times_log(event(x, self.p.dtype), self.log_p), axis=-1)

    def sample_n(self, n: int) -> Any:
        xp, p = self.xp, as_array(self.p)
        rows = p.reshape(-1, p.shape[-1])
        places = xp.stack([xp.random.choice(p.shape[-1], (n,), p=row) for row in rows], axis=-1)
        draws = xp.eye(p.shape[-1], dtype=p.dtype)[places]
        return Variable(draws.reshape(n, *p.shape), requires_grad=False)


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_one_hot_categorical_one_hot_categorical(dist1: OneHotCategorical, dist2: OneHotCategorical) -> Any:
    return sum(times_log(dist1.p, dist1.log_p - dist2.log_p), axis=-1)
