"""Axes of a batch as axes of the event."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.distribution import Distribution, kl_divergence, register_kl
from autodiff.chainer.functions.array.broadcast import broadcast_to
from autodiff.chainer.functions.math.prod import prod
from autodiff.chainer.functions.math.sum import sum
from autodiff.chainer.utils.array import size_of_shape
from autodiff.chainer.utils.cache import cached_property
from autodiff.facade.graph.applying import apply
from autodiff.trace.source import at_user_line


class Independent(Distribution):
    """The joint distribution of independent events: the last axes of a batch become axes of the event.

    Args:
        distribution: the distributions of the single events.
        reinterpreted_batch_ndims: how many axes; all but the first if None.

    Raises:
        ValueError: if there are not so many axes.

    >>> from autodiff.chainer.distributions import Normal
    >>> import numpy as np
    >>> normal = Normal(np.zeros((2, 3)), np.ones((2, 3)))
    >>> Independent(normal).log_prob(np.zeros((2, 3)))
    variable([-2.7568156, -2.7568156])
    """

    def __init__(self, distribution: Distribution, reinterpreted_batch_ndims: int | None = None) -> None:
        available = len(distribution.batch_shape)
        count = max(available - 1, 0) if reinterpreted_batch_ndims is None else reinterpreted_batch_ndims
        if not 0 <= count <= available:
            raise ValueError(
                f"reinterpreted_batch_ndims must be from 0 to {available}, the number of axes of the batch, "
                f"and {count} arrived{at_user_line()}"
            )
        self._distribution, self._count = distribution, count

    @property
    def distribution(self) -> Distribution:
        """The distributions of the single events."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self) -> int:
        """How many axes became axes of the event."""
        return self._count

    @property
    def batch_shape(self) -> tuple[int, ...]:
        shape = self.distribution.batch_shape
        return shape[: len(shape) - self._count]

    @property
    def event_shape(self) -> tuple[int, ...]:
        shape = self.distribution.batch_shape
        return shape[len(shape) - self._count :] + self.distribution.event_shape

    @property
    def params(self) -> dict[str, Any]:
        return self.distribution.params

    @property
    def support(self) -> str:
        return self.distribution.support

    @property
    def xp(self) -> Any:
        return self.distribution.xp

    @property
    def mean(self) -> Any:
        return self.distribution.mean

    @property
    def mode(self) -> Any:
        return self.distribution.mode

    @property
    def variance(self) -> Any:
        return self.distribution.variance

    @property
    def stddev(self) -> Any:
        return self.distribution.stddev

    @cached_property
    def covariance(self) -> Any:
        """The covariance of all components of an event in one row: a matrix of blocks, zero off the diagonal."""
        blocks, count = self.distribution.covariance, size_of_shape(self.event_shape)
        shape = (*self.batch_shape, count, count)
        return apply("BlockDiagonal", lambda blocks: block_diagonal(blocks, shape), (blocks,))

    @cached_property
    def entropy(self) -> Any:
        return self._reduced(sum, broadcast_to(self.distribution.entropy, self.distribution.batch_shape))

    def _reduced(self, reduce: Any, value: Any) -> Any:
        return reduce(value, axis=tuple(range(-self._count, 0))) if self._count else value

    def prob(self, x: Any) -> Any:
        return self._reduced(prod, self.distribution.prob(x))

    def log_prob(self, x: Any) -> Any:
        return self._reduced(sum, self.distribution.log_prob(x))

    def cdf(self, x: Any) -> Any:
        return self._reduced(prod, self.distribution.cdf(x))

    def log_cdf(self, x: Any) -> Any:
        return self._reduced(sum, self.distribution.log_cdf(x))

    def icdf(self, x: Any) -> Any:
        """There is none.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(f"several events have one probability; it cannot be inverted{at_user_line()}")

    def survival_function(self, x: Any) -> Any:
        """The probability that every component lies beyond that of ``x``."""
        return self._reduced(prod, self.distribution.survival_function(x))

    def log_survival_function(self, x: Any) -> Any:
        return self._reduced(sum, self.distribution.log_survival_function(x))

    def perplexity(self, x: Any) -> Any:
        return self._reduced(prod, self.distribution.perplexity(x))

    def sample_n(self, n: int) -> Any:
        return self.distribution.sample_n(n)


def block_diagonal(blocks: Any, shape: tuple[int, ...]) -> Any:
    """Matrices along the diagonal of a large one.

    Args:
        blocks: of shape (..., d, d).
        shape: of the result, (..., n d, n d).

    >>> import numpy as np
    >>> block_diagonal(np.array([[[1.0]], [[2.0]]]), (2, 2))
    array([[1., 0.],
           [0., 2.]])
    """
    size = blocks.shape[-1]
    count = shape[-1] // size
    blocks = blocks.reshape(-1, count, size, 1, size)
    return (blocks * get_array_module(blocks).eye(count, dtype=blocks.dtype)[:, None, :, None]).reshape(shape)


@register_kl(Independent, Independent)
def _kl_independent_independent(dist1: Independent, dist2: Independent) -> Any:
    if dist1.event_shape != dist2.event_shape:
        shapes = f"{dist1.event_shape} and {dist2.event_shape}"
        raise ValueError(f"the events of both distributions must have one shape, got {shapes}{at_user_line()}")
    divergence = kl_divergence(dist1.distribution, dist2.distribution)
    return dist1._reduced(sum, broadcast_to(divergence, dist1.distribution.batch_shape))
