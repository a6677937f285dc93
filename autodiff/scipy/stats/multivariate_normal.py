"""The normal distribution of vectors."""

from __future__ import annotations

from math import log, pi
from typing import Any

import numpy as np
import scipy.stats

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops.elementwise import exp, logical_or, where
from autodiff.ops.elementwise import log as log_of
from autodiff.ops.matrices.decompositions import cholesky
from autodiff.ops.matrices.products import swap
from autodiff.ops.matrices.triangular import solve_triangular
from autodiff.scipy.mirror import holds_traced
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import concrete
from autodiff.transforms.stop_gradient import stop_gradient

SINGULAR = 1e6 * np.finfo(float).eps
"""Eigenvalues below this part of the largest one count as zero for SciPy."""


def square(cov: Any, size: int) -> Any:
    """A covariance matrix; a number is that of each element, a vector is a diagonal."""
    cov = as_operand(cov) * 1.0
    ndim = spec_of(cov).ndim if holds_traced(cov) else np.ndim(cov)
    return cov if ndim == 2 else cov * np.eye(size)


def difference(x: Any, mean: Any, cov: Any) -> Any:
    """How far vectors are from the mean; for one dimension each element of a vector is a place."""
    x, mean = as_operand(x), 0.0 if mean is None else as_operand(mean)
    size = max([np.size(mean), *(shape_of(cov)[-1:] or (1,))])
    if size == 1 and np.ndim(x) == 1:
        return FUNCTIONS[np.reshape](x, (-1, 1)) - mean
    apart = x - mean
    return apart if np.shape(apart)[-1:] == (size,) or size == 1 else apart + np.zeros(size, spec_of(apart).dtype)


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of an array, traced or not."""
    return tuple(spec_of(x).shape) if holds_traced(x) else np.shape(x)


def log_density(x: Any, mean: Any, cov: Any) -> Any:
    """The logarithm of the density of vectors along the last axis."""
    apart = difference(x, mean, cov)
    size = np.shape(apart)[-1] if np.ndim(apart) else 1
    factor = cholesky(square(cov, size), upper=False)
    flat = FUNCTIONS[np.reshape](apart, (-1, size))
    half = solve_triangular(factor, swap(flat), lower=True, transposed=False, unit=False)
    squares = FUNCTIONS[np.sum](half * half, -2)
    volume = FUNCTIONS[np.sum](log_of(FUNCTIONS[np.diagonal](factor)))
    value = -0.5 * (squares + size * log(2 * pi)) - volume
    several = tuple(length for length in np.shape(apart)[:-1] if length != 1)  # SciPy squeezes
    return FUNCTIONS[np.reshape](value, several)[()]


def log_density_in_range(x: Any, mean: Any, cov: Any) -> Any:
    """The logarithm of the density where the covariance matrix may be singular: the one on its range; -inf off it.

    The range is that of the matrix as a constant, found as SciPy does; derivatives are those of matrices and vectors
    that stay in it. The matrix is completed off its range, by a multiple of the identity, whose part is taken off
    again. Where only shapes are known, a matrix that is not positive semidefinite gives NaN.
    """
    apart = difference(x, mean, cov)
    apart = apart if np.ndim(apart) else FUNCTIONS[np.reshape](apart, (1,))
    size = np.shape(apart)[-1]
    whole = square(cov, size)
    lower = FUNCTIONS[np.tril](whole)
    symmetric = lower + swap(FUNCTIONS[np.tril](whole, -1))
    values, vectors = FUNCTIONS[np.linalg.eigh](stop_gradient(symmetric))
    largest = FUNCTIONS[np.max](abs(values))
    small = SINGULAR * largest
    negative = FUNCTIONS[np.min](values) < -small
    if type(concrete(negative)) is not Spec and concrete(negative):
        raise ValueError("The input matrix must be symmetric positive semidefinite.")
    beyond = vectors * (values <= small)
    missing = FUNCTIONS[np.sum](values <= small)
    off = beyond @ swap(beyond)
    onto = np.eye(size) - off
    scale = where(largest > 0, largest, 1.0)
    inside = log_density(apart @ onto, None, onto @ symmetric @ onto + scale * off)
    inside = inside + 0.5 * missing * log_of(2 * pi * scale)
    distance = FUNCTIONS[np.squeeze](FUNCTIONS[np.linalg.norm](stop_gradient(apart) @ beyond, axis=-1))
    in_range = logical_or(missing == 0, distance < 1e3 * small)
    return where(negative, np.nan, where(in_range, inside, -np.inf))[()]


class MultivariateNormal:
    """SciPy's ``multivariate_normal``, whose density is differentiated by place, mean and covariance matrix.

    The lower triangle of the covariance matrix is read. It has to be positive definite, unless ``allow_singular``: the
    density is then that on its range, and derivatives are those of matrices with the same range.

    >>> import numpy as np, autodiff
    >>> from autodiff.scipy import stats
    >>> autodiff.grad(lambda x: stats.multivariate_normal.logpdf(x, np.zeros(2)))(np.array([1.0, 2.0]))
    array([-1., -2.])
    """

    def __init__(
        self, mean: Any = None, cov: Any = 1, own: Any = scipy.stats.multivariate_normal, allow_singular: bool = False
    ) -> None:
        self.mean = mean
        self.cov = cov
        self.allow_singular = allow_singular
        self.own = own

    def __call__(self, mean: Any = None, cov: Any = 1, allow_singular: bool = False, seed: Any = None) -> Any:
        """The distribution with its parameters fixed."""
        if not holds_traced((mean, cov)):
            fixed = scipy.stats.multivariate_normal(mean, cov, allow_singular, seed)
            return MultivariateNormal(mean, cov, fixed, allow_singular)
        return MultivariateNormal(mean, cov, None, allow_singular)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self.own is None:
            raise DifferentiationError(
                f"multivariate_normal with traced parameters has no {name}{at_user_line()}; it has logpdf, pdf and "
                "entropy"
            )
        return getattr(self.own, name)

    def logpdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """The logarithm of the density."""
        if self.own is not None and not holds_traced((x, args, kwds)):
            return self.own.logpdf(x, *args, **kwds)
        named = {**dict(zip(("mean", "cov", "allow_singular"), args)), **kwds}
        density = log_density_in_range if named.get("allow_singular", self.allow_singular) else log_density
        return density(x, named.get("mean", self.mean), named.get("cov", self.cov))

    def pdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """The density."""
        if self.own is not None and not holds_traced((x, args, kwds)):
            return self.own.pdf(x, *args, **kwds)
        return exp(self.logpdf(x, *args, **kwds))

    def entropy(self, mean: Any = None, cov: Any = None) -> Any:
        """The differential entropy."""
        cov = self.cov if cov is None else cov
        if not holds_traced(cov):
            return scipy.stats.multivariate_normal.entropy(mean, cov)
        size = spec_of(cov).shape[-1] if spec_of(cov).ndim else 1
        return 0.5 * size * (1 + log(2 * pi)) + 0.5 * FUNCTIONS[np.linalg.slogdet](square(cov, size))[1]
