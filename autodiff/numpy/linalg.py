"""``np.linalg``: equations, inverses, determinants and decompositions. Norms are in ``norms.py``."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.numpy.algebra.norms import cond, inexact, matrix_norm, norm, vector_norm
from autodiff.numpy.algebra.products import matmul, shape_of
from autodiff.numpy.arrays.outline import permuted
from autodiff.numpy.dispatch import as_operand, implements, write_outs
from autodiff.ops.elementwise import absolute, copysign, real
from autodiff.ops.matrices import decompositions, determinants, least_squares, singular, spectral
from autodiff.ops.matrices import solve as equations
from autodiff.ops.matrices.products import adjoint, column, dot, row, shaped
from autodiff.ops.shape import reshape
from autodiff.trace.errors import DifferentiationError, OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import concrete
from autodiff.trace.values.arrays import module_of

__all__ = ["cond", "matrix_norm", "norm", "vector_norm"]

_ONE: Any = np.eye(1)
SLOGDET: Any = type(np.linalg.slogdet(_ONE))
SVD: Any = type(np.linalg.svd(_ONE))
EIGH: Any = type(np.linalg.eigh(_ONE))
EIG: Any = type(np.linalg.eig(_ONE))
QR: Any = type(np.linalg.qr(_ONE))
"""The named tuples that NumPy returns."""


def matrices(name: str, a: Any, square: bool = False, integers: bool = False) -> Any:
    """An operand that must be a matrix or a stack of them; of floating-point numbers, unless integers stay."""
    a = as_operand(a) if integers else inexact(a)
    shape = shape_of(a)
    if len(shape) < 2 or (square and shape[-1] != shape[-2]):
        wanted = "square matrices" if square else "matrices"
        raise np.linalg.LinAlgError(
            f"{name} got {spec_of(a)!r}{at_user_line()}; it needs {wanted} in the last two axes"
        )
    return a


# Equations and inverses.


@implements(np.linalg.solve)
def solve(a: Any, b: Any) -> Any:
    """The solution x of a x = b; a vector ``b`` is one column."""
    a, b = matrices("solve", a, square=True), inexact(b)
    if spec_of(b).ndim == 0:
        raise OperandError(f"solve got a number as its right-hand side{at_user_line()}; it needs a vector or matrices")
    if spec_of(b).ndim > 1:
        return equations.solve(a, b)
    x = equations.solve(a, column(b))
    return reshape(x, shape=shape_of(x)[:-1])


@implements(np.linalg.inv)
def inv(a: Any) -> Any:
    """The inverse."""
    return equations.inv(matrices("inv", a, square=True), singular=False)


@implements(np.linalg.det)
def det(a: Any) -> Any:
    """The determinant; its derivative is the matrix of cofactors, of singular matrices as well."""
    return determinants.det(matrices("det", a, square=True))


@implements(np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    """Sign and logarithm of the absolute value of the determinant."""
    return SLOGDET(*determinants.slogdet(matrices("slogdet", a, square=True)))


@implements(np.linalg.pinv)
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    """The pseudo-inverse; its derivative is that among matrices of the same rank."""
    a = matrices("pinv", a, square=hermitian)
    if rtol is not np._NoValue:
        if rcond is not None:
            raise ValueError("`rtol` and `rcond` can't be both set.")
        rcond = max(shape_of(a)[-2:]) * np.finfo(spec_of(a).dtype).eps if rtol is None else rtol
    return least_squares.pinv(a, rcond=_one_number("pinv", rcond), hermitian=bool(hermitian))


def _one_number(name: str, rcond: Any) -> float | None:
    if rcond is not None and np.ndim(rcond):
        raise OperandError(
            f"{name} of traced matrices takes one number as rcond, got shape {np.shape(rcond)}{at_user_line()}"
        )
    return None if rcond is None else float(rcond)


@implements(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """Least-squares solution, squared residuals, rank and singular values; its derivative needs full rank."""
    a, b = matrices("lstsq", a), inexact(b)
    if spec_of(a).ndim != 2 or spec_of(b).ndim not in (1, 2):
        raise np.linalg.LinAlgError(
            f"lstsq got {spec_of(a)!r} and {spec_of(b)!r}{at_user_line()}; it takes one matrix, and a "
            "vector or one matrix"
        )
    if shape_of(a)[0] != shape_of(b)[0]:
        raise np.linalg.LinAlgError("Incompatible dimensions")
    single = spec_of(b).ndim == 1
    x, residuals, rank, values = least_squares.lstsq(a, column(b) if single else b, rcond=_one_number("lstsq", rcond))
    return reshape(x, shape=shape_of(x)[:1]) if single else x, residuals, rank, values


# Products of many matrices.


@implements(np.linalg.matrix_power)
def matrix_power(a: Any, n: int) -> Any:
    """A square matrix multiplied by itself; by its inverse where ``n`` is negative."""
    a = matrices("matrix_power", a, square=True, integers=True)
    n = operator.index(n)
    if n == 0:
        return np.broadcast_to(module_of(a).eye(shape_of(a)[-1], dtype=spec_of(a).dtype), shape_of(a)).copy()
    if n < 0:
        a, n = inv(a), -n
    if n == 3:
        return matmul(matmul(a, a), a)
    power = None
    while True:
        if n & 1:
            power = a if power is None else matmul(power, a)
        n >>= 1
        if n == 0:
            return power
        a = matmul(a, a)


@implements(np.linalg.multi_dot)
def multi_dot(arrays: Sequence[Any], *, out: Any = None) -> Any:
    """The product of many matrices in the order that multiplies least; vectors may come first and last."""
    factors = [inexact(x) for x in arrays]
    if len(factors) < 2:
        raise ValueError("Expecting at least two arrays.")
    product = dot(*factors) if len(factors) == 2 else _chain_of(factors)
    return product if out is None else write_outs((out,), product)


def _chain_of(factors: list[Any]) -> Any:
    lead = shape_of(factors[0])[:-1]
    end = shape_of(factors[-1])[1:]
    factors[0] = shaped(factors[0], (prod(lead), shape_of(factors[0])[-1]))
    factors[-1] = shaped(factors[-1], (shape_of(factors[-1])[0], prod(end)))
    for x in factors:
        if spec_of(x).ndim != 2:
            raise np.linalg.LinAlgError(
                f"multi_dot got {spec_of(x)!r} inside the chain{at_user_line()}; all but the first and last must "
                "be matrices"
            )
    product = _multiplied(factors, _cuts(factors), 0, len(factors) - 1)
    return shaped(product, lead + end) if lead or end else reshape(product, shape=())[()]


def _cuts(factors: Sequence[Any]) -> dict[tuple[int, int], int]:
    """Where each part of the chain is best cut, by the lengths alone."""
    sizes = [shape_of(x)[0] for x in factors] + [shape_of(factors[-1])[1]]
    cost = {(k, k): 0 for k in range(len(factors))}
    cuts: dict[tuple[int, int], int] = {}
    for length in range(1, len(factors)):
        for first in range(len(factors) - length):
            last = first + length
            costs = [
                cost[first, k] + cost[k + 1, last] + sizes[first] * sizes[k + 1] * sizes[last + 1]
                for k in range(first, last)
            ]
            cost[first, last] = min(costs)
            cuts[first, last] = first + costs.index(min(costs))
    return cuts


def _multiplied(factors: Sequence[Any], cuts: dict[tuple[int, int], int], first: int, last: int) -> Any:
    if first == last:
        return factors[first]
    cut = cuts[first, last]
    return dot(_multiplied(factors, cuts, first, cut), _multiplied(factors, cuts, cut + 1, last))


# Tensors as matrices.


@implements(np.linalg.tensorinv)
def tensorinv(a: Any, ind: int = 2) -> Any:
    """The inverse of an array read as a matrix whose rows are its first ``ind`` axes."""
    a = inexact(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = shape_of(a)
    rows, columns = shape[:ind], shape[ind:]
    return reshape(inv(shaped(a, (prod(columns), spec_of(a).size // max(prod(columns), 1)))), shape=columns + rows)


@implements(np.linalg.tensorsolve)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """The array x with tensordot(a, x, x.ndim) = b."""
    a, b = inexact(a), inexact(b)
    ndim = spec_of(a).ndim
    if axes is not None:
        moved = [k % ndim for k in axes]
        a = permuted(a, np.transpose, [*(k for k in range(ndim) if k not in moved), *moved])
    shape = shape_of(a)[spec_of(b).ndim :]
    size = prod(shape)
    if spec_of(a).size != size**2:
        raise np.linalg.LinAlgError(
            f"tensorsolve got shapes {shape_of(a)} and {shape_of(b)}{at_user_line()}; the axes of the first beyond "
            "those of the second must have as many elements as the second"
        )
    return reshape(solve(shaped(a, (size, size)), shaped(b, (size,))), shape=shape)


# Decompositions.


@implements(np.linalg.cholesky)
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """The triangular factor of a Hermitian positive matrix, of which one triangle is read and gets a derivative."""
    return decompositions.cholesky(matrices("cholesky", a, square=True), upper=bool(upper))


@implements(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    """Orthonormal columns times an upper triangle.

    Columns of ``mode="complete"`` beyond those of a tall matrix are any basis of what is orthogonal to it: what depends
    on which one has no derivative, and a ``GaugeWarning`` says so.
    """
    a = matrices("qr", a)
    if mode not in ("reduced", "complete", "r"):
        raise DifferentiationError(
            f"np.linalg.qr(mode={mode!r}) of a traced {spec_of(a)!r} has no derivative{at_user_line()}: use 'reduced', "
            "'complete' or 'r'"
        )
    q, r = decompositions.qr(a, mode="reduced" if mode == "r" else mode)
    return r if mode == "r" else QR(q, r)


@implements(np.linalg.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of a Hermitian matrix, of which one triangle is read and gets a derivative."""
    return EIGH(*spectral.eigh(matrices("eigh", a, square=True), triangle=_triangle(UPLO)))


