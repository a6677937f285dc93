"""Distributions of vectors, of counts and of matrices, differentiated by the place and all real parameters.

Called with plain values a method is SciPy's own. With traced ones the formulas below stand for it; where SciPy would
raise for values that are impossible, the result is nan, since under ``jit`` and ``vmap`` nobody knows them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, pi
from typing import Any

import numpy as np
import scipy.stats
from scipy.special import gammaln, ive, loggamma, xlogy

from autodiff.ops.elementwise import exp, floor, where
from autodiff.ops.matrices.decompositions import cholesky
from autodiff.ops.matrices.products import swap
from autodiff.ops.matrices.triangular import solve_triangular
from autodiff.scipy.mirror import holds_traced, refusing
from autodiff.scipy.special_counterparts import log_gamma_of_dimensions
from autodiff.scipy.stats.distribution import in_double
from autodiff.scipy.stats.multivariate_normal import log_density
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.transforms.stop_gradient import stop_gradient

Formula = Callable[..., Any]


class Multivariate:
    """A distribution of SciPy's whose values are vectors or matrices.

    >>> import numpy as np, autodiff
    >>> from autodiff.scipy import stats
    >>> autodiff.grad(lambda a: stats.dirichlet.logpdf([0.25, 0.75], a))(np.array([1.0, 1.0])).round(3)
    array([-0.386,  0.712])
    """

    def __init__(self, name: str, formula: Formula, args: tuple[Any, ...] = (), kwds: Any = None) -> None:
        self.name = name
        self.formula = formula
        self.args = args
        self.kwds = kwds or {}
        self.__doc__ = getattr(scipy.stats, name).__doc__

    def __call__(self, *args: Any, **kwds: Any) -> Multivariate:
        """The distribution with its parameters fixed."""
        if not holds_traced((args, kwds)):
            getattr(scipy.stats, self.name)(*args, **kwds)  # which says what is wrong with them
        kwds.pop("seed", None)
        return Multivariate(self.name, self.formula, args, kwds)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        own = getattr(scipy.stats, self.name)
        fixed = bool(self.args or self.kwds)
        if fixed and holds_traced((self.args, self.kwds)):
            raise DifferentiationError(
                f"{self.name} with traced parameters has no {name}{at_user_line()}; it has {' and '.join(self.of())}"
            )
        found = getattr(own(*self.args, **self.kwds) if fixed else own, name)
        return refusing(found, f"scipy.stats.{self.name}.{name}") if callable(found) else found

    def of(self) -> tuple[str, str]:
        """The methods that are differentiated."""
        return ("logpmf", "pmf") if hasattr(getattr(scipy.stats, self.name), "logpmf") else ("logpdf", "pdf")

    def logarithm(self, method: str, x: tuple[Any, ...], kwds: Any) -> Any:
        """The logarithm of a density or probability; None where all is plain."""
        args = (*x, *self.args)
        if not holds_traced((args, kwds, self.kwds)):
            return None
        with np.errstate(all="ignore"):
            return self.formula(*args, **self.kwds, **kwds)

    def plain(self, method: str, x: tuple[Any, ...], kwds: Any) -> Any:
        """SciPy's own."""
        return getattr(getattr(scipy.stats, self.name), method)(*x, *self.args, **self.kwds, **kwds)

    def logpdf(self, *x: Any, **kwds: Any) -> Any:
        """The logarithm of the density."""
        found = self.logarithm("logpdf", x, kwds)
        return self.plain("logpdf", x, kwds) if found is None else found

    def pdf(self, *x: Any, **kwds: Any) -> Any:
        """The density."""
        found = self.logarithm("pdf", x, kwds)
        return self.plain("pdf", x, kwds) if found is None else exp(found)

    def logpmf(self, *x: Any, **kwds: Any) -> Any:
        """The logarithm of the probability."""
        found = self.logarithm("logpmf", x, kwds)
        return self.plain("logpmf", x, kwds) if found is None else found

    def pmf(self, *x: Any, **kwds: Any) -> Any:
        """The probability."""
        found = self.logarithm("pmf", x, kwds)
        return self.plain("pmf", x, kwds) if found is None else exp(found)


def matrix(x: Any, size: int = 1) -> Any:
    """A square matrix; a number is that of each element, a vector is a diagonal."""
    x = in_double(x)
    return x if x.ndim == 2 else x * np.eye(x.shape[0] if x.ndim else size)


def triangle(x: Any) -> tuple[Any, Any]:
    """The factor of a positive definite matrix, of which the lower triangle is read, and its log-determinant."""
    factor = cholesky(x, upper=False)
    return factor, 2 * np.sum(np.log(np.diagonal(factor, axis1=-2, axis2=-1)), -1)


