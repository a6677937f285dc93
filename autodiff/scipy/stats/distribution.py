"""Distributions of scipy.stats whose methods take traced values."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import comb, inf, nan
from types import MethodType
from typing import Any

import numpy as np
from scipy.stats import rv_continuous
from scipy.stats._distn_infrastructure import rv_frozen

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, contains_traced, missing
from autodiff.ops.elementwise import (
    cast,
    clip,
    equal,
    floor,
    greater,
    greater_equal,
    isfinite,
    less,
    less_equal,
    log,
    logical_and,
    logical_not,
    logical_or,
    sqrt,
    where,
)
from autodiff.scipy.mirror import holds_traced, refusing
from autodiff.scipy.stats.density_ends import with_ends
from autodiff.scipy.stats.expectations import draws, integral, series
from autodiff.scipy.stats.methods import evaluate, moment, support, valid
from autodiff.trace.recording import is_recording
from autodiff.trace.traced import Traced
from autodiff.transforms.stop_gradient import stop_gradient


def taking_traced(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that leaves plain arguments to SciPy's of the same name."""

    @wraps(method)
    def call(self: Distribution, *args: Any, **kwds: Any) -> Any:
        if not contains_traced((*args, *kwds.values())):
            return getattr(self.own, method.__name__)(*args, **kwds)
        with np.errstate(all="ignore"):
            return method(self, *args, **kwds)[()]

    return call


class Distribution:
    """A distribution of SciPy.

    Called with plain values a method is SciPy's own. With traced ones it is differentiated by its argument, the shape
    parameters, ``loc`` and ``scale``; outside of the support, and where parameters are invalid, the value is what SciPy
    says, and the derivative zero. So it is where a distribution function begins to grow or has grown. A density at an
    end of its closed support has the derivative from inside, or NaN.

    >>> import autodiff
    >>> from autodiff.scipy import stats
    >>> autodiff.grad(stats.norm.logpdf)(2.0)
    -2.0
    """

    def __init__(self, own: Any) -> None:
        self.own = own
        self.__doc__ = own.__doc__

    def as_scipy(self) -> Any:
        """SciPy's object."""
        return self.own

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.own, name)
        method = isinstance(found, MethodType) and not name.startswith("_")
        return refusing(found, f"scipy.stats.{self.own.name}.{name}") if method else found

    def interval(self, confidence: Any, *args: Any, **kwds: Any) -> tuple[Any, Any]:
        """The ends of the middle part of so much probability."""
        return self.ppf((1 - confidence) / 2, *args, **kwds), self.ppf((1 + confidence) / 2, *args, **kwds)

    def __repr__(self) -> str:
        return f"<distribution {self.own.name}>"

    def __call__(self, *args: Any, **kwds: Any) -> Any:
        """The distribution with its parameters fixed."""
        return Frozen(self, args, kwds)

    freeze = __call__

    def standard(self, args: Any, kwds: Any) -> tuple[list[Any], Any, Any, Any]:
        """The shape parameters, loc and scale, as arrays in double precision, and whether all are valid."""
        shapes, loc, scale = self.own._parse_args(*args, **kwds)
        shapes, loc, scale = [*map(in_double, shapes)], in_double(loc), in_double(scale)
        possible = logical_and(valid(self.own, shapes), greater(scale, 0))
        return shapes, loc, scale, possible

    def support(self, *args: Any, **kwds: Any) -> tuple[Any, Any]:
        """The ends of the support."""
        if not contains_traced((*args, *kwds.values())):
            return self.own.support(*args, **kwds)  # type: ignore[no-any-return]
        shapes, loc, scale, valid = self.standard(args, kwds)
        low, high = (where(valid, end * scale + loc, nan)[()] for end in support(self.own, shapes))
        return low, high

    def moment(self, order: int, *args: Any, **kwds: Any) -> Any:
        """The expected value of the power of an order."""
        if not contains_traced((*args, *kwds.values())):
            return self.own.moment(order, *args, **kwds)
        if order < 0 or order != int(order):
            raise ValueError(f"moment: the order must be a whole number from 0 on, got {order}")
        shapes, loc, scale, valid = self.standard(args, kwds)
        with np.errstate(all="ignore"):
            terms = (
                comb(order, k) * scale**k * loc ** (order - k) * (moment(self.own, k, shapes) if k else 1.0)
                for k in range(order + 1)
            )
            return where(valid, sum(terms), nan)[()]

    @taking_traced
    def ppf(self, q: Any, *args: Any, **kwds: Any) -> Any:
        """The quantile: what the distribution function takes to ``q``. Whole numbers have no derivative."""
        return self.quantile("_ppf", q, args, kwds)

    @taking_traced
    def isf(self, q: Any, *args: Any, **kwds: Any) -> Any:
        """The quantile from above."""
        return self.quantile("_isf", q, args, kwds)

    @taking_traced
    def mean(self, *args: Any, **kwds: Any) -> Any:
        """The mean."""
        shapes, loc, scale, valid = self.standard(args, kwds)
        return where(valid, moment(self.own, "mean", shapes) * scale + loc, nan)

    @taking_traced
    def var(self, *args: Any, **kwds: Any) -> Any:
        """The variance."""
        shapes, loc, scale, valid = self.standard(args, kwds)
        return where(logical_and(valid, equal(loc, loc)), moment(self.own, "var", shapes) * scale * scale, nan)

    @taking_traced
    def std(self, *args: Any, **kwds: Any) -> Any:
        """The standard deviation."""
        return sqrt(self.var(*args, **kwds))

    @taking_traced
    def median(self, *args: Any, **kwds: Any) -> Any:
        """The median."""
        return self.ppf(0.5, *args, **kwds)

    @taking_traced
    def entropy(self, *args: Any, **kwds: Any) -> Any:
        """The entropy; of a density the differential one."""
        shapes, loc, scale, valid = self.standard(args, kwds)
        return where(logical_and(valid, equal(loc, loc)), moment(self.own, "entropy", shapes) + log(scale), nan)

    def stats(self, *args: Any, moments: str = "mv", **kwds: Any) -> Any:
        """Some of the mean, variance, skewness and excess kurtosis, of which ``moments`` has the first letters."""
        if not contains_traced((*args, *kwds.values())):
            return self.own.stats(*args, moments=moments, **kwds)
        found = tuple(self.of_letter(letter, args, kwds) for letter in "mvsk" if letter in moments)
        return found[0] if len(found) == 1 else found

    def of_letter(self, letter: str, args: Any, kwds: Any) -> Any:
        """One of them."""
        if letter in "mv":
            return self.mean(*args, **kwds) if letter == "m" else self.var(*args, **kwds)
        shapes, loc, _, valid = self.standard(args, kwds)
        known = logical_and(valid, equal(loc, loc))
        return where(known, moment(self.own, "skew" if letter == "s" else "kurtosis", shapes), nan)[()]


