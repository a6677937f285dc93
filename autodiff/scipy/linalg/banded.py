"""Equations and eigenvalues of matrices that are given by their diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from autodiff.numpy.dispatch import FUNCTIONS
from autodiff.ops.elementwise import real
from autodiff.ops.matrices.products import conj
from autodiff.ops.matrices.sparse import Pattern, sparse_solve
from autodiff.scipy.linalg.operands import array, with_columns
from autodiff.scipy.mirror import counterpart
from autodiff.trace.errors import DifferentiationError, OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


def diagonals(ab: Any, upper: int) -> tuple[list[Any], list[Any], list[Any]]:
    """The entries of diagonals in rows, the highest one first, with their rows and columns in the matrix."""
    count = spec_of(ab).shape[1]
    entries, rows, columns = [], [], []
    for k in range(spec_of(ab).shape[0]):
        own = np.arange(max(0, upper - k), min(count, count + upper - k))
        entries.append(ab[k, own])
        rows.append(own + k - upper)
        columns.append(own)
    return entries, rows, columns


def solved(entries: list[Any], rows: list[Any], columns: list[Any], b: Any) -> Any:
    """The solution of equations with a few diagonals, by the factors of a sparse matrix."""
    count = spec_of(b).shape[0]
    pattern = Pattern(np.concatenate(rows), np.concatenate(columns), (count, count))
    data = FUNCTIONS[np.concatenate](entries)
    return with_columns(lambda right: sparse_solve(data, right, pattern=pattern), b)


def check_rows(name: str, ab: Any, b: Any, rows: int | None = None) -> None:
    """Refuse diagonals that do not fit the right-hand sides."""
    its = spec_of(ab).shape
    if len(its) != 2 or (rows is not None and its[0] != rows) or its[1] != spec_of(b).shape[0]:
        wanted = "diagonals in rows" if rows is None else f"{rows} diagonals in rows"
        raise OperandError(
            f"{name} got {spec_of(ab)!r} and {spec_of(b)!r}{at_user_line()}; it needs {wanted}, as long as the "
            "right-hand side"
        )


@counterpart(scipy.linalg.solve_banded)
def solve_banded(
    l_and_u: tuple[int, int],
    ab: Any,
    b: Any,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:
    """The solution x of a x = b, of ``a`` given by so many diagonals below and above the main one.

    >>> import numpy as np, autodiff
    >>> ab = np.array([[0.0, 1.0], [2.0, 2.0], [1.0, 0.0]])
    >>> autodiff.grad(lambda b: np.sum(solve_banded((1, 1), ab, b)))(np.ones(2)).round(6)
    array([0.333333, 0.333333])
    """
    lower, upper = l_and_u
    ab, b = array(ab), array(b)
    check_rows("solve_banded", ab, b, lower + upper + 1)
    return solved(*diagonals(ab, upper), b)


@counterpart(scipy.linalg.solveh_banded)
def solveh_banded(
    ab: Any,
    b: Any,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    lower: bool = False,
    check_finite: bool = True,
) -> Any:
    """The solution x of a x = b, of a positive definite ``a`` given by its diagonals on one side and the main one."""
    ab, b = array(ab), array(b)
    check_rows("solveh_banded", ab, b)
    return solved(*both_sides(ab, lower), b)


def both_sides(ab: Any, lower: bool) -> tuple[list[Any], list[Any], list[Any]]:
    """The entries of a Hermitian matrix from those of its diagonals on one side; its main diagonal is real."""
    count = spec_of(ab).shape[0]
    main = 0 if lower else count - 1
    entries, rows, columns = diagonals(ab, main)
    entries[main] = real(entries[main])
    others = [k for k in range(count) if k != main]
    entries += [conj(entries[k]) for k in others]
    return entries, rows + [columns[k] for k in others], columns + [rows[k] for k in others]


def dense(entries: list[Any], rows: list[Any], columns: list[Any], count: int) -> Any:
    """The matrix with its zeros."""
    places = np.zeros((count, count), int)
    data = FUNCTIONS[np.concatenate](entries)
    places[np.concatenate(rows), np.concatenate(columns)] = np.arange(1, spec_of(data).shape[0] + 1)
    return FUNCTIONS[np.concatenate]([np.zeros(1, spec_of(data).dtype), data])[places]


def all_of_them(name: str, select: Any, select_range: Any) -> None:
    """Refuse a choice of eigenvalues by their values."""
    if select not in ("a", "all", 0) or select_range is not None:
        raise DifferentiationError(
            f"{name} of traced values has no select={select!r}{at_user_line()}; take all eigenvalues, and choose"
        )


@counterpart(scipy.linalg.eigh_tridiagonal)
def eigh_tridiagonal(
    d: Any, e: Any, eigvals_only: bool = False, select: Any = "a", select_range: Any = None, *args: Any, **options: Any
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric matrix with three diagonals; the vectors' signs are those of eigh."""
    all_of_them("eigh_tridiagonal", select, select_range)
    d, e = array(d), array(e)
    count = spec_of(d).shape[0]
    own = np.arange(count)
    a = dense([d, e, e], [own, own[1:], own[:-1]], [own, own[:-1], own[1:]], count)
    return FUNCTIONS[np.linalg.eigvalsh](a) if eigvals_only else tuple(FUNCTIONS[np.linalg.eigh](a))


@counterpart(scipy.linalg.eigvalsh_tridiagonal)
def eigvalsh_tridiagonal(d: Any, e: Any, select: Any = "a", select_range: Any = None, *args: Any) -> Any:
    """Eigenvalues of a symmetric matrix with three diagonals."""
    return eigh_tridiagonal(d, e, True, select, select_range)


@counterpart(scipy.linalg.eig_banded)
def eig_banded(
    a_band: Any,
    lower: bool = False,
    eigvals_only: bool = False,
    overwrite_a_band: bool = False,
    select: Any = "a",
    select_range: Any = None,
    *args: Any,
    **options: Any,
) -> Any:
    """Eigenvalues and eigenvectors of a Hermitian matrix given by its diagonals; the signs are those of eigh."""
    all_of_them("eig_banded", select, select_range)
    ab = array(a_band)
    a = dense(*both_sides(ab, lower), spec_of(ab).shape[1])
    return FUNCTIONS[np.linalg.eigvalsh](a) if eigvals_only else tuple(FUNCTIONS[np.linalg.eigh](a))


@counterpart(scipy.linalg.eigvals_banded)
def eigvals_banded(
    a_band: Any, lower: bool = False, overwrite_a_band: bool = False, select: Any = "a", select_range: Any = None
) -> Any:
    """Eigenvalues of a Hermitian matrix given by its diagonals."""
    return eig_banded(a_band, lower, True, overwrite_a_band, select, select_range)
