"""scipy.sparse.linalg for plain and traced values alike: equations; every other name is SciPy's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse.linalg
from scipy.sparse import csc_array

from autodiff.numpy.buffers import settled
from autodiff.numpy.dispatch import as_operand, peeled
from autodiff.numpy.traced_sparse import TracedSparse, traced_matrix
from autodiff.ops.matrices.products import column, conj
from autodiff.ops.matrices.sparse import Pattern, sparse_solve
from autodiff.ops.shape import reshape
from autodiff.scipy.called_back import call_back, known_later
from autodiff.scipy.linear import along
from autodiff.scipy.mirror import holds_traced, mirrored, plain_call
from autodiff.scipy.sparse.eigenpairs import eigsh, svds
from autodiff.scipy.sparse.least_squares import lsmr, lsqr, plain_options
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.transforms.stop_gradient import stop_gradient


def is_traced(A: Any, b: Any) -> bool:
    """Whether the matrix or the right-hand side is traced."""
    return isinstance(A, TracedSparse) or holds_traced(b)


def solved(pattern: Pattern, data: Any, b: Any) -> Any:
    """The solution of equations for a vector or matrix of right-hand sides."""
    b = as_operand(b)
    if spec_of(b).ndim != 1:
        return sparse_solve(data, b, pattern=pattern)
    x = sparse_solve(data, column(b), pattern=pattern)
    return reshape(x, shape=spec_of(x).shape[:-1])


def spsolve(A: Any, b: Any, *args: Any, **options: Any) -> Any:
    """The solution of A x = b; the factors of the matrix serve the derivatives as well.

    >>> import numpy as np, autodiff
    >>> from autodiff.scipy import sparse
    >>> A = sparse.diags_array([[2.0, 4.0]], offsets=[0]).tocsc()
    >>> autodiff.grad(lambda b: np.sum(spsolve(A, b)))(np.ones(2))
    array([0.5 , 0.25])
    """
    if not is_traced(A, b):
        return plain_call(scipy.sparse.linalg.spsolve, (A, b, *args), options)
    own = traced_matrix(A)
    x = solved(own.pattern, own.data, b)
    return reshape(x, shape=(own.shape[1],)) if spec_of(x).shape[1:] == (1,) else x


class Factors:
    """The factors of a sparse matrix with traced entries, or for traced right-hand sides."""

    def __init__(self, A: Any, plain: Any) -> None:
        self.own = traced_matrix(A)
        self.plain = plain

    def __getattr__(self, name: str) -> Any:
        if self.plain is None:
            raise DifferentiationError(
                f"the factors of a sparse matrix with traced entries have no {name!r}{at_user_line()}; only solve() "
                "has derivatives"
            )
        return getattr(self.plain, name)

    def solve(self, b: Any, trans: str = "N") -> Any:
        """The solution of A x = b; of A^T x = b with ``trans="T"``."""
        if self.plain is not None and not holds_traced(b):
            return plain_call(self.plain.solve, (b, trans), {})
        if trans == "H":
            return solved(self.own.pattern.transpose, self.own.conj().data, b)
        return solved(self.own.pattern if trans == "N" else self.own.pattern.transpose, self.own.data, b)


def splu(A: Any, *args: Any, **options: Any) -> Factors:
    """The factors of a sparse matrix, whose ``solve`` takes traced right-hand sides."""
    plain = None if isinstance(A, TracedSparse) else plain_call(scipy.sparse.linalg.splu, (A, *args), options)
    return Factors(settled(A), plain)


def factorized(A: Any) -> Callable[[Any], Any]:
    """A function that solves equations with a matrix."""
    A = settled(A)
    return splu(A if isinstance(A, TracedSparse) else A.tocsc() if hasattr(A, "tocsc") else csc_array(A)).solve


class Approximation:
    """The incomplete factors of a sparse matrix: a linear function of right-hand sides, which may be traced."""

    def __init__(self, plain: Any, is_complex: bool) -> None:
        self.plain = plain
        self.is_complex = is_complex

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["plain"], name)

    def solve(self, b: Any, trans: str = "N") -> Any:
        """The approximate solution of A x = b; of A^T x = b with ``trans="T"``."""
        if not holds_traced(b):
            return plain_call(self.plain.solve, (b, trans), {})
        if trans == "H":
            return conj(self.solve(conj(as_operand(b)), "T"))
        back = "T" if trans == "N" else "N"
        return along(lambda x: self.of_rows(x, trans), b, 0, lambda g, _: self.of_rows(g, back))

    def of_rows(self, x: Any, trans: str) -> Any:
        """Solutions for right-hand sides along the last axis, complex ones of real factors part by part."""
        if np.iscomplexobj(x) and not self.is_complex:
            return self.of_rows(x.real, trans) + 1j * self.of_rows(x.imag, trans)
        columns = np.array(x.reshape(-1, x.shape[-1]).T, complex if self.is_complex else float, order="F")
        return self.plain.solve(columns, trans).T.reshape(x.shape)


def spilu(A: Any, *args: Any, **options: Any) -> Approximation:
    """The incomplete factors of a constant sparse matrix, whose ``solve`` takes traced right-hand sides.

    >>> import numpy as np, autodiff
    >>> from autodiff.scipy import sparse
    >>> A = sparse.diags_array([[2.0, 4.0]], offsets=[0]).tocsc()
    >>> autodiff.grad(lambda b: np.sum(spilu(A).solve(b)))(np.ones(2))
    array([0.5 , 0.25])
    """
    if holds_traced((A, args, options)):
        raise DifferentiationError(
            f"spilu takes a constant matrix{at_user_line()}: its entries decide which are dropped; splu takes traced "
            "ones"
        )
    return Approximation(plain_call(scipy.sparse.linalg.spilu, (A, *args), options), np.iscomplexobj(A.data))


def iterative(name: str) -> Callable[..., Any]:
    """One of SciPy's iterations for A x = b, whose derivatives come from factors of the matrix."""
    original = getattr(scipy.sparse.linalg, name)

    def solve(A: Any, b: Any, x0: Any = None, **options: Any) -> Any:
        if not is_traced(A, b):
            return plain_call(original, (A, b, x0), options)
        own, right, options = traced_matrix(A), as_operand(b), plain_options(name, options)

        def find(operands: Any) -> Any:
            data, b, x0 = operands
            return original(own.pattern.matrix(np.asarray(data)), b, x0, **options)

        operands = (own.data, right, x0)
        if known_later(operands, lambda: ()):
            x = np.zeros(spec_of(right).shape, np.result_type(spec_of(own.data).dtype, spec_of(right).dtype, float))
            found, info = call_back(find, (x, 0), operands, {}, {})
        else:
            found, info = find(peeled(operands, name))
        moving = solved(own.pattern, own.data, b)
        return found + (moving - stop_gradient(moving)), info

    solve.__name__ = solve.__qualname__ = name
    solve.__doc__ = "SciPy's iteration for A x = b; its result is differentiated as the solution, by factors of A."
    return solve


NAMES = ("cg", "bicgstab", "gmres", "minres", "bicg", "cgs", "gcrotmk", "lgmres", "qmr", "tfqmr")
cg, bicgstab, gmres, minres, bicg, cgs, gcrotmk, lgmres, qmr, tfqmr = map(iterative, NAMES)


def spsolve_triangular(A: Any, b: Any, lower: bool = True, *args: Any, **options: Any) -> Any:
    """The solution of A x = b with a triangular matrix."""
    if not is_traced(A, b):
        return plain_call(scipy.sparse.linalg.spsolve_triangular, (A, b, lower, *args), options)
    own = traced_matrix(A)
    beyond = own.pattern.rows < own.pattern.columns if lower else own.pattern.rows > own.pattern.columns
    if np.any(beyond) or (args[2:] and args[2]) or options.get("unit_diagonal"):
        raise DifferentiationError(
            f"spsolve_triangular of traced values needs a matrix without entries beyond its triangle, and its own "
            f"diagonal{at_user_line()}; drop the others, and unit_diagonal="
        )
    return solved(own.pattern, own.data, b)


__getattr__ = mirrored("scipy.sparse.linalg")

__all__ = ["eigsh", "lsmr", "lsqr", "svds"]
