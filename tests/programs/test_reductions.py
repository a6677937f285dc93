"""Sums, products, extremes, statistics, sorting and cumulative functions, with all their keywords."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs.programs import Programs, check

programs = Programs()

X = np.array([[0.3, -1.2, 0.7, 0.15], [1.6, 0.45, -0.8, 2.1], [-0.55, 0.9, 1.15, -0.35]])
T = np.arange(24.0).reshape(2, 3, 4) ** 0.5 + np.sin(np.arange(24.0)).reshape(2, 3, 4)
V = np.array([0.9, -0.4, 1.3, 0.2, 2.2])
POSITIVE = np.abs(X) + 0.3
MASK = X > 0
NAN = np.where(X > 1.1, np.nan, X)
Z = X + 1j * X[::-1]

for name in ("sum", "prod", "mean", "var", "std", "max", "min", "ptp", "median"):
    f = getattr(np, name)
    programs.table(
        {
            name: (f, X),
            f"{name}_axis": (lambda x, f=f: f(x, axis=1), X),
            f"{name}_negative_axis_keepdims": (lambda x, f=f: f(x, axis=-2, keepdims=True), T),
            f"{name}_axes": (lambda x, f=f: f(x, axis=(0, 2)), T),
            f"{name}_axes_keepdims": (lambda x, f=f: f(x, axis=(-1, 0), keepdims=True) * x, T),
            f"{name}_all_keepdims": (lambda x, f=f: f(x, keepdims=True), T),
            f"{name}_of_vector": (f, V),
            f"{name}_out": (lambda x, f=f: f(x, axis=0, out=np.zeros_like(x[0])), X),
        }
    )
for name in ("sum", "prod", "mean", "var", "std", "max", "min"):
    programs.table({f"{name}_method": (lambda x, m=name: getattr(x, m)(axis=0, keepdims=True) * getattr(x, m)(), X)})
for name in ("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin", "nanmedian"):
    f = getattr(np, name)
    programs.table(
        {
            name: (lambda x, f=f: f(np.where(np.isnan(NAN), np.nan, x), axis=1), X),
            f"{name}_all": (lambda x, f=f: f(np.where(np.isnan(NAN), np.nan, x)), X),
        }
    )
for name in ("sum", "prod", "mean", "var", "std"):
    f = getattr(np, name)
    programs.table(
        {
            f"{name}_where": (lambda x, f=f: f(x, where=MASK), X),
            f"{name}_where_axis": (lambda x, f=f: f(x, axis=1, where=MASK), X),
            f"{name}_where_of_x": (lambda x, f=f: f(x, axis=1, keepdims=True, where=x > -0.6), X),
        }
    )

programs.table(
    {
        "sum_initial": (lambda x: np.sum(x, initial=3.0) + x.sum(axis=1, initial=2), X),
        "prod_initial": (lambda x: np.prod(x, axis=0, initial=3.0), X),
        "max_initial_where": (lambda x: np.max(x, axis=1, initial=0.5, where=MASK), X),
        "min_initial": (lambda x: np.min(x, axis=0, initial=-0.4), X),
        "sum_dtype": (lambda x: np.sum(x, dtype=np.float64, axis=0), X),
        "mean_dtype": (lambda x: x.mean(dtype=float), X.astype(np.float32)),
        "sum_positional_axis": (lambda x: np.sum(x, 0) * x.sum(1).max(), X),
        "sum_no_axes": (lambda x: np.sum(x, axis=()), X),
        "sum_of_complex": (lambda z: np.sum(z**2, axis=0), Z),
        "mean_of_complex": (lambda z: np.mean(z, axis=1), Z),
        "var_of_complex": (lambda z: np.var(z), Z),
        "prod_of_complex": (lambda z: np.prod(z, axis=1), Z),
        "prod_with_zero": (np.prod, np.array([2.0, 0.0, 3.0])),
        "prod_with_two_zeros": (lambda x: np.prod(x) + x, np.array([0.0, 0.0, 3.0])),
        "cumprod_with_zero": (np.cumprod, np.array([2.0, 0.0, 3.0, 0.5])),
        "cumprod_axis": (lambda x: np.cumprod(x, axis=1), X),
        "cumsum": (np.cumsum, X),
        "cumsum_axis": (lambda x: x.cumsum(axis=0) * x.cumsum(-1), X),
        "cumulative_sum": (lambda x: np.cumulative_sum(x, axis=1, include_initial=True), X),
        "nancumsum": (lambda x: np.nancumsum(np.where(np.isnan(NAN), np.nan, x), axis=1), X),
        "reverse_cumsum": (lambda x: np.cumsum(x[::-1])[::-1], V),
        "exclusive_cumprod": (lambda x: np.concatenate([[1.0], np.cumprod(1 - x)[:-1]]) * x, V),
        "var_ddof": (lambda x: np.var(x, ddof=1) + np.std(x, axis=0, ddof=1).sum(), X),
        "var_correction": (lambda x: np.var(x, axis=1, correction=1), X),
        "var_given_mean": (lambda x: np.var(x, axis=1, mean=np.mean(x, axis=1, keepdims=True)), X),
        "average": (lambda x: np.average(x, axis=0), X),
        "average_weights": (lambda x, w: np.average(x, axis=1, weights=w), X, np.array([0.1, 0.5, 0.2, 0.9])),
        "average_returned": (lambda x, w: np.average(x, weights=w, returned=True), X, POSITIVE),
        "percentile": (lambda x: np.percentile(x, [20, 50, 83], axis=1), X),
        "quantile_keepdims": (lambda x: np.quantile(x, 0.37, axis=0, keepdims=True), X),
        "quantile_methods": (
            lambda x: sum(
                np.quantile(x, 0.31, method=m)
                for m in ("linear", "lower", "higher", "midpoint", "hazen", "weibull", "median_unbiased")
            ),
            V,
        ),
        "quantile_traced_level": (lambda x, q: np.quantile(x, q), V, 0.4),
        "nanquantile": (lambda x: np.nanquantile(np.where(np.isnan(NAN), np.nan, x), 0.4, axis=1), X),
        "interquartile": (lambda x: np.subtract(*np.percentile(x, [75, 25])), V),
        "sort": (np.sort, X),
        "sort_axis": (lambda x: np.sort(x, axis=0)[::-1], X),
        "sort_flat": (lambda x: np.sort(x, axis=None), X),
        "sort_kind": (lambda x: np.sort(x, kind="stable"), X),
        "argsort_gather": (lambda x: x[np.argsort(x)], V),
        "argsort_take_along": (lambda x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1), X),
        "partition": (lambda x: np.partition(x, 2)[:2], V),
        "argmax_gather": (lambda x: x[np.argmax(x)] + x[x.argmin()], V),
        "argmax_rows": (lambda x: x[np.arange(3), x.argmax(axis=1)], X),
        "lexsort": (lambda x: x[np.lexsort((x, [0, 1, 0, 1, 0]))], V),
        "searchsorted": (lambda x: x * np.searchsorted(np.array([0.0, 1.0]), x), V),
        "unique": (lambda x: np.unique(x), V),
        "unique_inverse": (lambda x: np.unique(x, return_inverse=True)[0], V),
        "diff": (lambda x: np.diff(x), X),
        "diff_twice": (lambda x: np.diff(x, n=2, axis=0), X),
        "diff_prepend": (lambda x: np.diff(x, prepend=0.0, append=x[-1]), V),
        "ediff1d": (lambda x: np.ediff1d(x, to_begin=1.0), V),
        "gradient": (lambda x: np.gradient(x), V),
        "gradient_spacing": (lambda x: np.gradient(x, 0.5, axis=1, edge_order=2), X),
        "gradient_coordinates": (lambda x, t: np.gradient(x, np.cumsum(np.exp(t))), V, V),
        "gradient_two_axes": (lambda x: sum(np.gradient(x)), X),
        "trapezoid": (lambda y, x: np.trapezoid(y, x), V, np.array([0.0, 0.3, 0.9, 1.4, 2.0])),
        "trapezoid_dx": (lambda y: np.trapezoid(y, dx=0.2, axis=0), X),
        "convolve": (lambda x, k: np.convolve(x, k), V, np.array([0.2, 0.5, 0.3])),
        "convolve_same": (lambda x, k: np.convolve(x, k, mode="same"), V, np.array([0.2, 0.5, 0.3])),
        "convolve_valid": (lambda x, k: np.convolve(x, k, "valid"), V, np.array([0.2, 0.5, 0.3])),
        "correlate": (lambda x, k: np.correlate(x, k, "full"), V, np.array([0.2, 0.5, 0.3])),
        "cov": (lambda x: np.cov(x), X),
        "cov_columns": (lambda x: np.cov(x, rowvar=False, ddof=0), X),
        "cov_two": (lambda x, y: np.cov(x, y)[0, 1], V, V**2),
        "cov_weights": (lambda x, w: np.cov(x, aweights=w), X, np.array([0.1, 0.5, 0.2, 0.9])),
        "corrcoef": (lambda x: np.corrcoef(x), X),
        "histogram_weights": (lambda w: np.histogram([0.1, 0.2, 0.6, 0.7, 0.9], bins=3, weights=w)[0], V),
        "bincount_weights": (lambda w: np.bincount([0, 1, 1, 3, 0], weights=w, minlength=5), V),
        "interp": (lambda x, y: np.interp(x, [0.0, 1.0, 2.0, 3.0], y), np.array([0.3, 1.7, 2.2]), V[:4]),
        "interp_nodes": (lambda t: np.interp([0.25, 0.85], np.cumsum(np.exp(t)) - 1.0, V), V / 4),
        "any_and_all_branch": (lambda x: x * 2 if np.any(x > 0) and not np.all(x > 0) else x, X),
        "count_nonzero": (lambda x: x.sum() / np.count_nonzero(x > 0), X),
        "logsumexp_by_hand": (lambda x: np.max(x) + np.log(np.sum(np.exp(x - np.max(x)))), X),
        "softmax_by_hand": (
            lambda x: (
                np.exp(x - x.max(axis=1, keepdims=True))
                / np.exp(x - x.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)
            ),
            X,
        ),
        "top_two": (lambda x: np.sort(x)[..., -2:].sum(axis=-1), X),
        "trimmed_mean": (lambda x: np.sort(x)[1:-1].mean(), V),
        "median_absolute_deviation": (
            lambda x: np.median(np.abs(x - np.median(x))),
            np.array([0.3, 1.1, 2.4, 0.05, 3.2, 1.9]),
        ),
        "gini": (
            lambda x: (np.abs(x[:, None] - x[None, :]).sum() + 1) / (2 * x.size**2 * x.mean()),
            np.array([0.3, 1.1, 2.4]),
        ),
        "norm_of_constant_mean": (lambda x: np.sqrt(np.sum((x - x.mean(0)) ** 2, axis=0)), X),
        "skewness": (lambda x: np.mean(((x - x.mean()) / x.std()) ** 3), V),
        "autocorrelation": (
            lambda x: np.correlate(x - x.mean(), x - x.mean(), mode="full")[x.size - 1 :] / x.var() / x.size,
            V,
        ),
        "moving_average": (lambda x: np.convolve(x, np.ones(3) / 3, mode="valid"), V),
        "exponential_smoothing": (lambda x, a: [s := x[0]] + [s := a * v + (1 - a) * s for v in x[1:]], V, 0.3),
        "apply_along_axis": (lambda x: np.apply_along_axis(lambda r: r / r.sum(), 1, x), POSITIVE),
        "apply_over_axes": (lambda x: np.apply_over_axes(np.sum, x, [0, 2]), T),
        "trace": (lambda x: np.trace(x) + x.trace(offset=1), X),
        "ptp_method_free": (lambda x: x.max() - x.min(), X),
        "round_trip_axes": (lambda x: np.moveaxis(x, 0, -1).sum(axis=(0, 1)), T),
        "empty_sum": (lambda x: x[:0].sum() + x.sum(), V),
        "zero_dimensional_sum": (lambda x: np.sum(x) + x.mean() + x.max(), np.array(0.5)),
    }
)


@pytest.mark.parametrize("name", programs)
def test_program(name):
    check(programs[name])
