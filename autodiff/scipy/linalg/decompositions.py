"""Decompositions: those of NumPy under SciPy's names, polar, and the generalised problem of eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from autodiff.numpy.dispatch import FUNCTIONS
from autodiff.ops.elementwise import cast
from autodiff.ops.matrices.products import adjoint, matmul
from autodiff.scipy.linalg.operands import array, double, elements, matrix
from autodiff.scipy.linalg.solving import SYMMETRIC, cholesky, solve_triangular, symmetric
from autodiff.scipy.mirror import counterpart
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


def only(name: str, options: dict[str, Any], **usual: Any) -> None:
    """Refuse options that have no derivative here."""
    for option, value in options.items():
        if option in usual and value is not usual[option]:
            raise DifferentiationError(
                f"scipy.linalg.{name} of traced values has no {option}={value!r}{at_user_line()}; leave it out"
            )


@counterpart(scipy.linalg.inv)
def inv(a: Any, *args: Any, **options: Any) -> Any:
    """The inverse; of a matrix that is assumed to be symmetric one triangle is read."""
    a, kind = matrix("inv", a), options.get("assume_a")
    if kind in SYMMETRIC:
        a = symmetric(a, options.get("lower", False), hermitian=not kind.startswith("sym"))
    elif kind not in ("gen", "general"):
        only("inv", options, assume_a=None)
    return FUNCTIONS[np.linalg.inv](a)


@counterpart(scipy.linalg.det)
def det(a: Any, *args: Any, **options: Any) -> Any:
    """The determinant, computed in double precision, as SciPy does."""
    return FUNCTIONS[np.linalg.det](double(matrix("det", a)))


@counterpart(scipy.linalg.norm)
def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, check_finite: bool = True) -> Any:
    """A norm of a vector or matrix."""
    return FUNCTIONS[np.linalg.norm](elements(a), ord, axis, keepdims)


@counterpart(scipy.linalg.lstsq)
def lstsq(a: Any, b: Any, cond: Any = None, **options: Any) -> Any:
    """The least-squares solution, squared residuals, rank and singular values."""
    x, residuals, rank, values = FUNCTIONS[np.linalg.lstsq](array(a), array(b), rcond=cond)
    if spec_of(array(b)).ndim == 1 and spec_of(residuals).size:  # SciPy's is a number where there is one
        residuals = FUNCTIONS[np.reshape](residuals, ())
    return x, residuals, rank, values


@counterpart(scipy.linalg.pinv)
def pinv(a: Any, *, atol: Any = None, rtol: Any = None, return_rank: bool = False, check_finite: bool = True) -> Any:
    """The pseudo-inverse."""
    only("pinv", {"atol": atol, "return_rank": return_rank}, atol=None, return_rank=False)
    a = array(a)
    smallest = max(a.shape[-2:]) * float(np.finfo(a.dtype).eps) if rtol is None else rtol
    return FUNCTIONS[np.linalg.pinv](a, smallest)


@counterpart(scipy.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, **options: Any) -> Any:
    """Singular vectors and values."""
    found = FUNCTIONS[np.linalg.svd](array(a), full_matrices, compute_uv)
    return tuple(found) if compute_uv else found


@counterpart(scipy.linalg.svdvals)
def svdvals(a: Any, *args: Any, **options: Any) -> Any:
    """Singular values."""
    return FUNCTIONS[np.linalg.svd](array(a), compute_uv=False)


@counterpart(scipy.linalg.qr)
def qr(a: Any, overwrite_a: bool = False, lwork: Any = None, mode: str = "full", **options: Any) -> Any:
    """Orthonormal columns and an upper triangle."""
    only("qr", {**options, "mode": mode}, pivoting=False)
    if mode == "raw":
        only("qr", {"mode": mode}, mode="full")
    found = FUNCTIONS[np.linalg.qr](array(a), {"full": "complete", "economic": "reduced"}.get(mode, mode))
    if mode != "r":
        return tuple(found)
    rows, upper = spec_of(array(a)).shape[-2], spec_of(found).shape
    below = ((0, 0),) * (len(upper) - 2) + ((0, rows - upper[-2]), (0, 0))
    return (FUNCTIONS[np.pad](found, below),)  # NumPy leaves the rows of zeros away


def as_complex(values: Any) -> Any:
    """Eigenvalues as SciPy has them: complex, if all of them are real, too."""
    return cast(values, dtype=np.result_type(spec_of(values).dtype, np.complex64))


@counterpart(scipy.linalg.eig)
def eig(
    a: Any,
    b: Any = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Any:
    """Eigenvalues and right eigenvectors."""
    given = {"b": b, "left": left, "homogeneous_eigvals": homogeneous_eigvals}
    only("eig", given, b=None, left=False, homogeneous_eigvals=False)
    values, vectors = FUNCTIONS[np.linalg.eig](matrix("eig", a))
    return (as_complex(values), vectors) if right else as_complex(values)


@counterpart(scipy.linalg.eigvals)
def eigvals(
    a: Any,
    b: Any = None,
    overwrite_a: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Any:
    """Eigenvalues."""
    only("eigvals", {"b": b, "homogeneous_eigvals": homogeneous_eigvals}, b=None, homogeneous_eigvals=False)
    return as_complex(FUNCTIONS[np.linalg.eigvals](matrix("eigvals", a)))


@counterpart(scipy.linalg.eigh)
def eigh(a: Any, b: Any = None, *, lower: bool = True, eigvals_only: bool = False, **options: Any) -> Any:
    """Eigenvalues and eigenvectors of a symmetric matrix, or of a v = w b v with a positive definite ``b``."""
    only("eigh", options, subset_by_value=None, type=1)
    a = matrix("eigh", a)
    part = options.get("subset_by_index")
    chosen = slice(None) if part is None else slice(part[0], part[1] + 1)
    if b is None:
        values, vectors = FUNCTIONS[np.linalg.eigh](a, "L" if lower else "U")
        return values[..., chosen] if eigvals_only else (values[..., chosen], vectors[..., :, chosen])
    a = whole_of(a, lower)
    factor = cholesky(whole_of(matrix("eigh", b), lower), lower=True)
    half = solve_triangular(factor, a, lower=True)
    inner = solve_triangular(factor, adjoint(half), lower=True)
    values, vectors = FUNCTIONS[np.linalg.eigh](inner)
    if eigvals_only:
        return values[..., chosen]
    return values[..., chosen], solve_triangular(adjoint(factor), vectors)[..., :, chosen]


def whole_of(a: Any, lower: bool) -> Any:
    """A Hermitian matrix from the triangle of it that is read."""
    return symmetric(a, lower, hermitian=True)


@counterpart(scipy.linalg.eigvalsh)
def eigvalsh(a: Any, b: Any = None, *, lower: bool = True, **options: Any) -> Any:
    """Eigenvalues of a symmetric matrix."""
    return eigh(a, b, lower=lower, eigvals_only=True, **options)


@counterpart(scipy.linalg.polar)
def polar(a: Any, side: str = "right") -> tuple[Any, Any]:
    """The unitary u and the positive p with a = u p, or a = p u for ``side="left"``."""
    left, values, right = FUNCTIONS[np.linalg.svd](array(a), False)
    basis = adjoint(right) if side == "right" else left
    return matmul(left, right), matmul(basis * values[..., None, :], adjoint(basis))
