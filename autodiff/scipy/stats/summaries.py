"""Means, moments, scores, transformations and tests of samples, along one axis or over all elements.

Most of them are SciPy's own Python, run on traced values: results are SciPy's, of the same types. Those that are
written down here look at values in SciPy, or call compiled code.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import wraps
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import scipy.special
import scipy.stats

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.ops import elementwise as ew
from autodiff.scipy.mirror import counterpart, holds_traced
from autodiff.scipy.python_code import on_traced
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import concrete

Function = Callable[..., Any]

SCIPYS = """
    gmean sem skew kurtosis moment variation entropy differential_entropy describe gstd kstat kstatvar lmoment
    circmean circvar circstd directional_stats tmean tvar tstd tsem tmin tmax trim_mean trim1 trimboth sigmaclip
    iqr median_abs_deviation quantile scoreatpercentile zscore gzscore zmap wasserstein_distance energy_distance
    ttest_1samp ttest_ind ttest_rel ttest_ind_from_stats f_oneway alexandergovern bartlett levene tukey_hsd
    median_test pearsonr pointbiserialr skewtest kurtosistest normaltest jarque_bera chisquare power_divergence
    chi2_contingency combine_pvalues false_discovery_control ks_1samp kstest theilslopes obrientransform
"""
"""Functions that are formulas in SciPy."""

DECIDING = ("ddof", "lambda_", "order", "proportiontocut", "scale", "trim")
"""Their parameters for some values of which SciPy has another formula."""

RANKS = """
    rankdata tiecorrect spearmanr spearmanrho kendalltau somersd chatterjeexi weightedtau mannwhitneyu wilcoxon ranksums
    kruskal friedmanchisquare ansari mood brunnermunzel fligner ks_2samp cramervonmises_2samp page_trend_test
    anderson_ksamp bws_test percentileofscore quantile_test
"""
"""Functions of ranks and counts alone: constant wherever no two elements are equal."""


SORTING = """
    iqr median_abs_deviation quantile trim_mean tmin tmax tvar tstd tsem lmoment theilslopes
    wasserstein_distance energy_distance levene median_test
"""
"""Those that sort or leave out elements, so that NaN would only be last, or lost."""

SAMPLES = frozenset(("a", "x", "y", "sample", "samples", "u_values", "v_values"))
"""What they call their samples."""


def of_formula(name: str) -> Function:
    """A function of SciPy's that runs on traced values."""
    original = getattr(scipy.stats, name)
    own = on_traced(original, DECIDING)
    own = CHANGED[name](own) if name in CHANGED else own
    return counterpart(original)(carrying_nan(own) if name in SORTING.split() else own)


def axes_of(axis: Any, ndim: int) -> list[int]:
    """The axes along which a sample lies, counted from the first one."""
    return list(range(ndim)) if axis is None else [int(own) % ndim for own in np.atleast_1d(axis)]


def orders_first(function: Function) -> Function:
    """SciPy's ``lmoment``, whose several orders stand before the axes that are kept."""

    @wraps(function)
    def call(sample: Any, order: Any = None, *, axis: Any = 0, keepdims: bool = False, **options: Any) -> Any:
        found = function(sample, order=order, axis=axis, **options)
        if not keepdims:
            return found
        several = 1 if order is None else np.ndim(order)
        return FUNCTIONS[np.expand_dims](found, tuple(several + k for k in axes_of(axis, np.ndim(sample))))

    return call


class ConfidenceInterval(NamedTuple):
    """Between which numbers something lies."""

    low: Any
    high: Any


def with_interval(function: Function) -> Function:
    """SciPy's ``pearsonr``, whose result finds its interval of confidence of traced values."""

    @wraps(function)
    def call(x: Any, y: Any, *, alternative: str = "two-sided", axis: Any = 0, **options: Any) -> Any:
        found = function(x, y, alternative=alternative, axis=axis, **options)
        shape = np.broadcast_shapes(np.shape(x), np.shape(y))
        count = math.prod(shape) if axis is None else shape[axis]

        def confidence_interval(confidence_level: float = 0.95, method: Any = None) -> Any:
            if method is not None:
                raise DifferentiationError(
                    f"pearsonr of traced values has no interval by method={method!r}{at_user_line()}; leave it out"
                )
            return interval_of(found.statistic, count, confidence_level, alternative)

        found.confidence_interval = confidence_interval
        return found

    return call


def interval_of(r: Any, count: int, level: Any, alternative: str) -> ConfidenceInterval:
    """Fisher's interval of a correlation: its inverse hyperbolic tangent is almost normal."""
    one = 1.0 + 0.0 * r
    if count <= 3:
        return ConfidenceInterval(-one, one)
    share = (1.0 + level) / 2.0 if alternative == "two-sided" else level
    middle, width = ew.arctanh(r), scipy.special.ndtri(share) / np.sqrt(count - 3)
    low = -one if alternative == "less" else ew.tanh(middle - width)
    return ConfidenceInterval(low, one if alternative == "greater" else ew.tanh(middle + width))