@implements(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues of a Hermitian matrix, of which one triangle is read and gets a derivative."""
    return spectral.eigvalsh(matrices("eigvalsh", a, square=True), triangle=_triangle(UPLO))


def _triangle(letter: str) -> str:
    if letter.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return letter.upper()


@implements(np.linalg.eig)
def eig(a: Any) -> Any:
    """Eigenvalues and eigenvectors: real where all are, as far as values are known, otherwise complex."""
    a = matrices("eig", a, square=True)
    w, v = spectral.eig(a)
    return EIG(*((real(w), real(v)) if _all_real(a, w) else (w, v)))


@implements(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    """Eigenvalues: real where all are, as far as values are known, otherwise complex."""
    a = matrices("eigvals", a, square=True)
    w = spectral.eigvals(a)
    return real(w) if _all_real(a, w) else w


def _all_real(a: Any, w: Any) -> bool:
    """Whether NumPy would return real eigenvalues."""
    known = concrete(w)
    return spec_of(a).dtype.kind != "c" and not isinstance(known, Spec) and bool(np.all(np.imag(known) == 0))


@implements(np.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular values, and the vectors that belong to them."""
    a = matrices("svd", a, square=hermitian)
    if hermitian:
        return _hermitian_svd(a, compute_uv)
    if not compute_uv:
        return singular.svdvals(a)
    rows, columns = shape_of(a)[-2:]
    return SVD(*singular.svd(a, full=bool(full_matrices) and rows != columns))


def _hermitian_svd(a: Any, compute_uv: bool) -> Any:
    """By eigenvalues: their absolute values are the singular values, the largest first."""
    if not compute_uv:
        return np.flip(np.sort(absolute(eigvalsh(a))), -1)
    w, v = eigh(a)
    order = np.flip(np.argsort(absolute(w)), -1)
    signs = np.take_along_axis(copysign(1.0, w), order, -1)
    u = np.take_along_axis(v, np.broadcast_to(row(order), shape_of(v)), -1)
    return SVD(u, np.take_along_axis(absolute(w), order, -1), adjoint(u * row(signs)))


@implements(np.linalg.svdvals)
def svdvals(x: Any, /) -> Any:
    """Singular values, the largest first."""
    return singular.svdvals(matrices("svdvals", x))


# Parts of matrices.
