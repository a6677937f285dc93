"""Distribution functions of statistics among SciPy's special functions, and their inverses in every operand.

By its argument a distribution function has the density as derivative; by a parameter there is none in closed form, and
a difference is taken. Inverses, one for each operand, have theirs from the function that they invert.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, pi
from typing import Any

import numpy as np
import scipy.special as sp

from autodiff.ops.elementwise import absolute, cos, exp, floor, greater, less, log, log1p, logical_and, sqrt, where
from autodiff.ops.special.bessel import ive
from autodiff.ops.special.gamma import betainc, betainc_slope, gammainc_slope, gammaincc, gammaln, xlogy
from autodiff.ops.special.partial_derivatives import above, anywhere, slope
from autodiff.ops.special.scipy_functions import elementwise, inverse, with_partials
from autodiff.trace.link import Rule

POSITIVE = above(0)
SHAPE_X = {"v": POSITIVE, "x": POSITIVE}
GAMMA = {"a": POSITIVE, "b": POSITIVE, "x": POSITIVE}
F = {"dfn": POSITIVE, "dfd": POSITIVE, "x": POSITIVE}


def _share_slope(dfn: Any, dfd: Any, x: Any) -> Any:
    """The density of the F distribution."""
    total = dfd + dfn * x
    return betainc_slope(dfn / 2, dfd / 2, dfn * x / total) * dfn * dfd / (total * total)


def _student_density(df: Any, t: Any) -> Any:
    return exp(gammaln((df + 1) / 2) - gammaln(df / 2) - (df + 1) / 2 * log1p(t * t / df)) / sqrt(df * pi)


def _noncentral_density(x: Any, df: Any, nc: Any) -> Any:
    """The density of the noncentral chi-square distribution."""
    apart = sqrt(x) - sqrt(nc)
    return 0.5 * exp(-0.5 * apart * apart + xlogy(df / 4 - 0.5, x / nc)) * ive(df / 2 - 1, sqrt(x * nc))


def _poisson_rate(k: Any, m: Any) -> Any:
    """The derivative of Poisson's distribution function by k, where that is no whole number."""
    return slope(gammaincc, "a", 1.0, {"a": k + 1, "x": m})


def _binomial_rates(k: Any, n: Any, x: Any) -> tuple[Any, Any, Any]:
    """The derivatives of the binomial distribution function by k, n and the probability."""
    known = {"a": n - k, "b": k + 1, "x": 1 - x}
    by_n = slope(betainc, "a", 1.0, known)
    return slope(betainc, "b", 1.0, known) - by_n, by_n, -betainc_slope(n - k, k + 1, 1 - x)


def _negative_binomial_rates(k: Any, n: Any, x: Any) -> tuple[Any, Any, Any]:
    known = {"a": n, "b": k + 1, "x": x}
    return slope(betainc, "b", 1.0, known), slope(betainc, "a", 1.0, known), betainc_slope(n, k + 1, x)


def _fading(x: Any, operands: Any) -> Any:
    """The room beside zero, where a function falls off as exp(-1/x^2) does."""
    return 0.25 * x * np.minimum(x, 1)


def _between_samples(x: Any, operands: Any) -> Any:
    """The room between multiples of 1/n, at which Smirnov's function changes from one polynomial to another."""
    n = operands[0]
    return np.minimum(np.abs(n * x - np.rint(n * x)) / n, np.minimum(x, 1 - x))


def _inverse_in_k(rates: Callable[..., tuple[Any, Any, Any]]) -> dict[str, Rule]:
    """The rules of the inverse of a discrete distribution function by its first operand."""

    def shares(n: Any, x: Any, out: Any) -> tuple[Any, Any, Any]:
        by_k, by_n, by_x = rates(out, n, x)
        return 1 / by_k, -by_n / by_k, -by_x / by_k

    return {
        "dp": lambda g, n, x, out: g * shares(n, x, out)[0],
        "dn": lambda g, n, x, out: g * shares(n, x, out)[1],
        "dx": lambda g, n, x, out: g * shares(n, x, out)[2],
    }


def _inverse_in_n(rates: Callable[..., tuple[Any, Any, Any]]) -> dict[str, Rule]:
    """The same by its second operand."""

    def shares(k: Any, x: Any, out: Any) -> tuple[Any, Any, Any]:
        by_k, by_n, by_x = rates(k, out, x)
        return -by_k / by_n, 1 / by_n, -by_x / by_n

    return {
        "dk": lambda g, k, x, out: g * shares(k, x, out)[0],
        "dp": lambda g, k, x, out: g * shares(k, x, out)[1],
        "dx": lambda g, k, x, out: g * shares(k, x, out)[2],
    }


def _tukey_density(lmbda: Any, p: Any) -> Any:
    """The density of Tukey's lambda distribution at its quantile of p; zero outside of the support."""
    inside = logical_and(greater(p, 0), less(p, 1))
    p = where(inside, p, 0.5)
    return where(inside, 1 / (p ** (lmbda - 1) + (1 - p) ** (lmbda - 1)), 0.0)


