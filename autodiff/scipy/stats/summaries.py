"""Means, moments, scores and tests of samples, along one axis or over all elements."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.special
import scipy.stats

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops import elementwise as ew
from autodiff.scipy.mirror import counterpart
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

Function = Callable[..., Any]


def mean(x: Any, axis: Any, weights: Any = None) -> Any:
    """The mean, which keeps its axis."""
    if weights is None:
        return FUNCTIONS[np.mean](x, axis, keepdims=True)
    return FUNCTIONS[np.sum](x * weights, axis, keepdims=True) / FUNCTIONS[np.sum](weights, axis, keepdims=True)


def without(x: Any, axis: Any) -> Any:
    """A result without the axis that it has kept."""
    return FUNCTIONS[np.sum](x, axis)[()]


def usual(name: str, options: dict[str, Any]) -> None:
    """Refuse options with other values than SciPy's own.

    Raises:
        DifferentiationError: for one of them.
    """
    for option, value in options.items():
        if value != USUAL.get(option, value) or option not in USUAL:
            raise DifferentiationError(
                f"{name} of traced values has no {option}={value!r}{at_user_line()}; leave it out"
            )


USUAL = {"nan_policy": "propagate", "keepdims": False, "method": None, "alternative": "two-sided"}
"""What says how SciPy computes, by its own value."""


def summary(function: Function) -> Function:
    """A function of a sample, with SciPy's name and its options of how; ``function(x, axis, ...)`` keeps the axis."""
    name = function.__name__

    def call(a: Any, *args: Any, axis: Any = ABSENT, **options: Any) -> Any:
        return function(as_operand(a) * 1.0, *args, **({} if axis is ABSENT else {"axis": axis}), **options)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    return counterpart(getattr(scipy.stats, name))(call)


ABSENT: Any = object()


@summary
def gmean(x: Any, axis: Any = 0, dtype: Any = None, weights: Any = None, **how: Any) -> Any:
    """The geometric mean."""
    usual("gmean", how)
    return without(ew.exp(mean(ew.log(x), axis, weights)), axis)


@summary
def hmean(x: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None, **how: Any) -> Any:
    """The harmonic mean."""
    usual("hmean", how)
    return without(1 / mean(1 / x, axis, weights), axis)


@summary
def pmean(x: Any, p: Any, axis: Any = 0, dtype: Any = None, weights: Any = None, **how: Any) -> Any:
    """The mean of powers, to the power of one over them; of 0 the geometric mean."""
    usual("pmean", how)
    if isinstance(p, (int, float)) and p == 0:
        return without(ew.exp(mean(ew.log(x), axis, weights)), axis)
    return without(mean(x**p, axis, weights) ** (1 / p), axis)


def central(x: Any, order: int, axis: Any) -> Any:
    """The mean of powers of differences from the mean."""
    apart = x - mean(x, axis)
    return mean(apart**order, axis)


def size_along(x: Any, axis: Any) -> int:
    """How many elements there are along an axis, or in all."""
    return spec_of(x).size if axis is None else spec_of(x).shape[axis]


@summary
def moment(x: Any, order: int = 1, axis: Any = 0, *, center: Any = None, **how: Any) -> Any:
    """The mean of powers of differences from the mean, or from another centre."""
    usual("moment", how)
    if np.ndim(order):
        raise DifferentiationError(f"moment of traced values takes one order{at_user_line()}; call it for each")
    return without(central(x, order, axis) if center is None else mean((x - center) ** order, axis), axis)


@summary
def skew(x: Any, axis: Any = 0, bias: bool = True, **how: Any) -> Any:
    """The third moment over the power of the variance."""
    usual("skew", how)
    n = size_along(x, axis)
    found = central(x, 3, axis) / central(x, 2, axis) ** 1.5
    return without(found if bias else found * np.sqrt(n * (n - 1.0)) / (n - 2.0), axis)