def divided(factor: Any, x: Any) -> Any:
    """What a lower triangle takes to ``x``."""
    return solve_triangular(factor, x, lower=True, transposed=False, unit=False)


def dirichlet(x: Any, alpha: Any) -> Any:
    """Of points of a simplex, the last coordinate of which may be left out."""
    x, alpha = in_double(x), in_double(alpha)
    if x.shape[0] + 1 == alpha.shape[0]:
        x = np.concatenate([x, 1 - np.sum(x, 0, keepdims=True)])
    column = np.reshape(alpha, (-1,) + (1,) * (x.ndim - 1))
    flat = (x == 0) & (column > 1)  # the density is 0 there for all such alpha
    powers = where(flat, xlogy(stop_gradient(column - 1), x), xlogy(column - 1, where(flat, 1.0, x)))
    value = np.sum(powers, 0) - np.sum(gammaln(alpha)) + gammaln(np.sum(alpha))
    possible = np.all(x >= 0, 0) & (np.abs(np.sum(x, 0) - 1) <= 1e-9) & np.all(alpha > 0)
    return where(possible, value, np.nan)


def multinomial(x: Any, n: Any, p: Any) -> Any:
    """Of counts; where the probabilities do not sum to one the last one makes up for it, as in SciPy."""
    x, n, p = stop_gradient(in_double(x)), stop_gradient(in_double(n)), in_double(p)
    others = np.sum(p[..., :-1], -1, keepdims=True)
    off = np.abs(1 - others - p[..., -1:]) > 10 * np.finfo(float).eps
    p = np.concatenate([p[..., :-1], where(off, 1 - others, p[..., -1:])], -1)
    value = gammaln(n + 1) + np.sum(xlogy(x, p) - gammaln(x + 1), -1)
    counts = np.all((x >= 0) & (x == floor(x)), -1) & (np.sum(x, -1) == n)
    possible = np.all((p >= 0) & (p <= 1), -1) & (n >= 0)
    return where(possible, where(counts, value, -inf), np.nan)


def dirichlet_multinomial(x: Any, alpha: Any, n: Any) -> Any:
    """Of counts whose probabilities are Dirichlet's."""
    x, n, alpha = stop_gradient(in_double(x)), stop_gradient(in_double(n)), in_double(alpha)
    total = np.sum(alpha, -1)
    value = loggamma(total) + loggamma(n + 1) - loggamma(n + total)
    value = value + np.sum(loggamma(x + alpha) - loggamma(alpha) - loggamma(x + 1), -1)
    possible = np.all((x >= 0) & (x == floor(x)), -1) & np.all(alpha > 0, -1)
    return where(possible, where(np.sum(x, -1) == n, value, -inf), np.nan)


def multivariate_t(x: Any, loc: Any = None, shape: Any = 1, df: Any = 1, allow_singular: bool = False) -> Any:
    """Student's t of vectors along the last axis."""
    if allow_singular:
        raise DifferentiationError(
            f"multivariate_t of traced values has no allow_singular=True{at_user_line()}; leave it out"
        )
    if not holds_traced(df) and df == inf:
        return log_density(x, loc, 1 if shape is None else shape)
    x, shape, df = in_double(x), in_double(1.0 if shape is None else shape), in_double(1.0 if df is None else df)
    loc = in_double(np.zeros(shape.shape[:1] or (1,)) if loc is None else loc)
    size = max(loc.size, 1)
    apart = np.reshape(x, (-1, 1) if size == 1 and x.ndim == 1 else x.shape) - loc
    factor, volume = triangle(matrix(shape, size))
    flat = divided(factor, swap(np.reshape(apart, (-1, size))))
    squares = np.reshape(np.sum(flat * flat, -2), apart.shape[:-1])
    half = 0.5 * (df + size)
    value = gammaln(half) - gammaln(0.5 * df) - 0.5 * size * np.log(df * pi) - 0.5 * volume
    return where(df > 0, np.squeeze(value - half * np.log(1 + squares / df)), np.nan)


def sides(x: Any, mean: Any, rows: Any, columns: Any) -> tuple[Any, Any, Any]:
    """Matrices without their mean, divided by both factors, and the logarithms of the determinants."""
    x, mean = in_double(x), in_double(0.0 if mean is None else mean)
    (left, row_volume), (right, column_volume) = (
        triangle(matrix(own, x.shape[axis])) for own, axis in ((rows, -2), (columns, -1))
    )
    return divided(right, swap(divided(left, x - mean))), row_volume, column_volume