def in_double(x: Any) -> Any:
    """An array of real numbers in double precision."""
    x = as_operand(x)
    return cast(x, dtype=np.dtype(np.float64)) if isinstance(x, Traced) else np.asarray(x, np.float64)


def has_open_support(own: Any) -> bool:
    """Whether SciPy's density is zero at the ends of the support."""
    return getattr(own._support_mask, "__func__", None) is rv_continuous._open_support_mask


def middle(start: Any, stop: Any) -> Any:
    """A place inside of a support, which may be infinite."""
    bounded = where(isfinite(start), start, where(isfinite(stop), stop - 2.0, -1.0))
    return (bounded + where(isfinite(stop), stop, bounded + 2.0)) / 2.0


class Continuous(Distribution):
    """A continuous distribution."""

    def within(self, name: str, x: Any, args: Any, kwds: Any, scaled: Callable[..., Any], low: Any, high: Any) -> Any:
        """A function of the argument, and its values outside of the support."""
        shapes, loc, scale, valid = self.standard(args, kwds)
        y = (in_double(x) - loc) / scale
        start, stop = support(self.own, shapes)
        below, above = less(y, start), greater(y, stop)
        if name not in ("_pdf", "_logpdf") or has_open_support(self.own):
            below, above = less_equal(y, start), greater_equal(y, stop)
        elif self.own.name == "powerlaw":  # the density of a power below 0 is infinite at 0, where SciPy's is zero
            below = where(less(shapes[0], 1), less_equal(y, start), below)
        below, above = logical_or(below, equal(y, -inf)), logical_or(above, equal(y, inf))
        inside = logical_and(isfinite(y), logical_not(logical_or(below, above)))
        y_inside = where(inside, y, stop_gradient(middle(start, stop)))  # where nothing is infinite
        own = evaluate(self.own, name, (y_inside, *shapes))
        if name == "_pdf":
            own = with_ends(self.own.name, own, y, shapes, start, stop)
        own = scaled(own, scale)
        found = where(below, low, where(above, high, own))
        return where(logical_and(valid, equal(y, y)), found, nan)

    @taking_traced
    def pdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """The density."""
        return self.within("_pdf", x, args, kwds, lambda value, scale: value / scale, 0.0, 0.0)

    @taking_traced
    def logpdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """The logarithm of the density."""
        return self.within("_logpdf", x, args, kwds, lambda value, scale: value - log(scale), -inf, -inf)

    @taking_traced
    def cdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """The distribution function."""
        return self.within("_cdf", x, args, kwds, unscaled, 0.0, 1.0)

    @taking_traced
    def logcdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """The logarithm of the distribution function."""
        return self.within("_logcdf", x, args, kwds, unscaled, -inf, 0.0)

    @taking_traced
    def sf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """One minus the distribution function."""
        return self.within("_sf", x, args, kwds, unscaled, 1.0, 0.0)

    @taking_traced
    def logsf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """The logarithm of one minus the distribution function."""
        return self.within("_logsf", x, args, kwds, unscaled, 0.0, -inf)

    def quantile(self, name: str, q: Any, args: Any, kwds: Any) -> Any:
        """The inverse of a distribution function; the ends of the support at 0 and 1."""
        shapes, loc, scale, valid = self.standard(args, kwds)
        q = in_double(q)
        first, last = support(self.own, shapes) if name == "_ppf" else reversed(support(self.own, shapes))
        inside = logical_and(greater(q, 0), less(q, 1))
        own = evaluate(self.own, name, (where(inside, q, 0.5), *shapes))
        own = where(equal(q, 0), first, where(equal(q, 1), last, own)) * scale + loc
        possible = logical_and(greater_equal(q, 0), less_equal(q, 1))
        return where(logical_and(valid, possible), own, nan)

    @taking_traced
    def nnlf(self, theta: Any, x: Any) -> Any:
        """Minus the logarithm of the likelihood of ``theta``: shape parameters, loc and scale."""
        shapes, loc, scale, valid = self.standard(tuple(theta), {})
        total = -FUNCTIONS[np.sum](self.logpdf(x, *shapes, loc=loc, scale=scale), axis=0)
        return where(valid, total, inf)

    @taking_traced
    def rvs(self, *args: Any, **kwds: Any) -> Any:
        """Draws: SciPy's numbers, each of which stays at its quantile while the parameters move.

        Shape parameters must be known. Under ``jit`` and ``vmap``, ``loc`` and ``scale`` may be traced.
        """
        return draws(self.own, args, kwds)

    def expect(
        self, func: Any = None, args: Any = (), loc: Any = 0, scale: Any = 1, lb: Any = None, ub: Any = None,
        conditional: bool = False, **kwds: Any,
    ) -> Any:  # fmt: skip
        """The expected value of a function, which may close over traced values; between bounds if they are given."""
        if not (is_recording() or contains_traced((args, loc, scale, lb, ub))):
            return self.own.expect(func, args, loc, scale, lb, ub, conditional, **kwds)
        if type(self.own).expect is not rv_continuous.expect:  # of an angle
            return self.__getattr__("expect")(func, args, loc, scale, lb, ub, conditional, **kwds)
        *law, _ = self.standard(args, {"loc": loc, "scale": scale})
        total, mass = integral(self, func, law, (lb, ub), kwds)
        return total / mass if conditional else total


