"""The normal distribution of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.distribution import Distribution, register_kl
from autodiff.chainer.distributions.normal import HALF_LOG_2PI
from autodiff.chainer.distributions.parameters import fitted, parameter
from autodiff.chainer.functions.array.diagonal import diagonal
from autodiff.chainer.functions.array.expand_dims import expand_dims
from autodiff.chainer.functions.array.squeeze import squeeze
from autodiff.chainer.functions.math.exponential import log
from autodiff.chainer.functions.math.matmul import matmul
from autodiff.chainer.functions.math.sum import sum
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.graph.applying import apply
from autodiff.trace.source import at_user_line


class MultivariateNormal(Distribution):
    """``p(x) = exp(-|z|^2 / 2) / ((2 pi)^(d/2) |det L|)`` with ``L z = x - loc``.

    Args:
        loc: the mean, of shape (..., d).
        scale_tril: L, the lower triangular factor of the covariance L L^T, of shape (..., d, d); keyword only. Of a
            matrix that is not triangular, densities read the lower triangle alone.

    Raises:
        ValueError: if ``scale_tril`` is missing.

    >>> normal = MultivariateNormal(np.zeros(2), scale_tril=np.eye(2))
    >>> normal.log_prob(np.array([1.0, 1.0]))
    variable(-2.83787707)
    """

    def __init__(self, loc: Any, **kwargs: Any) -> None:
        (scale_tril,) = parse_kwargs(kwargs, ("scale_tril", None))
        if scale_tril is None:
            raise ValueError(f"MultivariateNormal needs scale_tril, the factor of the covariance{at_user_line()}")
        self._loc, self._scale_tril = parameter(loc), parameter(scale_tril)

    @property
    def loc(self) -> Any:
        """The mean."""
        return self._loc

    @property
    def scale_tril(self) -> Any:
        """The lower triangular factor of the covariance."""
        return self._scale_tril

    @property
    def params(self) -> dict[str, Any]:
        return {"loc": self.loc, "scale_tril": self.scale_tril}

    @property
    def d(self) -> int:
        """The number of components."""
        return int(self.loc.shape[-1])

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.loc.shape[:-1]  # type: ignore[no-any-return]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return self.loc.shape[-1:]  # type: ignore[no-any-return]

    @property
    def support(self) -> str:
        return "real"

    @property
    def mean(self) -> Any:
        return self.loc

    @cached_property
    def covariance(self) -> Any:
        return matmul(self.scale_tril, self.scale_tril, transb=True)

    @cached_property
    def _log_det(self) -> Any:
        return sum(log(abs(diagonal(self.scale_tril, axis1=-2, axis2=-1))), axis=-1)

    @cached_property
    def entropy(self) -> Any:
        return self._log_det + self.d * (0.5 + HALF_LOG_2PI)

    def log_prob(self, x: Any) -> Any:
        z = solved(self.scale_tril, expand_dims(x - self.loc, -1))
        return -HALF_LOG_2PI * self.d - self._log_det - 0.5 * sum(z**2, axis=(-2, -1))

    def sample_n(self, n: int) -> Any:
        noise = self.xp.random.standard_normal((n, *self.loc.shape, 1)).astype(self.loc.dtype)
        spread = matmul(fitted(self.scale_tril, n, self.scale_tril.shape), noise)
        return squeeze(spread, axis=-1) + fitted(self.loc, n, self.loc.shape)


def solved(tril: Any, b: Any) -> Any:
    """The solution z of L z = b for lower triangular L."""
    return apply("TriangularSolve", lambda tril, b: np.linalg.solve(np.tril(tril), b), (tril, b))


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariatenormal_multivariatenormal(dist1: MultivariateNormal, dist2: MultivariateNormal) -> Any:
    shift = solved(dist2.scale_tril, expand_dims(dist1.loc - dist2.loc, -1))
    spread = solved(dist2.scale_tril, dist1.scale_tril)
    squares = sum(spread**2, axis=(-2, -1)) + sum(shift**2, axis=(-2, -1))
    return dist2._log_det - dist1._log_det + 0.5 * squares - 0.5 * dist1.d
