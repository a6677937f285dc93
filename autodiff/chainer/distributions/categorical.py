"""The categorical distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import demand_one, parameter, times_log
from autodiff.chainer.functions.activation.log_softmax import log_softmax
from autodiff.chainer.functions.math.exponential import exp, log
from autodiff.chainer.functions.math.sum import sum
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


class Categorical(Distribution):
    """P(k) = p[k] for k = 0, 1, ...

    Args:
        p: the probabilities, along the last axis.
        logit: numbers whose softmax they are, instead of ``p``; keyword only.

    Raises:
        ValueError: if not exactly one of ``p`` and ``logit`` is given.

    >>> Categorical(np.array([[0.5, 0.5], [0.25, 0.75]])).log_prob(np.array([0, 1]))
    variable([-0.69314718, -0.28768207])
    """

    def __init__(self, p: Any = None, **kwargs: Any) -> None:
        (logit,) = parse_kwargs(kwargs, ("logit", None))
        demand_one("Categorical", "p", "logit", p is not None, logit is not None)
        self._p = None if p is None else parameter(p)
        self._logit = None if logit is None else parameter(logit)

    @cached_property
    def p(self) -> Any:
        """The probabilities."""
        return exp(self.log_p) if self._p is None else self._p

    @cached_property
    def log_p(self) -> Any:
        """The logarithms of the probabilities."""
        return log_softmax(self._logit, axis=-1) if self._p is None else log(self._p)

    @property
    def params(self) -> dict[str, Any]:
        return {"p": self.p}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.log_p.shape[:-1]  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @cached_property
    def entropy(self) -> Any:
        return -sum(times_log(self.p, self.log_p), axis=-1)

    def log_prob(self, x: Any) -> Any:
        chosen = as_array(x).astype(np.int64)
        places = np.ogrid[tuple(map(slice, self.batch_shape))]
        return self.log_p[(*places, chosen)]

    def sample_n(self, n: int) -> Any:
        p = as_array(self.p)
        rows = p.reshape(-1, p.shape[-1])
        draws = [self.xp.random.choice(p.shape[-1], size=(n,), p=row) for row in rows]
        return Variable(self.xp.stack(draws, axis=-1).reshape(n, *self.batch_shape), requires_grad=False)


@register_kl(Categorical, Categorical)
def _kl_categorical_categorical(dist1: Categorical, dist2: Categorical) -> Any:
    return sum(times_log(dist1.p, dist1.log_p - dist2.log_p), axis=-1)