def each_apart(function: Function) -> Function:
    """SciPy's ``obrientransform``, which makes an array of objects of samples of several lengths."""

    @wraps(function)
    def call(*samples: Any) -> Any:
        if len({np.shape(x) for x in samples}) == 1:
            return function(*samples)
        return tuple(function(x)[0] for x in samples)

    return call


CHANGED = {"lmoment": orders_first, "pearsonr": with_interval, "obrientransform": each_apart}
"""What is done to some of them."""


def carrying_nan(function: Function) -> Function:
    """A function of samples whose result is NaN where there is one in a sample."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        axis = bound.arguments.get("axis", bound.arguments.get("kwds", {}).get("axis"))
        for key in SAMPLES.intersection(bound.arguments):
            given = bound.arguments[key]
            several = signature.parameters[key].kind is inspect.Parameter.VAR_POSITIONAL
            bound.arguments[key] = tuple(spread(x, axis) for x in given) if several else spread(given, axis)
        return function(*bound.args, **bound.kwargs)

    return call


def spread(x: Any, axis: Any) -> Any:
    """A sample, all of which is NaN if one is."""
    x = as_operand(x)
    if x is None or not np.ndim(x):
        return x
    found = ew.where(FUNCTIONS[np.any](ew.not_equal(x, x), axis, keepdims=True), np.nan, x)
    return found if holds_traced(found) else found.tolist()  # of which SciPy's code makes an array that asks others


def of_ranks(name: str) -> Function:
    """A function of SciPy's, called with the values behind traced ones."""
    original, known_as = getattr(scipy.stats, name), f"scipy.stats.{name}"

    @wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        plain = [peeled(value, known_as) for value in args]
        return original(*plain, **{key: peeled(value, known_as) for key, value in kwargs.items()})

    return call


def mean(x: Any, axis: Any, weights: Any = None) -> Any:
    """The mean, which keeps its axis."""
    if weights is None:
        return FUNCTIONS[np.mean](x, axis, keepdims=True)
    weights = broadcast_weights(weights, x, axis)
    return FUNCTIONS[np.sum](x * weights, axis, keepdims=True) / FUNCTIONS[np.sum](weights, axis, keepdims=True)


def broadcast_weights(weights: Any, x: Any, axis: Any) -> Any:
    """Weights as many as there are elements; for all axes together SciPy wants them so."""
    if axis is None and np.size(weights) != np.size(x):
        raise ValueError(f"{np.size(weights)} weights do not fit {np.size(x)} elements")
    return FUNCTIONS[np.broadcast_to](as_operand(weights), np.shape(x))


def none_negative(x: Any, axis: Any) -> Any:
    """A sample, all of which is NaN if an element is negative: it has no such mean."""
    return ew.where(FUNCTIONS[np.any](ew.less(x, 0), axis, keepdims=True), np.nan, x)


def without(x: Any, axis: Any, keepdims: bool = False) -> Any:
    """A result without the axis that it has kept."""
    return FUNCTIONS[np.sum](x, axis, keepdims=keepdims)[()]


USUAL = {"nan_policy": "propagate", "keepdims": False, "alternative": "two-sided"}
"""What says how SciPy computes, by its own value."""


def usual(name: str, options: dict[str, Any]) -> None:
    """Refuse options with other values than SciPy's own.

    Raises:
        DifferentiationError: for one of them.
    """
    for option, value in options.items():
        if option not in USUAL or value != USUAL[option]:
            raise DifferentiationError(
                f"{name} of traced values has no {option}={value!r}{at_user_line()}; leave it out"
            )


def summary(function: Function) -> Function:
    """A function of a sample that takes SciPy's place, and may be given lists."""
    return counterpart(getattr(scipy.stats, function.__name__))(function)


def real(x: Any) -> Any:
    """An array of real numbers."""
    return as_operand(x) * 1.0


def sample(x: Any) -> Any:
    """An array of real numbers with one axis at least."""
    return FUNCTIONS[np.atleast_1d](real(x))


@summary
def hmean(a: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None, keepdims: bool = False, **how: Any) -> Any:
    """The harmonic mean."""
    usual("hmean", how)
    x = sample(a)
    return without(1 / mean(1 / none_negative(x, axis), axis, weights), axis, keepdims)


@summary
def pmean(
    a: Any, p: Any, axis: Any = 0, dtype: Any = None, weights: Any = None, *, keepdims: bool = False, **how: Any
) -> Any:
    """The mean of powers, to the power of one over them; of 0 the geometric mean."""
    usual("pmean", how)
    x = sample(a)
    if isinstance(p, (int, float)) and p == 0:
        return without(ew.exp(mean(ew.log(x), axis, weights)), axis, keepdims)
    return without(mean(none_negative(x, axis) ** p, axis, weights) ** (1 / p), axis, keepdims)


