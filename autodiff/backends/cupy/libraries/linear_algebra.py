"""Linear algebra on GPUs, by cuSOLVER and cuBLAS through CuPy, with the errors that NumPy raises.

Of itself CuPy returns whatever the library left where a matrix is singular or an iteration does not end. Here the
library's report is read after each call: the host waits for the GPU, as it does for every error. A recorded CUDA graph
cannot wait, so programs with these operations are not recorded (:mod:`autodiff.backends.cupy.runtime.graphs`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.kernels.halves import is_half
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import broadcast_shapes

Function = Callable[..., Any]

SINGULAR = "Singular matrix"
INDEFINITE = "Matrix is not positive definite"
EIGENVALUES = "Eigenvalues did not converge"
VALUES = "SVD did not converge"


def reported(text: str, *arrays: Any) -> AbstractContextManager[Any]:
    """``cupy.linalg``, with what the libraries report as errors of NumPy's.

    Args:
        text: of NumPy's error.
        arrays: the operands.

    Raises:
        np.linalg.LinAlgError: if the operation fails.
        TypeError: of half precision, which the libraries do not know.
    """
    for array in arrays:
        if is_half(array.dtype):
            raise TypeError(
                f"array type {array.dtype.name} is unsupported in linalg{at_user_line()}; use x.astype(np.float32)"
            )
    return translated(text)


@contextmanager
def translated(text: str) -> Iterator[Any]:
    """``cupy.linalg``; where it reports a failure, an error with NumPy's text."""
    cupy, errstate = sys.modules["cupy"], sys.modules["cupyx"].errstate
    try:
        with errstate(linalg="raise"):
            yield cupy.linalg
    except np.linalg.LinAlgError as error:
        if "devInfo" not in str(error):
            raise
        raise np.linalg.LinAlgError(text) from error


def required(linalg: Any, name: str) -> Function:
    """One of CuPy's functions.

    Raises:
        NotImplementedError: if this version has none.
    """
    found: Function | None = getattr(linalg, name, None)
    if found is None:
        version = sys.modules["cupy"].__version__
        raise NotImplementedError(
            f"CuPy {version} has no linalg.{name}{at_user_line()}; install CuPy 14 for CUDA 12.6 or later, or compute "
            "it in host memory: x.get()"
        )
    return found


def adjoint(x: Any) -> Any:
    """The matrices transposed and conjugated."""
    turned = x.swapaxes(-1, -2)
    return turned.conj() if x.dtype.kind == "c" else turned


# Equations.


def solve(a: Any, b: Any) -> Any:
    """The matrices x with a x = b; of one matrix and a stack of right-hand sides there is one factorization."""
    cupy = sys.modules["cupy"]
    with reported(SINGULAR, a, b) as linalg:
        if a.ndim == 2 and b.ndim > 2:
            columns = cupy.moveaxis(b, -2, 0)
            found = linalg.solve(a, columns.reshape(b.shape[-2], prod(b.shape[:-2]) * b.shape[-1]))
            return cupy.moveaxis(found.reshape(columns.shape), 0, -2)
        lead = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = (cupy.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (a, b))
        return linalg.solve(a, b)


def inv(a: Any, *, singular: bool) -> Any:
    """The inverse matrices. With ``singular``, of a singular matrix its infinite limit in place of an error."""
    try:
        with reported(SINGULAR, a) as linalg:
            return linalg.inv(a)
    except np.linalg.LinAlgError:
        if not singular or a.shape[-1] != a.shape[-2]:
            raise
    return inverse_limits(a)


def inverse_limits(a: Any) -> Any:
    """The inverse matrices, of singular ones the cofactors divided by zero."""
    from autodiff.ops.matrices.cofactors import cofactor_matrices  # noqa: PLC0415 - for matrices that hardly occur

    cupy = sys.modules["cupy"]
    _, logarithm = cupy.linalg.slogdet(a)
    regular = cupy.isfinite(logarithm)[..., None, None]
    identity = cupy.eye(a.shape[-1], dtype=a.dtype)
    with reported(SINGULAR) as linalg:
        found = linalg.inv(cupy.where(regular, a, identity))
    return cupy.where(regular, found, adjoint(cofactor_matrices(a).conj()) / a.dtype.type(0).real)


