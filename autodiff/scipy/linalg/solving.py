"""Equations: factors once, solutions many times."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from autodiff.numpy.dispatch import FUNCTIONS
from autodiff.ops.elementwise import real, where
from autodiff.ops.matrices.decompositions import cholesky as cholesky_factor
from autodiff.ops.matrices.products import adjoint, conj, swap
from autodiff.ops.matrices.triangular import lu_factor as lu_factors
from autodiff.ops.matrices.triangular import permutation, permuted_rows, triangle
from autodiff.ops.matrices.triangular import solve_triangular as solve_triangle
from autodiff.scipy.linalg.operands import array, eye_like, matrix, with_columns
from autodiff.scipy.mirror import counterpart
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

SYMMETRIC = ("sym", "symmetric", "pos", "positive definite", "her", "hermitian")
TRANSPOSED = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}


@counterpart(scipy.linalg.solve_triangular)
def solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, **options: Any
) -> Any:
    """The solution x of a x = b, of whose ``a`` one triangle is read; only that one gets a gradient.

    >>> import numpy as np, autodiff
    >>> a = np.array([[2.0, 0.0], [1.0, 4.0]])
    >>> autodiff.grad(lambda b: np.sum(solve_triangular(a, b, lower=True)))(np.array([2.0, 5.0]))
    array([0.375, 0.25 ])
    """
    a, b = matrix("solve_triangular", a), array(b)
    kind = TRANSPOSED[trans]
    if kind == 2:
        a = conj(a)
    options = {"lower": bool(lower), "transposed": kind != 0, "unit": bool(unit_diagonal)}
    return with_columns(lambda right: solve_triangle(a, right, **options), b)


@counterpart(scipy.linalg.cholesky)
def cholesky(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The upper triangular u with u* u = a, or the lower triangular l with l l* = a; one triangle is read."""
    return cholesky_factor(matrix("cholesky", a), upper=not lower)


@counterpart(scipy.linalg.cho_factor)
def cho_factor(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Any, bool]:
    """The Cholesky factor for :func:`cho_solve`; as SciPy's, the other triangle of the result is that of ``a``."""
    a = matrix("cho_factor", a)
    inside = np.tri(spec_of(a).shape[-1], dtype=bool)
    return where(inside if lower else inside.T, cholesky_factor(a, upper=not lower), a), lower


@counterpart(scipy.linalg.cho_solve)
def cho_solve(c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """The solution x of a x = b from the Cholesky factor of ``a``.

    >>> import numpy as np, autodiff
    >>> def f(a):
    ...     return np.sum(cho_solve(cho_factor(a * np.eye(2)), np.ones(2)))
    >>> round(autodiff.grad(f)(2.0), 9)
    -0.5
    """
    c, lower = c_and_lower
    c, b = matrix("cho_solve", c), array(b)
    factor = conj(swap(c)) if not lower else c  # lower triangular

    def solve(right: Any) -> Any:
        half = solve_triangle(factor, right, lower=True, transposed=False, unit=False)
        return solve_triangle(adjoint(factor), half, lower=False, transposed=False, unit=False)

    return with_columns(solve, b)


@counterpart(scipy.linalg.lu_factor)
def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Any, Any]:
    """The triangular factors of a square matrix in one, and the pivots, for :func:`lu_solve`."""
    factors, pivots = lu_factors(matrix("lu_factor", a))
    return factors, pivots


@counterpart(scipy.linalg.lu_solve)
def lu_solve(lu_and_piv: Any, b: Any, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """The solution x of a x = b from the factors of ``a``; of a^T x = b, or a* x = b, with ``trans`` 1 or 2."""
    factors, pivots = lu_and_piv
    factors, b = matrix("lu_solve", factors), array(b)
    if trans == 2:
        factors = conj(factors)

    def solve(right: Any) -> Any:
        if trans == 0:
            right = permuted_rows(right, permutation(pivots, inverse=False))
            half = solve_triangle(factors, right, lower=True, transposed=False, unit=True)
            return solve_triangle(factors, half, lower=False, transposed=False, unit=False)
        half = solve_triangle(factors, right, lower=False, transposed=True, unit=False)
        whole = solve_triangle(factors, half, lower=True, transposed=True, unit=True)
        return permuted_rows(whole, permutation(pivots, inverse=True))

    return with_columns(solve, b)


@counterpart(scipy.linalg.lu)
def lu(
    a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True, p_indices: bool = False
) -> tuple[Any, ...]:
    """Permutation, lower and upper triangular factor of a square matrix; the permutation is constant."""
    factors, pivots = lu_factors(matrix("lu", a))
    order = permutation(pivots, inverse=True)
    low, up = triangle(factors, True, unit=True) + eye_like(factors), triangle(factors, False)
    if permute_l:
        return permuted_rows(low, order), up
    unmoved = np.broadcast_to(eye_like(factors).real, spec_of(factors).shape)
    return (order if p_indices else permuted_rows(unmoved, order)), low, up


def symmetric(a: Any, lower: bool, hermitian: bool) -> Any:
    """The matrix of which one triangle is read, and of the diagonal of a Hermitian one the real part."""
    part, diagonal = triangle(a, lower, unit=True), triangle(triangle(a, True), False)
    return part + adjoint(part) + real(diagonal) if hermitian else part + swap(part) + diagonal


@counterpart(scipy.linalg.solve)
def solve(
    a: Any,
    b: Any,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: Any = None,
    transposed: bool = False,
) -> Any:
    """The solution x of a x = b; of a matrix that is assumed to be symmetric one triangle is read."""
    a, b = matrix("solve", a), array(b)
    if assume_a in SYMMETRIC:
        a = symmetric(a, lower, hermitian=not assume_a.startswith("sym"))
    elif assume_a in ("lower triangular", "upper triangular"):
        return solve_triangular(a, b, int(transposed), assume_a.startswith("lower"))
    elif assume_a not in (None, "gen", "general"):
        raise DifferentiationError(
            f"scipy.linalg.solve of a traced matrix has no assume_a={assume_a!r}{at_user_line()}; leave it out"
        )
    return with_columns(lambda right: FUNCTIONS[np.linalg.solve](swap(a) if transposed else a, right), b)