@summary
def linregress(
    x: Any, y: Any, alternative: str = "two-sided", *, axis: Any = 0, keepdims: bool = False, **how: Any
) -> SimpleNamespace:
    """The straight line through points with the least squares, its errors, and the probability of no slope."""
    usual("linregress", how)
    x, y = FUNCTIONS[np.broadcast_arrays](real(x), real(y))
    gone = axes_of(axis, spec_of(x).ndim)
    x, y = (in_one_axis(each, gone) for each in (x, y))
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError(
            f"linregress got alternative={alternative!r}{at_user_line()}; it is 'two-sided', 'less' or 'greater'"
        )
    known = concrete(x)
    if type(known) is not Spec and known.shape[-1] > 1 and np.all(known == known[..., :1], axis=-1).any():
        raise ValueError(f"linregress got x values that are all the same{at_user_line()}; no line has a slope there")
    found = through_two(x, y) if spec_of(x).shape[-1] == 2 else through_many(x, y, alternative)
    return Line(**{k: FUNCTIONS[np.expand_dims](v, tuple(gone)) for k, v in found.items()} if keepdims else found)


def in_one_axis(x: Any, axes: list[int]) -> Any:
    """A sample along several axes, along the last one."""
    moved = FUNCTIONS[np.moveaxis](x, axes, range(-len(axes), 0))
    return FUNCTIONS[np.reshape](moved, (*spec_of(moved).shape[: spec_of(moved).ndim - len(axes)], -1))


TINY = 1e-20
"""What SciPy adds to how far a correlation is from one, by which it divides."""


def through_many(x: Any, y: Any, alternative: str) -> dict[str, Any]:
    """The straight lines through more than two points, which lie along the last axis."""
    n, average = spec_of(x).shape[-1], FUNCTIONS[np.mean]
    middle, level = average(x, -1), average(y, -1)
    apart, other = x - middle[..., None], y - level[..., None]
    squares, others, product = (average(each, -1) for each in (apart**2, other**2, apart * other))
    r = product / ew.sqrt(squares * others)
    slope = product / squares
    error = ew.sqrt((1 - r * r) * others / squares / (n - 2))
    t = r * ew.sqrt((n - 2) / ((1 - r + TINY) * (1 + r + TINY)))
    below = {"less": t, "greater": -t}.get(alternative, -ew.absolute(t))
    return {
        "slope": slope,
        "intercept": level - slope * middle,
        "rvalue": r,
        "pvalue": (2 if alternative == "two-sided" else 1) * scipy.special.stdtr(n - 2.0, below),
        "stderr": error,
        "intercept_stderr": error * ew.sqrt(squares + middle * middle),
    }


def through_two(x: Any, y: Any) -> dict[str, Any]:
    """The straight lines through two points, whose errors are zero or, from SciPy 1.18 on, unknown."""
    slope = (y[..., 1] - y[..., 0]) / (x[..., 1] - x[..., 0])
    error = scipy.stats.linregress([0.0, 1.0], [0.0, 1.0]).stderr
    none = slope * 0.0 + error
    rvalue = ew.sign(slope) if error == 0 else ew.sign(slope) / ew.absolute(ew.sign(slope))
    return {
        "slope": slope,
        "intercept": y[..., 0] - slope * x[..., 0],
        "rvalue": rvalue,
        "pvalue": 1.0 - ew.absolute(rvalue) + error,
        "stderr": none,
        "intercept_stderr": none,
    }


class Line(SimpleNamespace):
    """What is found of a straight line: five numbers in SciPy's order, and the error of the intercept."""

    def __iter__(self) -> Any:
        return iter((self.slope, self.intercept, self.rvalue, self.pvalue, self.stderr))


@summary
def expectile(a: Any, alpha: float = 0.5, *, weights: Any = None) -> Any:
    """The number from which those above it, times alpha, are as far as those below it, times 1 - alpha.

    It is a mean with weights that depend only on which elements lie above it.
    """
    x = real(a)
    share = real(1.0 if weights is None else weights)
    plain = [np.asarray(peeled(each, "scipy.stats.expectile")) for each in (x, alpha, share)]
    found = scipy.stats.expectile(plain[0], plain[1][()], weights=np.broadcast_to(plain[2], plain[0].shape))
    share = share * FUNCTIONS[np.where](plain[0] > found, alpha, 1.0 - alpha)
    return FUNCTIONS[np.sum](share * x) / FUNCTIONS[np.sum](share)


SUMMARIES: dict[str, Function] = {
    **{name: of_formula(name) for name in SCIPYS.split() if hasattr(scipy.stats, name)},
    **{name: of_ranks(name) for name in RANKS.split() if hasattr(scipy.stats, name)},
    **{function.__name__: function for function in (hmean, pmean, linregress, expectile)},
}