def _tukey_growth(lmbda: Any, p: Any) -> Any:
    """The derivative by lambda of the quantile (p^lambda - (1 - p)^lambda) / lambda; a series for small ones."""
    p = where(logical_and(greater(p, 0), less(p, 1)), p, 0.5)
    above, below = log(p), log1p(-p)
    small = less(absolute(lmbda), 0.01)
    size, little = where(small, 1.0, lmbda), where(small, lmbda, 0.0)
    terms = ((n - 1) / factorial(n) * little ** (n - 2) * (above**n - below**n) for n in range(2, 12))
    high, low = exp(size * above), exp(size * below)
    return where(small, sum(terms), ((high * above - low * below) - (high - low) / size) / size)


# fmt: off

# Gamma, chi-square and Poisson.
chdtr  = with_partials("chdtr",  sp.chdtr,  SHAPE_X, dx=lambda g, v, x: g * 0.5 * gammainc_slope(v / 2, x / 2))
chdtrc = with_partials("chdtrc", sp.chdtrc, SHAPE_X, dx=lambda g, v, x: -g * 0.5 * gammainc_slope(v / 2, x / 2))
gdtr   = with_partials("gdtr",   sp.gdtr,   GAMMA,   da=lambda g, a, b, x: g * x * gammainc_slope(b, a * x),
                       dx=lambda g, a, b, x: g * a * gammainc_slope(b, a * x))
gdtrc  = with_partials("gdtrc",  sp.gdtrc,  GAMMA,   da=lambda g, a, b, x: -g * x * gammainc_slope(b, a * x),
                       dx=lambda g, a, b, x: -g * a * gammainc_slope(b, a * x))
pdtr   = elementwise("pdtr",  sp.pdtr,  dk=None, dm=lambda g, k, m: -g * gammainc_slope(floor(k) + 1, m))
pdtrc  = elementwise("pdtrc", sp.pdtrc, dk=None, dm=lambda g, k, m: g * gammainc_slope(floor(k) + 1, m))
chdtri  = inverse("chdtri",  sp.chdtri,  "v p",   chdtrc, "x", "p")
chdtriv = inverse("chdtriv", sp.chdtriv, "p x",   chdtr,  "v", "p")
gdtria  = inverse("gdtria",  sp.gdtria,  "p b x", gdtr,   "a", "p")
gdtrib  = inverse("gdtrib",  sp.gdtrib,  "a p x", gdtr,   "b", "p")
gdtrix  = inverse("gdtrix",  sp.gdtrix,  "a b p", gdtr,   "x", "p")
pdtri   = inverse("pdtri",   sp.pdtri,   "k p",   pdtr,   "m", "p")
pdtrik  = elementwise("pdtrik", sp.pdtrik, dp=lambda g, m, out: g / _poisson_rate(out, m),
                      dm=lambda g, m, out: g * gammainc_slope(out + 1, m) / _poisson_rate(out, m))

# Binomial and negative binomial.
bdtr   = elementwise("bdtr",   sp.bdtr,   dk=None, dn=None,
                     dx=lambda g, k, n, x: -g * betainc_slope(n - floor(k), floor(k) + 1, 1 - x))
bdtrc  = elementwise("bdtrc",  sp.bdtrc,  dk=None, dn=None,
                     dx=lambda g, k, n, x: g * betainc_slope(n - floor(k), floor(k) + 1, 1 - x))
nbdtr  = elementwise("nbdtr",  sp.nbdtr,  dk=None, dn=None,
                     dx=lambda g, k, n, x: g * betainc_slope(n, floor(k) + 1, x))
nbdtrc = elementwise("nbdtrc", sp.nbdtrc, dk=None, dn=None,
                     dx=lambda g, k, n, x: -g * betainc_slope(n, floor(k) + 1, x))
bdtri  = inverse("bdtri",  sp.bdtri,  "k n p", bdtr,  "x", "p")
nbdtri = inverse("nbdtri", sp.nbdtri, "k n p", nbdtr, "x", "p")
bdtrik  = elementwise("bdtrik",  sp.bdtrik,  **_inverse_in_k(_binomial_rates))
bdtrin  = elementwise("bdtrin",  sp.bdtrin,  **_inverse_in_n(_binomial_rates))
nbdtrik = elementwise("nbdtrik", sp.nbdtrik, **_inverse_in_k(_negative_binomial_rates))
nbdtrin = elementwise("nbdtrin", sp.nbdtrin, **_inverse_in_n(_negative_binomial_rates))

