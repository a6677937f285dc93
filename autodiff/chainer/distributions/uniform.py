"""The uniform distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.parameters import demand_one, fitted, parameter, within
from autodiff.chainer.functions.math.clip import clip
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.functions.math.sqrt import sqrt
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.variables.conversion import as_array


class Uniform(Distribution):
    """p(x) = 1 / (high - low) for x between low and high.

    Args:
        low: the lower end; all arguments are keywords.
        high: the upper end.
        loc: the lower end, together with ``scale`` instead of the ends.
        scale: the width.

    Raises:
        ValueError: if not exactly one of the pairs ``low, high`` and ``loc, scale`` is given.

    >>> Uniform(low=np.array([0.0]), high=np.array([2.0])).log_prob(np.array([1.0]))
    variable([-0.69314718])
    """

    def __init__(self, **kwargs: Any) -> None:
        names = ("low", "high", "loc", "scale")
        low, high, loc, scale = parse_kwargs(kwargs, *((name, None) for name in names))
        by_ends, by_width = low is not None and high is not None, loc is not None and scale is not None
        demand_one("Uniform", "low and high", "loc and scale", by_ends, by_width)
        self._low, self._second = parameter(low if by_ends else loc), parameter(high if by_ends else scale)
        self._by_ends = by_ends

    @property
    def low(self) -> Any:
        """The lower end."""
        return self._low

    @property
    def loc(self) -> Any:
        """The lower end."""
        return self._low

    @cached_property
    def high(self) -> Any:
        """The upper end."""
        return self._second if self._by_ends else self.loc + self._second

    @cached_property
    def scale(self) -> Any:
        """The width."""
        return self._second - self.low if self._by_ends else self._second

    @property
    def params(self) -> dict[str, Any]:
        first, second = ("low", "high") if self._by_ends else ("loc", "scale")
        return {first: self._low, second: self._second}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.low.shape  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return "[low, high]"

    @cached_property
    def mean(self) -> Any:
        return (self.high + self.low) * 0.5

    @cached_property
    def variance(self) -> Any:
        return self.scale**2 * (1 / 12)

    @cached_property
    def stddev(self) -> Any:
        return sqrt(self.variance)

    @cached_property
    def entropy(self) -> Any:
        return log(self.scale)

    def log_prob(self, x: Any) -> Any:
        inside = (as_array(x) >= as_array(self.low)) & (as_array(x) <= as_array(self.high))
        return within(inside, -log(self.scale), -np.inf)

    def cdf(self, x: Any) -> Any:
        return clip((x - self.loc) / self.scale, 0.0, 1.0)

    def icdf(self, x: Any) -> Any:
        return x * self.scale + self.loc

    def sample_n(self, n: int) -> Any:
        noise = self.xp.random.uniform(0, 1, (n, *self.batch_shape)).astype(self.low.dtype)
        return fitted(self.scale, n, self.batch_shape) * noise + fitted(self.loc, n, self.batch_shape)


@register_kl(Uniform, Uniform)
def _kl_uniform_uniform(dist1: Uniform, dist2: Uniform) -> Any:
    contained = (as_array(dist1.high) <= as_array(dist2.high)) & (as_array(dist1.low) >= as_array(dist2.low))
    return within(contained, log(dist2.scale) - log(dist1.scale), np.inf)
