"""Means, moments, scores, transformations and tests of samples, along one axis or over all elements.

Most of them are SciPy's own Python, run on traced values: results are SciPy's, of the same types. Those that are
written down here look at values in SciPy, or call compiled code.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.special
import scipy.stats
from scipy.stats import _stats_py

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.ops import elementwise as ew
from autodiff.scipy.mirror import counterpart, holds_traced
from autodiff.scipy.python_code import on_traced
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

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


def orders_first(function: Function) -> Function:
    """SciPy's ``lmoment``, whose several orders stand before the axes that are kept."""

    @wraps(function)
    def call(sample: Any, order: Any = None, *, axis: Any = 0, keepdims: bool = False, **options: Any) -> Any:
        found = function(sample, order=order, axis=axis, **options)
        if not keepdims:
            return found
        several = 1 if order is None else np.ndim(order)
        ndim = np.ndim(sample)
        gone = range(ndim) if axis is None else [axis % ndim]
        return FUNCTIONS[np.expand_dims](found, tuple(several + k for k in gone))

    return call


def with_interval(function: Function) -> Function:
    """SciPy's ``pearsonr``, whose result finds its interval of confidence of traced values."""
    interval = on_traced(_stats_py._pearsonr_fisher_ci)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)

        def confidence_interval(confidence_level: float = 0.95, method: Any = None) -> Any:
            if method is not None:
                raise DifferentiationError(
                    f"pearsonr of traced values has no interval by method={method!r}{at_user_line()}; leave it out"
                )
            return interval(found.statistic, found._n, confidence_level, found._alternative)

        found.confidence_interval = confidence_interval
        return found

    return call


CHANGED = {"lmoment": orders_first, "pearsonr": with_interval}
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


def without(x: Any, axis: Any) -> Any:
    """A result without the axis that it has kept."""
    return FUNCTIONS[np.sum](x, axis)[()]


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


@summary
def hmean(a: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None, **how: Any) -> Any:
    """The harmonic mean."""
    usual("hmean", how)
    x = real(a)
    return without(1 / mean(1 / none_negative(x, axis), axis, weights), axis)


@summary
def pmean(a: Any, p: Any, axis: Any = 0, dtype: Any = None, weights: Any = None, **how: Any) -> Any:
    """The mean of powers, to the power of one over them; of 0 the geometric mean."""
    usual("pmean", how)
    x = real(a)
    if isinstance(p, (int, float)) and p == 0:
        return without(ew.exp(mean(ew.log(x), axis, weights)), axis)
    return without(mean(none_negative(x, axis) ** p, axis, weights) ** (1 / p), axis)


@summary
def linregress(x: Any, y: Any, alternative: str = "two-sided", **how: Any) -> SimpleNamespace:
    """The straight line through points with the least squares, its errors, and the probability of no slope."""
    usual("linregress", {"alternative": alternative, **how})
    x, y = real(x), real(y)
    n = spec_of(x).size
    if n == 2:
        return through_two(x, y)
    apart, other = x - FUNCTIONS[np.mean](x), y - FUNCTIONS[np.mean](y)
    r = FUNCTIONS[np.sum](apart * other) / ew.sqrt(FUNCTIONS[np.sum](apart**2) * FUNCTIONS[np.sum](other**2))
    squares, others = (FUNCTIONS[np.var](each) for each in (x, y))
    slope = r * ew.sqrt(others / squares)
    middle = FUNCTIONS[np.mean](x)
    error = ew.sqrt((1 - r * r) * others / squares / (n - 2))
    t = r * ew.sqrt((n - 2) / ((1 - r) * (1 + r)))
    return Line(
        slope=slope,
        intercept=FUNCTIONS[np.mean](y) - slope * middle,
        rvalue=r,
        pvalue=2 * scipy.special.stdtr(n - 2.0, -ew.absolute(t)),
        stderr=error,
        intercept_stderr=error * ew.sqrt(squares + middle * middle),
    )


def through_two(x: Any, y: Any) -> SimpleNamespace:
    """The straight line through two points, which has no error."""
    slope = (y[1] - y[0]) / (x[1] - x[0])
    none = slope * 0.0
    rvalue = ew.sign(slope)
    return Line(
        slope=slope,
        intercept=y[0] - slope * x[0],
        rvalue=rvalue,
        pvalue=1.0 - ew.absolute(rvalue),
        stderr=none,
        intercept_stderr=none,
    )


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
