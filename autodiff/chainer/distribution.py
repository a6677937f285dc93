"""Probability distributions: what each can be asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.array.reshape import reshape
from autodiff.chainer.utils.array import size_of_shape
from autodiff.trace.source import at_user_line


class Distribution:
    """The base of distributions. What one of them has no formula for raises NotImplementedError.

    Samples and parameters have the shape ``sample_shape + batch_shape + event_shape``: independent draws, the
    distributions of a batch, and the axes of a single event.
    """

    def _missing(self, what: str) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__} has no {what}{at_user_line()}")

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the batch of distributions."""
        return self._missing("batch_shape")

    @property
    def event_shape(self) -> tuple[int, ...]:
        """The shape of one event; () for distributions of numbers."""
        return self._missing("event_shape")

    @property
    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return self._missing("params")

    @property
    def support(self) -> str:
        """In words, where events lie."""
        return self._missing("support")

    @property
    def xp(self) -> Any:
        """The module of the parameters' arrays."""
        return get_array_module(*self.params.values())

    @property
    def mean(self) -> Any:
        """The mean."""
        return self._missing("mean")

    @property
    def mode(self) -> Any:
        """The most probable event."""
        return self._missing("mode")

    @property
    def variance(self) -> Any:
        """The variance."""
        return self._missing("variance")

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return self._missing("stddev")

    @property
    def covariance(self) -> Any:
        """The covariance of the components of an event."""
        return self._missing("covariance")

    @property
    def entropy(self) -> Any:
        """The entropy, in natural units."""
        return self._missing("entropy")

    def prob(self, x: Any) -> Any:
        """The probability, or its density, at ``x``."""
        return self._missing("prob")

    def log_prob(self, x: Any) -> Any:
        """The logarithm of :meth:`prob`."""
        return self._missing("log_prob")

    def cdf(self, x: Any) -> Any:
        """The probability of events up to ``x``."""
        return self._missing("cdf")

    def log_cdf(self, x: Any) -> Any:
        """The logarithm of :meth:`cdf`."""
        return self._missing("log_cdf")

    def icdf(self, x: Any) -> Any:
        """The event whose :meth:`cdf` is ``x``."""
        return self._missing("icdf")

    def survival_function(self, x: Any) -> Any:
        """The probability of events beyond ``x``."""
        return self._missing("survival_function")

    def log_survival_function(self, x: Any) -> Any:
        """The logarithm of :meth:`survival_function`."""
        return self._missing("log_survival_function")

    def perplexity(self, x: Any) -> Any:
        """The perplexity."""
        return self._missing("perplexity")

    def sample(self, sample_shape: int | Iterable[int] = ()) -> Any:
        """Independent draws from NumPy's global random numbers.

        Args:
            sample_shape: the shape of the draws.

        Returns:
            a Variable of shape sample_shape + batch_shape + event_shape. Gradients flow to the parameters where a draw
            is a smooth function of them and of random numbers.
        """
        shape = tuple(sample_shape) if isinstance(sample_shape, Iterable) else (sample_shape,)
        return reshape(self.sample_n(size_of_shape(shape)), (*shape, *self.batch_shape, *self.event_shape))

    def sample_n(self, n: int) -> Any:
        """``n`` independent draws along a new first axis."""
        return self._missing("sample_n")


_KLDIVERGENCE: dict[tuple[type, type], Callable[[Any, Any], Any]] = {}


def register_kl(Dist1: type, Dist2: type) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
    """A decorator of the function that :func:`kl_divergence` calls for two classes.

    Args:
        Dist1: class of the first distribution.
        Dist2: class of the second.
    """

    def register(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        _KLDIVERGENCE[Dist1, Dist2] = function
        return function

    return register


def kl_divergence(dist1: Distribution, dist2: Distribution) -> Any:
    """The mean of log p1(x) - log p2(x) where x is drawn from the first distribution.

    Args:
        dist1: the first distribution.
        dist2: the second.

    Raises:
        KeyError: if there is no formula for the two classes.

    >>> import numpy as np
    >>> from autodiff.chainer.distributions import Poisson
    >>> kl_divergence(Poisson(np.array([1.0])), Poisson(np.array([2.0])))
    variable([0.30685282])
    """
    try:
        function = _KLDIVERGENCE[type(dist1), type(dist2)]
    except KeyError:
        names = f"{type(dist1).__name__} and {type(dist2).__name__}"
        raise KeyError(f"no KL divergence of {names} is known{at_user_line()}; register_kl adds one") from None
    return function(dist1, dist2)


def cross_entropy(dist1: Distribution, dist2: Distribution) -> Any:
    """The mean of -log p2(x) where x is drawn from the first distribution: its entropy plus :func:`kl_divergence`.

    Args:
        dist1: the first distribution.
        dist2: the second.

    Raises:
        KeyError: if there is no formula for the two classes.

    >>> import numpy as np
    >>> from autodiff.chainer.distributions import Exponential
    >>> cross_entropy(Exponential(np.array([1.0])), Exponential(np.array([1.0])))
    variable([1.])
    """
    return dist1.entropy + kl_divergence(dist1, dist2)