@summary
def kurtosis(x: Any, axis: Any = 0, fisher: bool = True, bias: bool = True, **how: Any) -> Any:
    """The fourth moment over the square of the variance; three less for Fisher's."""
    usual("kurtosis", how)
    n = size_along(x, axis)
    found = central(x, 4, axis) / central(x, 2, axis) ** 2
    if not bias:
        found = ((n**2 - 1.0) * found - 3 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3
    return without(found - 3 if fisher else found, axis)


def deviation(x: Any, axis: Any, ddof: Any) -> Any:
    """The standard deviation, which keeps its axis."""
    return FUNCTIONS[np.std](x, axis, ddof=ddof, keepdims=True)


@summary
def sem(x: Any, axis: Any = 0, ddof: int = 1, **how: Any) -> Any:
    """The standard error of the mean."""
    usual("sem", how)
    return without(deviation(x, axis, ddof) / np.sqrt(size_along(x, axis)), axis)


@summary
def variation(x: Any, axis: Any = 0, nan_policy: str = "propagate", ddof: int = 0, **how: Any) -> Any:
    """The standard deviation over the mean."""
    usual("variation", {"nan_policy": nan_policy, **how})
    return without(deviation(x, axis, ddof) / mean(x, axis), axis)


@summary
def zscore(x: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Any:
    """Differences from the mean over the standard deviation."""
    usual("zscore", {"nan_policy": nan_policy})
    return (x - mean(x, axis)) / deviation(x, axis, ddof)


@summary
def entropy(pk: Any, qk: Any = None, base: Any = None, axis: Any = 0, **how: Any) -> Any:
    """The entropy of probabilities, which need not sum to one; relative to others if there are any."""
    usual("entropy", how)
    p = pk / FUNCTIONS[np.sum](pk, axis, keepdims=True)
    if qk is None:
        terms = scipy.special.entr(p)
    else:
        qk = as_operand(qk) * 1.0
        terms = scipy.special.rel_entr(p, qk / FUNCTIONS[np.sum](qk, axis, keepdims=True))
    found = FUNCTIONS[np.sum](terms, axis)
    return found if base is None else found / ew.log(as_operand(base) * 1.0)


def two_sided(t: Any, freedom: Any) -> Any:
    """The probability of a larger t, of either sign."""
    return 2 * scipy.special.stdtr(freedom, -ew.absolute(t))


class Tested(SimpleNamespace):
    """A statistic and its probability, as a pair too."""

    def __iter__(self) -> Any:
        return iter((self.statistic, self.pvalue))

    def __getitem__(self, key: Any) -> Any:
        return (self.statistic, self.pvalue)[key]


@summary
def ttest_1samp(x: Any, popmean: Any, axis: Any = 0, **how: Any) -> Tested:
    """Student's test of a mean."""
    usual("ttest_1samp", how)
    n = size_along(x, axis)
    error = deviation(x, axis, 1) / np.sqrt(n)
    t = without((mean(x, axis) - as_operand(popmean)) / error, axis)
    return Tested(statistic=t, pvalue=two_sided(t, n - 1.0), df=n - 1)


@summary
def ttest_rel(x: Any, b: Any, axis: Any = 0, **how: Any) -> Tested:
    """Student's test of differences."""
    usual("ttest_rel", how)
    apart = x - as_operand(b)
    n = size_along(apart, axis)
    t = without(mean(apart, axis) / (deviation(apart, axis, 1) / np.sqrt(n)), axis)
    return Tested(statistic=t, pvalue=two_sided(t, n - 1.0), df=n - 1)


@summary
def ttest_ind(x: Any, b: Any, *, axis: Any = 0, equal_var: bool = True, **how: Any) -> Tested:
    """Student's test of two means, or Welch's for ``equal_var=False``."""
    usual("ttest_ind", how)
    y = as_operand(b) * 1.0
    n, m = size_along(x, axis), size_along(y, axis)
    first, second = (FUNCTIONS[np.var](each, axis, ddof=1) for each in (x, y))
    if equal_var:
        freedom: Any = n + m - 2.0
        error = ew.sqrt(((n - 1) * first + (m - 1) * second) / freedom * (1 / n + 1 / m))
    else:
        u, v = first / n, second / m
        freedom, error = (u + v) ** 2 / (u * u / (n - 1) + v * v / (m - 1)), ew.sqrt(u + v)
    t = (FUNCTIONS[np.mean](x, axis) - FUNCTIONS[np.mean](y, axis)) / error
    return Tested(statistic=t, pvalue=two_sided(t, freedom), df=freedom)


def correlation(x: Any, y: Any) -> Any:
    """Pearson's coefficient of two vectors."""
    x, y = x - FUNCTIONS[np.mean](x), y - FUNCTIONS[np.mean](y)
    return FUNCTIONS[np.sum](x * y) / ew.sqrt(FUNCTIONS[np.sum](x * x) * FUNCTIONS[np.sum](y * y))


@summary
def pearsonr(x: Any, y: Any, *, axis: Any = 0, **how: Any) -> Tested:
    """Pearson's coefficient of two vectors, and its probability."""
    usual("pearsonr", how)
    y = as_operand(y) * 1.0
    if spec_of(x).ndim != 1 or spec_of(y).ndim != 1:
        raise DifferentiationError(f"pearsonr of traced values takes vectors{at_user_line()}; use vmap for more")
    r, half = correlation(x, y), spec_of(x).size / 2 - 1.0
    return Tested(statistic=r, pvalue=2 * scipy.special.betainc(half, half, (1 - ew.absolute(r)) / 2))


@summary
def linregress(x: Any, y: Any, alternative: str = "two-sided", **how: Any) -> SimpleNamespace:
    """The straight line through points with the least squares, its errors, and the probability of no slope."""
    usual("linregress", {"alternative": alternative, **how})
    y = as_operand(y) * 1.0
    n = spec_of(x).size
    r = correlation(x, y)
    squares, others = (FUNCTIONS[np.var](each) for each in (x, y))
    slope = r * ew.sqrt(others / squares)
    middle = FUNCTIONS[np.mean](x)
    error = ew.sqrt((1 - r * r) * others / squares / (n - 2))
    t = r * ew.sqrt((n - 2) / ((1 - r) * (1 + r)))
    return Line(
        slope=slope,
        intercept=FUNCTIONS[np.mean](y) - slope * middle,
        rvalue=r,
        pvalue=two_sided(t, n - 2.0),
        stderr=error,
        intercept_stderr=error * ew.sqrt(squares + middle * middle),
    )


class Line(SimpleNamespace):
    """What is found of a straight line: five numbers in SciPy's order, and the error of the intercept."""

    def __iter__(self) -> Any:
        return iter((self.slope, self.intercept, self.rvalue, self.pvalue, self.stderr))