def unscaled(value: Any, scale: Any) -> Any:
    """A function that does not depend on the scale."""
    return value


class Discrete(Distribution):
    """A discrete distribution: its argument and ``loc`` are whole numbers, which have no derivative."""

    def within(self, name: str, k: Any, args: Any, kwds: Any, low: Any, high: Any) -> Any:
        """A function of the argument, and its values outside of the support."""
        shapes, loc, _, valid = self.standard(args, kwds)
        k = stop_gradient(in_double(k) - loc)
        start, stop = support(self.own, shapes)
        below, above = less(k, start), greater(k, stop)
        if name in ("_pmf", "_logpmf"):
            below = where(logical_not(equal(k, floor(k))), True, below)
        else:
            above = greater_equal(k, stop)
        below, above = logical_or(below, equal(k, -inf)), logical_or(above, equal(k, inf))
        inside = logical_and(isfinite(k), logical_not(logical_or(below, above)))
        k_inside = where(inside, k, stop_gradient(floor(middle(start, stop))))  # where nothing is infinite
        found = where(below, low, where(above, high, evaluate(self.own, name, (k_inside, *shapes))))
        return where(logical_and(valid, equal(k, k)), found, nan)

    @taking_traced
    def pmf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """The probability of ``k``."""
        return clip(self.within("_pmf", k, args, kwds, 0.0, 0.0), 0.0, 1.0)

    @taking_traced
    def logpmf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """The logarithm of the probability of ``k``."""
        return self.within("_logpmf", k, args, kwds, -inf, -inf)

    @taking_traced
    def cdf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """The distribution function."""
        return self.within("_cdf", k, args, kwds, 0.0, 1.0)

    @taking_traced
    def logcdf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """The logarithm of the distribution function."""
        return self.within("_logcdf", k, args, kwds, -inf, 0.0)

    @taking_traced
    def sf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """One minus the distribution function."""
        return self.within("_sf", k, args, kwds, 1.0, 0.0)

    @taking_traced
    def logsf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """The logarithm of one minus the distribution function."""
        return self.within("_logsf", k, args, kwds, 0.0, -inf)

    def quantile(self, name: str, q: Any, args: Any, kwds: Any) -> Any:
        """The inverse of a distribution function; the ends of the support at 0 and 1."""
        shapes, loc, _, valid = self.standard(args, kwds)
        q = in_double(q)
        low, high = support(self.own, shapes)
        first, last = (low - 1, high) if name == "_ppf" else (high, low - 1)
        inside = logical_and(greater(q, 0), less(q, 1))
        own = evaluate(self.own, name, (where(inside, q, 0.5), *shapes))
        own = where(equal(q, 0), first, where(equal(q, 1), last, own)) + loc
        possible = logical_and(greater_equal(q, 0), less_equal(q, 1))
        return stop_gradient(where(logical_and(valid, possible), own, nan))

    def expect(self, func: Any = None, args: Any = (), loc: Any = 0, **options: Any) -> Any:
        """The expected value of a function, which may close over traced values: the terms that SciPy adds up."""
        if not (is_recording() or contains_traced((args, loc))):
            return self.own.expect(func, args, loc, **options)
        if options.get("conditional"):
            raise missing(f"scipy.stats.{self.own.name}.expect", "with conditional=True it is a quotient; divide by sf")
        return series(self.own, func, args, loc, options)


