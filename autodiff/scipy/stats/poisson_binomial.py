"""The number of successes in independent trials, each of which has a probability of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, contains_traced, missing, peeled
from autodiff.ops.elementwise import cast, clip, equal, floor, log, where
from autodiff.ops.special.gamma import xlogy
from autodiff.scipy.stats.distribution import Discrete, in_double, taking_traced
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.recording import is_recording
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.transforms.stop_gradient import stop_gradient


def counts(p: Any) -> Any:
    """The probabilities of 0, 1, ... successes: each trial adds one with its probability."""
    p = in_double(p)
    if spec_of(p).ndim != 1:
        raise DifferentiationError(
            f"poisson_binom of traced probabilities takes a vector of them{at_user_line()}, got the shape "
            f"{spec_of(p).shape}; use vmap for several"
        )
    found: Any = np.ones(1)
    for k in range(spec_of(p).size):
        found = FUNCTIONS[np.convolve](found, FUNCTIONS[np.stack]([1.0 - p[k], p[k]]))
    return found


class PoissonBinomial(Discrete):
    """SciPy's ``poisson_binom``, whose only parameter is a vector of probabilities."""

    def of_counts(self, k: Any, p: Any, loc: Any, table: Any, low: float, high: float) -> Any:
        """An entry of a table for each number of successes, and what lies below and above."""
        k = stop_gradient(in_double(k) - in_double(loc))
        last = spec_of(table).size - 1
        place = FUNCTIONS[np.take](table, cast(clip(k, 0.0, float(last)), dtype=np.dtype(int)))
        valid = FUNCTIONS[np.all]((in_double(p) >= 0) & (in_double(p) <= 1))
        return where(valid, where(k < 0, low, where(k > last, high, place)), np.nan)

    @taking_traced
    def pmf(self, k: Any, p: Any, loc: Any = 0) -> Any:
        """The probability of ``k``."""
        k = stop_gradient(in_double(k))
        return where(equal(k, floor(k)), self.of_counts(k, p, loc, counts(p), 0.0, 0.0), 0.0)

    @taking_traced
    def logpmf(self, k: Any, p: Any, loc: Any = 0) -> Any:
        """The logarithm of the probability of ``k``."""
        return log(self.pmf(k, p, loc))

    @taking_traced
    def cdf(self, k: Any, p: Any, loc: Any = 0) -> Any:
        """The distribution function."""
        return self.of_counts(k, p, loc, FUNCTIONS[np.cumsum](counts(p)), 0.0, 1.0)

    @taking_traced
    def sf(self, k: Any, p: Any, loc: Any = 0) -> Any:
        """One minus the distribution function."""
        tails = FUNCTIONS[np.cumsum](counts(p)[::-1])[::-1]
        above = FUNCTIONS[np.concatenate]([tails[1:], np.zeros(1)])
        return self.of_counts(k, p, loc, above, 1.0, 0.0)

    @taking_traced
    def logcdf(self, k: Any, p: Any, loc: Any = 0) -> Any:
        """The logarithm of the distribution function."""
        return log(self.cdf(k, p, loc))

    @taking_traced
    def logsf(self, k: Any, p: Any, loc: Any = 0) -> Any:
        """The logarithm of one minus the distribution function."""
        return log(self.sf(k, p, loc))

    @taking_traced
    def mean(self, p: Any, loc: Any = 0) -> Any:
        """The mean."""
        return FUNCTIONS[np.sum](in_double(p)) + loc

    @taking_traced
    def var(self, p: Any, loc: Any = 0) -> Any:
        """The variance."""
        p = in_double(p)
        return FUNCTIONS[np.sum](p * (1.0 - p))

    def of_letter(self, letter: str, args: Any, kwds: Any) -> Any:
        """The mean, variance, skewness or excess kurtosis: cumulants of the trials add up."""
        if letter in "mv":
            return super().of_letter(letter, args, kwds)
        p = in_double(args[0] if args else kwds["p"])
        each, total = p * (1.0 - p), self.var(p)
        if letter == "s":
            return FUNCTIONS[np.sum](each * (1.0 - 2.0 * p)) / total**1.5
        return FUNCTIONS[np.sum](each * (1.0 - 6.0 * each)) / (total * total)

    def moment(self, order: int, p: Any, loc: Any = 0) -> Any:
        """The expected value of the power of an order."""
        return self.expect(lambda k: k**order, (p,), loc)

    def expect(self, func: Any = None, args: Any = (), loc: Any = 0, **options: Any) -> Any:
        """The expected value of a function, which may close over traced values."""
        if not (is_recording() or contains_traced((args, loc))):
            return self.own.expect(func, args, loc, **options)
        if options:
            raise missing("scipy.stats.poisson_binom.expect", f"with {', '.join(options)}")
        each = counts(*args)
        k = np.arange(spec_of(each).size) + loc
        return FUNCTIONS[np.sum](each * (k if func is None else func(k)))

    def quantile(self, name: str, q: Any, args: Any, kwds: Any) -> Any:
        """A whole number, which has no derivative."""
        called = f"scipy.stats.poisson_binom.{name[1:]}"
        plain = {key: peeled(value, called) for key, value in kwds.items()}
        return np.asarray(getattr(self.own, name[1:])(peeled(q, called), *peeled(args, called), **plain))

    @taking_traced
    def entropy(self, p: Any, loc: Any = 0) -> Any:
        """The entropy."""
        each = counts(p)
        return -FUNCTIONS[np.sum](xlogy(each, each))
