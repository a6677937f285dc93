"""Products of a sparse and a dense matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.utils.sparse import CooMatrix
from autodiff.facade.applying import apply
from autodiff.facade.variable import Variable
from autodiff.ops.index import scatter_add
from autodiff.trace.source import at_user_line


def sparse_matmul(a: Any, b: Any, transa: bool = False, transb: bool = False) -> Variable:
    """The matrix product of a sparse and a dense matrix, or of batches of them.

    Args:
        a: a :class:`~autodiff.chainer.utils.sparse.CooMatrix`, or floating-point numbers of shape (n, k) or
            (batch, n, k).
        b: the other of the two, of shape (k, m).
        transa: whether ``a`` is transposed first.
        transb: whether ``b`` is transposed first.

    Returns:
        a dense matrix.

    Raises:
        ValueError: if not exactly one of both is sparse.
        InvalidType: if shapes do not fit, or the numbers are no floating-point numbers.

    >>> identity = CooMatrix(np.ones(2), np.array([0, 1]), np.array([0, 1]), (2, 2))
    >>> sparse_matmul(identity, np.array([[1.0, 2.0], [3.0, 4.0]]))
    variable([[1., 2.],
              [3., 4.]])
    """
    if isinstance(a, CooMatrix) and not isinstance(b, CooMatrix):
        return product(a, b, transa, transb, False)
    if isinstance(b, CooMatrix) and not isinstance(a, CooMatrix):
        return product(b, a, not transb, not transa, True)
    raise ValueError(
        f"sparse_matmul takes one CooMatrix and one dense matrix, got {type(a).__name__} and {type(b).__name__}"
        f"{at_user_line()}"
    )


def product(sparse: CooMatrix, dense: Any, transposed: bool, swap: bool, out_swapped: bool) -> Variable:
    """The product with the sparse matrix first; where it came last all three are transposed."""
    row, col, length = (
        (sparse.col, sparse.row, sparse.shape[1]) if transposed else (sparse.row, sparse.col, sparse.shape[0])
    )
    inner = sparse.shape[0] if transposed else sparse.shape[1]

    def fun(sp: Any, dn: Any) -> Any:
        used = row >= 0  # places that fill up a row of a batch have the position -1
        rows = np.swapaxes(dn, -1, -2) if swap else dn
        picked = np.take_along_axis(rows, np.where(used, col, 0)[..., None], axis=-2)
        terms = np.where(used, sp, 0)[..., None] * picked
        out = scatter_add(terms, np.where(used, row, 0), length=length, rest=1, rank=1)
        return np.swapaxes(out, -1, -2) if out_swapped else out

    return apply(
        "CooMatMul",
        fun,
        (sparse.data, dense),
        lambda sp, dn: (
            sp.dtype.kind == "f",
            dn.dtype.kind == "f",
            dn.ndim >= 2,
            dn.ndim <= 3,
            sp.ndim == dn.ndim - 1,
            dn.shape[-1 if swap else -2] == inner,
        ),
    )