OF_ARGUMENT = frozenset(("pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf"))
OF_PARAMETERS = frozenset(("entropy", "mean", "var", "std", "median", "support"))


class Frozen:
    """A distribution with its parameters fixed: ``norm(mean, deviation).logpdf(x)``."""

    def __init__(self, distribution: Distribution, args: tuple[Any, ...], kwds: dict[str, Any]) -> None:
        self.dist = distribution
        self.args = args
        self.kwds = kwds

    def holds_traced(self) -> bool:
        """Whether a parameter is traced."""
        return holds_traced((self.args, self.kwds))

    def as_scipy(self) -> Any:
        """SciPy's object."""
        return self.dist.own(*self.args, **self.kwds)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in OF_ARGUMENT:
            own = getattr(self.dist, name)
            return lambda x: own(x, *self.args, **self.kwds)
        if name in OF_PARAMETERS:
            own = getattr(self.dist, name)
            return lambda: own(*self.args, **self.kwds)
        if name == "stats":
            return lambda moments="mv": self.dist.stats(*self.args, moments=moments, **self.kwds)
        if name in ("interval", "moment"):
            own = getattr(self.dist, name)
            return lambda first: own(first, *self.args, **self.kwds)
        if name == "rvs":
            return lambda size=None, random_state=None: self.dist.rvs(
                *self.args, **self.kwds, size=size, random_state=random_state
            )
        if name == "expect":
            args, loc, scale = self.dist.own._parse_args(*self.args, **self.kwds)
            law = {"loc": loc, "scale": scale} if isinstance(self.dist, Continuous) else {"loc": loc}
            return lambda func=None, **options: self.dist.expect(func, args, **law, **options)
        if self.holds_traced():
            if not (hasattr(rv_frozen, name) or name in ("a", "b")):
                raise AttributeError(f"{self.dist.own.name}(...) has no attribute {name!r}")
            raise missing(f"scipy.stats.{self.dist.own.name}(...).{name}")
        return getattr(self.dist.own(*self.args, **self.kwds), name)