def matrix_normal(X: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> Any:
    """The normal distribution of matrices, by the covariances of rows and columns."""
    apart, row_volume, column_volume = sides(X, mean, rowcov, colcov)
    columns, rows = apart.shape[-2:]
    volume = rows * columns * log(2 * pi) + columns * row_volume + rows * column_volume
    return -0.5 * (volume + np.sum(apart * apart, (-2, -1)))


def matrix_t(X: Any, mean: Any = None, row_spread: Any = 1, col_spread: Any = 1, df: Any = 1) -> Any:
    """Student's t of matrices, by the spreads of rows and columns."""
    apart, row_volume, column_volume = sides(X, mean, row_spread, col_spread)
    df = in_double(1.0 if df is None else df)
    n, m = apart.shape[-2:]
    _, volume = triangle(np.eye(n) + apart @ swap(apart))
    top = 0.5 * (df + m + n - 1)
    value = log_gamma_of_dimensions(top, n) - log_gamma_of_dimensions(0.5 * (df + n - 1), n) - 0.5 * m * n * log(pi)
    return where(df > 0, value - 0.5 * n * row_volume - 0.5 * m * column_volume - top * volume, np.nan)


def matrices(x: Any, size: int) -> Any:
    """Square matrices, the last axis of three of which counts them, with that axis in front."""
    x = in_double(x)
    if x.ndim == 3:
        return np.moveaxis(x, -1, 0)
    if x.ndim == 1 and size == 1:
        return np.reshape(x, (-1, 1, 1))
    return matrix(x, size)


def wishart(x: Any, df: Any, scale: Any = 1.0) -> Any:
    """Of covariance matrices of samples."""
    scale, df = matrix(1.0 if scale is None else scale), in_double(df)
    size = scale.shape[0]
    (factor, volume), (own, own_volume) = triangle(scale), triangle(matrices(x, size))
    trace = np.sum(divided(factor, own) ** 2, (-2, -1))
    whole = 0.5 * df * size * log(2) + 0.5 * df * volume + log_gamma_of_dimensions(0.5 * df, size)
    value = 0.5 * (df - size - 1) * own_volume - 0.5 * trace - whole
    return where(df > size - 1, np.squeeze(value), np.nan)


def invwishart(x: Any, df: Any, scale: Any = 1.0) -> Any:
    """Of the inverses of such matrices."""
    scale, df = matrix(1.0 if scale is None else scale), in_double(df)
    size = scale.shape[0]
    (factor, volume), (own, own_volume) = triangle(scale), triangle(matrices(x, size))
    trace = np.sum(divided(own, factor) ** 2, (-2, -1))
    whole = 0.5 * df * size * log(2) + 0.5 * (df + size + 1) * own_volume + log_gamma_of_dimensions(0.5 * df, size)
    value = 0.5 * df * volume - 0.5 * trace - whole
    return where(df > size - 1, np.squeeze(value), np.nan)


def vonmises_fisher(x: Any, mu: Any = None, kappa: Any = 1) -> Any:
    """Of directions along the last axis, around a direction."""
    x, mu, kappa = in_double(x), in_double(mu), in_double(kappa)
    half = 0.5 * mu.shape[0]
    factor = (half - 1) * np.log(kappa) - half * log(2 * pi) - np.log(ive(half - 1, kappa)) - kappa
    of_length_one = (np.abs(np.sum(x * x, -1) - 1) <= 1e-5) & (np.abs(np.sum(mu * mu) - 1) <= 1e-5)
    return where(of_length_one & (kappa > 0), factor + kappa * np.sum(mu * x, -1), np.nan)


def normal_inverse_gamma(x: Any, s2: Any, mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1) -> Any:
    """Of a mean and a variance."""
    x, s2, mu, lmbda, a, b = map(in_double, (x, s2, mu, lmbda, a, b))
    value = 0.5 * np.log(lmbda / (2 * pi * s2)) + a * np.log(b) - gammaln(a) - (a + 1) * np.log(s2)
    value = value - (2 * b + lmbda * (x - mu) ** 2) / (2 * s2)
    return where((lmbda > 0) & (a > 0) & (b > 0), where(s2 > 0, value, -inf), np.nan)


MULTIVARIATE = {
    formula.__name__: Multivariate(formula.__name__, formula)
    for formula in (
        dirichlet, multinomial, dirichlet_multinomial, multivariate_t, matrix_normal, matrix_t, wishart, invwishart,
        vonmises_fisher, normal_inverse_gamma,
    )
    if hasattr(scipy.stats, formula.__name__)  # those that the installed SciPy has
}  # fmt: skip
