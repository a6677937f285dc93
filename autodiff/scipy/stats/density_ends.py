"""Densities at the ends of their support, where the logarithm that SciPy computes them from is infinite.

SciPy's ``gamma.pdf`` is exp(logpdf). At 0 that is exp(-inf), and its derivative would be 0 * inf. As a product of
powers the same density has its one-sided derivative there: finite, or infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import betaln, gammaln

from autodiff.ops.elementwise import equal, log, logical_or, where
from autodiff.trace.spec import Spec
from autodiff.trace.tracer import concrete


def gamma_density(x: Any, a: Any) -> Any:
    """x^(a - 1) exp(-x) / Gamma(a)."""
    return x ** (a - 1.0) * np.exp(-x - gammaln(a))


def f_density(x: Any, n: Any, m: Any) -> Any:
    """n^(n/2) m^(m/2) x^(n/2 - 1) (m + n x)^(-(n + m)/2) / B(n/2, m/2)."""
    powers = n / 2 * log(n) + m / 2 * log(m) - (n + m) / 2 * log(m + n * x)
    return x ** (n / 2 - 1.0) * np.exp(powers - betaln(n / 2, m / 2))


PRODUCTS: dict[str, Callable[..., Any]] = {
    "gamma":  gamma_density,
    "erlang": gamma_density,
    "chi2":   lambda x, df: gamma_density(x / 2, df / 2) / 2,
    "chi":    lambda x, df: x ** (df - 1.0) * np.exp(-x * x / 2 - gammaln(df / 2) - (df / 2 - 1) * np.log(2)),
    "beta":   lambda x, a, b: x ** (a - 1.0) * (1.0 - x) ** (b - 1.0) * np.exp(-betaln(a, b)),
    "f":      f_density,
}  # fmt: skip


def with_ends(name: str, density: Any, y: Any, shapes: Sequence[Any], start: Any, stop: Any) -> Any:
    """A density, and at the ends of the support its product of powers."""
    if name not in PRODUCTS:
        return density
    at_end = logical_or(equal(y, start), equal(y, stop))
    known = concrete(at_end)
    if not isinstance(known, Spec) and not np.any(known):
        return density
    return where(at_end, PRODUCTS[name](where(at_end, y, 0.5), *shapes), density)
