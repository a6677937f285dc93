"""The Cauchy distribution."""

from __future__ import annotations

import math
import warnings
from typing import Any

from autodiff.chainer.distribution import Distribution
from autodiff.chainer.distributions.parameters import event, fitted, parameter
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.functions.math.trigonometric import arctan, tan
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


class Cauchy(Distribution):
    """p(x) = scale / (pi (scale^2 + (x - loc)^2)). It has neither a mean nor a variance.

    Args:
        loc: the median.
        scale: half of the distance between the quartiles.

    >>> import numpy as np
    >>> Cauchy(np.array([0.0]), np.array([1.0])).cdf(np.array([1.0]))
    variable([0.75])
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self._loc, self._scale = parameter(loc), parameter(scale)

    @property
    def loc(self) -> Any:
        """The median."""
        return self._loc

    @property
    def scale(self) -> Any:
        """Half of the distance between the quartiles."""
        return self._scale

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
        """NaN, with a warning."""
        return self._undefined("mean")

    @property
    def variance(self) -> Any:
        """NaN, with a warning."""
        return self._undefined("variance")

    def _undefined(self, what: str) -> Any:
        warnings.warn(f"the Cauchy distribution has no {what}; it is NaN", RuntimeWarning, stacklevel=3)
        return Variable(self.xp.full_like(as_array(self.loc), math.nan), requires_grad=False)

    @cached_property
    def entropy(self) -> Any:
        return log(4 * math.pi * self.scale)

    def log_prob(self, x: Any) -> Any:
        return -math.log(math.pi) + log(self.scale) - log(self.scale**2 + (x - self.loc) ** 2)

    def cdf(self, x: Any) -> Any:
        return 1 / math.pi * arctan((x - self.loc) / self.scale) + 0.5

    def icdf(self, x: Any) -> Any:
        return self.loc + self.scale * tan(math.pi * (event(x) - 0.5))

    def sample_n(self, n: int) -> Any:
        noise = self.xp.random.standard_cauchy((n, *self.batch_shape)).astype(self.loc.dtype)
        return fitted(self.scale, n, self.batch_shape) * noise + fitted(self.loc, n, self.batch_shape)
