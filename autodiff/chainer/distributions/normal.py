"""The normal distribution."""

from __future__ import annotations

import math
from typing import Any

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import demand_one, fitted, parameter
from autodiff.chainer.functions.math.exponential import exp, log
from autodiff.chainer.functions.math.log_ndtr import log_ndtr
from autodiff.chainer.functions.math.ndtr import ndtr
from autodiff.chainer.functions.math.ndtri import ndtri
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.chainer.utils.cache import cached_property

HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


class Normal(Distribution):
    """p(x) = exp(-(x - loc)^2 / (2 scale^2)) / (sqrt(2 pi) scale).

    Args:
        loc: the mean.
        scale: the standard deviation.
        log_scale: its logarithm, instead of ``scale``; keyword only.

    Raises:
        ValueError: if not exactly one of ``scale`` and ``log_scale`` is given.

    >>> import numpy as np
    >>> normal = Normal(np.array([0.0, 1.0]), np.array([1.0, 2.0]))
    >>> normal.log_prob(np.array([0.0, 0.0]))
    variable([-0.91893853, -1.73708571])
    """

    def __init__(self, loc: Any, scale: Any = None, **kwargs: Any) -> None:
        (log_scale,) = parse_kwargs(kwargs, ("log_scale", None))
        demand_one("Normal", "scale", "log_scale", scale is not None, log_scale is not None)
        self._loc = parameter(loc)
        self._scale = None if scale is None else parameter(scale)
        self._log_scale = None if log_scale is None else parameter(log_scale)

    @property
    def loc(self) -> Any:
        """The mean."""
        return self._loc

    @cached_property
    def scale(self) -> Any:
        """The standard deviation."""
        return exp(self._log_scale) if self._scale is None else self._scale

    @cached_property
    def log_scale(self) -> Any:
        """The logarithm of the standard deviation."""
        return log(self._scale) if self._log_scale is None else self._log_scale

    @property
    def params(self) -> dict[str, Any]:
        return {"loc": self.loc, "scale": self.scale}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.loc.shape  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return "real"

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def stddev(self) -> Any:
        return self.scale

    @cached_property
    def variance(self) -> Any:
        return self.scale**2

    @cached_property
    def entropy(self) -> Any:
        return self.log_scale + (0.5 + HALF_LOG_2PI)

    def log_prob(self, x: Any) -> Any:
        return -HALF_LOG_2PI - self.log_scale - 0.5 * (x - self.loc) ** 2 / self.scale**2

    def prob(self, x: Any) -> Any:
        return 1 / math.sqrt(2 * math.pi) / self.scale * exp(-0.5 * (x - self.loc) ** 2 / self.variance)

    def _standard(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def cdf(self, x: Any) -> Any:
        return ndtr(self._standard(x))

    def log_cdf(self, x: Any) -> Any:
        return log_ndtr(self._standard(x))

    def icdf(self, x: Any) -> Any:
        return self.loc + self.scale * ndtri(x)

    def survival_function(self, x: Any) -> Any:
        return ndtr(-self._standard(x))

    def log_survival_function(self, x: Any) -> Any:
        return log_ndtr(-self._standard(x))

    def sample_n(self, n: int) -> Any:
        noise = self.xp.random.standard_normal((n, *self.batch_shape)).astype(self.loc.dtype)
        return fitted(self.scale, n, self.batch_shape) * noise + fitted(self.loc, n, self.batch_shape)


@register_kl(Normal, Normal)
def _kl_normal_normal(dist1: Normal, dist2: Normal) -> Any:
    distance = 0.5 * (dist1.loc - dist2.loc) ** 2 / dist2.variance
    return dist2.log_scale - dist1.log_scale + distance + 0.5 * dist1.variance / dist2.variance - 0.5
