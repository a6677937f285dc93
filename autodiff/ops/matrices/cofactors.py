"""Cofactors of matrices of any rank, by their singular value decomposition.

With a = u s v* the cofactors are det(u v*) conj(u) c conj(v*), where c has the products of all singular values but
one: nothing is divided, so that singular matrices are matrices like others. These are functions of plain arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.values.arrays import module_of


def _factors(a: Any) -> tuple[Any, Any, Any, Any]:
    """Singular value decomposition of square matrices, and the determinant of its unitary part."""
    finite = np.isfinite(a).all((-2, -1), keepdims=True)
    u, s, vh = np.linalg.svd(np.where(finite, a, 0), full_matrices=False)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    return np.where(finite, u, np.nan), s, vh, sign[..., None, None]


def _products_without(s: Any, count: int) -> Any:
    """Products of the values but one, or but two (zero where these two are one and the same)."""
    size = s.shape[-1]
    diagonal = left_out = module_of(s).eye(size, dtype=bool)
    if count == 2:
        left_out = left_out[:, None] | left_out
    spread = s.reshape((*s.shape[:-1], *(1,) * count, size))
    products = np.where(left_out, 1, spread).prod(-1)
    return products if count == 1 else np.where(diagonal, 0, products)


def cofactor_matrices(a: Any) -> Any:
    """The matrices of cofactors."""
    u, s, vh, sign = _factors(a)
    return (sign * np.matmul(np.conj(u) * _products_without(s, 1)[..., None, :], np.conj(vh))).astype(a.dtype)


def cofactor_slopes(a: Any, d: Any) -> Any:
    """The derivatives of the matrices of cofactors of ``a`` along ``d``."""
    u, s, vh, sign = _factors(a)
    inner = np.matmul(np.swapaxes(u.conj(), -1, -2), np.matmul(d, np.swapaxes(vh.conj(), -1, -2)))
    without = _products_without(s, 2)
    main = np.matmul(without, np.diagonal(inner, 0, -2, -1)[..., None])
    middle = main * module_of(s).eye(s.shape[-1], dtype=s.dtype) - without * np.swapaxes(inner, -1, -2)
    return (sign * np.matmul(np.conj(u), np.matmul(middle, np.conj(vh)))).astype(d.dtype)
