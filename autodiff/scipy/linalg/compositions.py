"""Functions of matrices that other functions make up."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops.matrices.products import adjoint, matmul
from autodiff.scipy.linalg.decompositions import only, pinv, whole_of
from autodiff.scipy.linalg.matrix_functions import expm, logm
from autodiff.scipy.linalg.operands import array, elements, matrix, vector
from autodiff.scipy.mirror import counterpart
from autodiff.trace.spec import spec_of


@counterpart(scipy.linalg.fractional_matrix_power)
def fractional_matrix_power(A: Any, t: Any) -> Any:
    """The power of a matrix, ``expm(t logm(A))``; of a matrix that has a real logarithm, where it is not whole."""
    if isinstance(t, (int, np.integer)):
        return FUNCTIONS[np.linalg.matrix_power](matrix("fractional_matrix_power", A), int(t))
    return expm(as_operand(t) * logm(matrix("fractional_matrix_power", A)))


@counterpart(scipy.linalg.pinvh)
def pinvh(a: Any, atol: Any = None, rtol: Any = None, lower: bool = True, return_rank: bool = False, **_: Any) -> Any:
    """The pseudo-inverse of a Hermitian matrix, of which one triangle is read."""
    return pinv(whole_of(matrix("pinvh", a), lower), atol=atol, rtol=rtol, return_rank=return_rank)


@counterpart(scipy.linalg.orthogonal_procrustes)
def orthogonal_procrustes(A: Any, B: Any, check_finite: bool = True) -> tuple[Any, Any]:
    """The orthogonal matrix that brings ``A`` nearest to ``B``, and the sum of singular values."""
    left, values, right = FUNCTIONS[np.linalg.svd](matmul(adjoint(array(A)), array(B)))
    return matmul(left, right), FUNCTIONS[np.sum](values, -1)


@counterpart(scipy.linalg.khatri_rao)
def khatri_rao(a: Any, b: Any) -> Any:
    """The Kronecker products of columns."""
    a, b = elements(a), elements(b)
    rows, others = spec_of(a).shape[-2], spec_of(b).shape[-2]
    found = a[..., :, None, :] * b[..., None, :, :]
    *lead, _, _, columns = spec_of(found).shape
    return FUNCTIONS[np.reshape](found, (*lead, rows * others, columns))


@counterpart(scipy.linalg.convolution_matrix)
def convolution_matrix(a: Any, n: int, mode: str = "full") -> Any:
    """The matrix whose product with a vector of ``n`` elements is the convolution with ``a``."""
    a = vector("convolution_matrix", a)
    if mode not in ("full", "valid", "same"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    size = spec_of(a).shape[0]
    columns = [FUNCTIONS[np.pad](a, (k, n - 1 - k)) for k in range(n)]
    whole = FUNCTIONS[np.stack](columns, 1)
    if mode == "full":
        return whole
    short, long = min(size, n), max(size, n)
    start, count = ((short - 1) // 2, long) if mode == "same" else (short - 1, long - short + 1)
    return whole[start : start + count]


@counterpart(scipy.linalg.solve_circulant)
def solve_circulant(
    c: Any, b: Any, singular: str = "raise", tol: Any = None, caxis: int = -1, baxis: int = 0, outaxis: int = 0
) -> Any:
    """The solution x of a x = b of the circulant matrix with a first column, by Fourier transforms."""
    only("solve_circulant", {"singular": singular, "tol": tol}, singular="raise", tol=None)
    c, b = vector("solve_circulant", c), FUNCTIONS[np.moveaxis](array(b), baxis, 0)
    fft, ifft = FUNCTIONS[np.fft.fft], FUNCTIONS[np.fft.ifft]
    spectrum = FUNCTIONS[np.reshape](fft(c), (-1,) + (1,) * (spec_of(b).ndim - 1))
    x = FUNCTIONS[np.moveaxis](ifft(fft(b, axis=0) / spectrum, axis=0), 0, outaxis)
    return x if "c" in (spec_of(c).dtype.kind, spec_of(b).dtype.kind) else x.real
