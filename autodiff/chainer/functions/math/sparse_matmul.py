"""Products of a sparse and a dense matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff.chainer.functions.array.cast import cast
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.utils.sparse import CooMatrix
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
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

    >>> from autodiff.chainer.utils import CooMatrix
    >>> identity = CooMatrix(np.ones(2), np.array([0, 1]), np.array([0, 1]), (2, 2))
    >>> sparse_matmul(identity, np.array([[1.0, 2.0], [3.0, 4.0]]))
    variable([[1., 2.],
              [3., 4.]])
    """
    if isinstance(a, CooMatrix) and not isinstance(b, CooMatrix):
        return product(a.data, a, b, transa, transb, False)
    if isinstance(b, CooMatrix) and not isinstance(a, CooMatrix):
        return product(b.data, b, a, not transb, not transa, True)
    raise ValueError(
        f"sparse_matmul takes one CooMatrix and one dense matrix, got {type(a).__name__} and {type(b).__name__}"
        f"{at_user_line()}"
    )


def product(data: Any, sparse: Any, dense: Any, transposed: bool, swap: bool, out_swapped: bool) -> Variable:
    """The product with the sparse matrix first; where it came last all three are transposed.

    Args:
        data: the elements of the sparse matrix.
        sparse: what says where they are: it has ``row``, ``col`` and ``shape``.
        dense: the other matrix.
        transposed: whether the sparse matrix is transposed first.
        swap: whether the dense one is.
        out_swapped: whether the product is, in the end.
    """
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
        (data, dense),
        lambda sp, dn: (
            sp.dtype.kind == "f",
            dn.dtype.kind == "f",
            dn.ndim >= 2,
            dn.ndim <= 3,
            sp.ndim == dn.ndim - 1,
            sp.shape[:-1] == dn.shape[:-2],
            dn.shape[-1 if swap else -2] == inner,
        ),
    )


class Places(NamedTuple):
    """Where the elements of a sparse matrix are."""

    row: Any
    col: Any
    shape: tuple[int, int]


def product_of_elements(
    sp: Any, dn: Any, sp_row: Any, sp_col: Any, sp_shape: Any, sp_order: str, transa: bool, transb: bool, transc: bool,
    dtype: Any,
) -> Variable:  # fmt: skip
    """The product of a sparse matrix, of which the elements are an input, and a dense one, in a dtype."""
    y = product(sp, Places(sp_row, sp_col, sp_shape), dn, transa, transb, transc)
    return y if dtype is None else cast(y, dtype)


CooMatMul = function_class(
    "CooMatMul",
    product_of_elements,
    "sp_row, sp_col, sp_shape, sp_order='other', transa=False, transb=False, transc=False, dtype=None",
)