# F and Student's t.
fdtr   = with_partials("fdtr",  sp.fdtr,  F, dx=lambda g, dfn, dfd, x: g * _share_slope(dfn, dfd, x))
fdtrc  = with_partials("fdtrc", sp.fdtrc, F, dx=lambda g, dfn, dfd, x: -g * _share_slope(dfn, dfd, x))
stdtr  = with_partials("stdtr", sp.stdtr, {"df": POSITIVE, "t": anywhere},
                       dt=lambda g, df, t: g * _student_density(df, t))
fdtri    = inverse("fdtri",    sp.fdtri,    "dfn dfd p", fdtr,  "x",   "p")
fdtridfd = inverse("fdtridfd", sp.fdtridfd, "dfn p x",   fdtr,  "dfd", "p")
stdtrit  = inverse("stdtrit",  sp.stdtrit,  "df p",      stdtr, "t",   "p")
stdtridf = inverse("stdtridf", sp.stdtridf, "p t",       stdtr, "df",  "p")

# Noncentral distributions.
chndtr = with_partials("chndtr", sp.chndtr, {"x": POSITIVE, "df": POSITIVE, "nc": POSITIVE},
                       dx=lambda g, x, df, nc: g * _noncentral_density(x, df, nc),
                       dnc=lambda g, x, df, nc: -g * _noncentral_density(x, df + 2, nc))
ncfdtr = with_partials("ncfdtr", sp.ncfdtr, {"dfn": POSITIVE, "dfd": POSITIVE, "nc": POSITIVE, "f": POSITIVE})
nctdtr = with_partials("nctdtr", sp.nctdtr, {"df": POSITIVE, "nc": anywhere, "t": anywhere})
chndtrix   = inverse("chndtrix",   sp.chndtrix,   "p df nc",      chndtr, "x",   "p")
chndtridf  = inverse("chndtridf",  sp.chndtridf,  "x p nc",       chndtr, "df",  "p")
chndtrinc  = inverse("chndtrinc",  sp.chndtrinc,  "x df p",       chndtr, "nc",  "p")
ncfdtri    = inverse("ncfdtri",    sp.ncfdtri,    "dfn dfd nc p", ncfdtr, "f",   "p")
ncfdtridfn = inverse("ncfdtridfn", sp.ncfdtridfn, "p dfd nc f",   ncfdtr, "dfn", "p")
ncfdtridfd = inverse("ncfdtridfd", sp.ncfdtridfd, "dfn p nc f",   ncfdtr, "dfd", "p")
ncfdtrinc  = inverse("ncfdtrinc",  sp.ncfdtrinc,  "dfn dfd p f",  ncfdtr, "nc",  "p")
nctdtrit   = inverse("nctdtrit",   sp.nctdtrit,   "df nc p",      nctdtr, "t",   "p")
nctdtridf  = inverse("nctdtridf",  sp.nctdtridf,  "p nc t",       nctdtr, "df",  "p")
nctdtrinc  = inverse("nctdtrinc",  sp.nctdtrinc,  "df p t",       nctdtr, "nc",  "p")

# Kolmogorov and Smirnov, Tukey's lambda, the cosine distribution.
kolmogp   = with_partials("kolmogp", sp._ufuncs._kolmogp, {"x": _fading})
smirnovp  = with_partials("smirnovp", sp._ufuncs._smirnovp, {"n": None, "x": _between_samples})
kolmogorov = elementwise("kolmogorov", sp.kolmogorov,      dx=lambda g, x: g * kolmogp(x))
kolmogc    = elementwise("kolmogc",    sp._ufuncs._kolmogc, dx=lambda g, x: -g * kolmogp(x))
smirnov    = elementwise("smirnov",    sp.smirnov,         dn=None, dx=lambda g, n, x: g * smirnovp(n, x))
smirnovc   = elementwise("smirnovc",   sp._ufuncs._smirnovc, dn=None, dx=lambda g, n, x: -g * smirnovp(n, x))
kolmogi    = inverse("kolmogi",   sp.kolmogi,            "p",   kolmogorov, "x", "p")
kolmogci   = inverse("kolmogci",  sp._ufuncs._kolmogci,  "p",   kolmogc,    "x", "p")
smirnovi   = inverse("smirnovi",  sp.smirnovi,           "n p", smirnov,    "x", "p")
smirnovci  = inverse("smirnovci", sp._ufuncs._smirnovci, "n p", smirnovc,   "x", "p")
tklmbda    = elementwise("tklmbda", sp.tklmbda, dx=lambda g, lmbda, out: g * _tukey_density(lmbda, out),
                         dlmbda=lambda g, lmbda, out: -g * _tukey_growth(lmbda, out) * _tukey_density(lmbda, out))
cosine_cdf = elementwise("cosine_cdf", sp._ufuncs._cosine_cdf, dx=lambda g, x: g * ((1 + cos(x)) / (2 * pi)))
cosine_invcdf = inverse("cosine_invcdf", sp._ufuncs._cosine_invcdf, "p", cosine_cdf, "x", "p")
# fmt: on