# Decompositions.


def cholesky(a: Any, *, upper: bool) -> Any:
    """The triangular matrices L with L L* = a; U* U = a with ``upper``. One triangle of ``a`` is read."""
    with reported(INDEFINITE, a) as linalg:
        return adjoint(linalg.cholesky(adjoint(a))) if upper else linalg.cholesky(a)


def qr(a: Any, *, mode: str) -> tuple[Any, ...]:
    """Orthonormal columns and an upper triangle whose product is ``a``."""
    with reported("Incorrect argument found while performing QR factorization", a) as linalg:
        return tuple(linalg.qr(a, mode))


def svd(a: Any, *, full: bool) -> tuple[Any, ...]:
    """Left singular vectors, singular values, and right singular vectors conjugated and transposed."""
    with reported(VALUES, a) as linalg:
        return tuple(linalg.svd(a, full))


def svdvals(a: Any) -> Any:
    """Singular values."""
    with reported(VALUES, a) as linalg:
        return linalg.svd(a, compute_uv=False)


def eigh(a: Any, *, triangle: str) -> tuple[Any, ...]:
    """Eigenvalues and eigenvectors of Hermitian matrices, of which one triangle is read."""
    with reported(EIGENVALUES, a) as linalg:
        return tuple(linalg.eigh(a, triangle))


def eigvalsh(a: Any, *, triangle: str) -> Any:
    """Eigenvalues of Hermitian matrices."""
    with reported(EIGENVALUES, a) as linalg:
        return linalg.eigvalsh(a, triangle)


def complex_too(x: Any) -> Any:
    """Numbers as complex ones."""
    return x.astype(np.result_type(x.dtype, np.complex64), copy=False)


def eig(a: Any) -> tuple[Any, ...]:
    """Eigenvalues and eigenvectors as complex numbers, in the order in which the library finds them."""
    with reported(EIGENVALUES, a) as linalg:
        return tuple(map(complex_too, required(linalg, "eig")(a)))


def eigvals(a: Any) -> Any:
    """Eigenvalues as complex numbers."""
    with reported(EIGENVALUES, a) as linalg:
        return complex_too(required(linalg, "eigvals")(a))


# Least squares.


def pinv(a: Any, *, rcond: float | None, hermitian: bool) -> Any:
    """The pseudo-inverses."""
    least = 1e-15 if rcond is None else rcond
    with reported(VALUES, a) as linalg:
        if not hermitian:
            return linalg.pinv(a, least)
    cupy = sys.modules["cupy"]
    values, vectors = eigh(a, triangle="L")
    size = abs(values)
    kept = size > least * size.max(axis=-1, keepdims=True)
    inverse = cupy.where(kept, 1 / cupy.where(kept, values, 1), 0)
    return cupy.matmul(vectors * inverse[..., None, :], adjoint(vectors))


def lstsq(a: Any, b: Any, *, rcond: float | None) -> tuple[Any, ...]:
    """Least-squares solution, squared residuals, rank and singular values, of one pair of matrices after the other."""
    cupy = sys.modules["cupy"]
    if a.ndim > 2:
        results = [lstsq(*pair, rcond=rcond) for pair in zip(a, b, strict=True)]
        return tuple(cupy.stack(parts) for parts in zip(*results, strict=True))
    with reported("SVD did not converge in Linear Least Squares", a, b) as linalg:
        return tuple(linalg.lstsq(a, b, rcond))


EVALUATORS: dict[str, Function] = {
    function.__name__: function
    for function in (solve, inv, cholesky, qr, svd, svdvals, eigh, eigvalsh, eig, eigvals, pinv, lstsq)
}
"""What the primitives of these names do to plain arrays on a GPU."""
