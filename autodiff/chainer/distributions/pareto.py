"""The Pareto distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import fitted, parameter, within
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.variables.conversion import as_array


class Pareto(Distribution):
    """p(x) = alpha scale^alpha / x^(alpha + 1) for x >= scale.

    Args:
        scale: the smallest event.
        alpha: how fast the tail falls. The mean is infinite up to 1, the variance up to 2.

    >>> Pareto(np.array([1.0]), np.array([2.0])).log_prob(np.array([1.0]))
    variable([0.69314718])
    """

    def __init__(self, scale: Any, alpha: Any) -> None:
        self._scale, self._alpha = parameter(scale), parameter(alpha)

    @property
    def scale(self) -> Any:
        """The smallest event."""
        return self._scale

    @property
    def alpha(self) -> Any:
        """How fast the tail falls."""
        return self._alpha

    @property
    def params(self) -> dict[str, Any]:
        return {"scale": self.scale, "alpha": self.alpha}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.scale.shape  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return "[scale, inf]"

    @cached_property
    def mean(self) -> Any:
        finite = as_array(self.alpha) > 1
        beyond = within(finite, self.alpha - 1, 1.0)
        return within(finite, self.alpha * self.scale / beyond, np.inf)

    @cached_property
    def variance(self) -> Any:
        finite = as_array(self.alpha) > 2
        beyond = within(finite, (self.alpha - 1) ** 2 * (self.alpha - 2), 1.0)
        return within(finite, self.scale**2 * self.alpha / beyond, np.inf)

    @cached_property
    def entropy(self) -> Any:
        return log(self.scale) - log(self.alpha) + 1 / self.alpha + 1.0

    def log_prob(self, x: Any) -> Any:
        log_p = log(self.alpha) + self.alpha * log(self.scale) - (self.alpha + 1) * log(x)
        return within(as_array(x) >= as_array(self.scale), log_p, -np.inf)

    def sample_n(self, n: int) -> Any:
        shape = (n, *self.batch_shape)
        noise = self.xp.random.pareto(as_array(self.alpha), shape).astype(self.alpha.dtype)
        return (noise + 1) * fitted(self.scale, n, self.batch_shape)


@register_kl(Pareto, Pareto)
def _kl_pareto_pareto(dist1: Pareto, dist2: Pareto) -> Any:
    scales = dist2.alpha * (log(dist1.scale) - log(dist2.scale))
    divergence = scales + log(dist1.alpha) - log(dist2.alpha) + dist2.alpha / dist1.alpha - 1
    return within(as_array(dist1.scale) >= as_array(dist2.scale), divergence, np.inf)
