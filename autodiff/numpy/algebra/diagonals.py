"""NumPy's functions of diagonals and triangles of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.arrays.arranging import as_array
from autodiff.numpy.arrays.shapes import ravel
from autodiff.numpy.axes import negative_axis
from autodiff.numpy.dispatch import implements
from autodiff.ops.elementwise import where
from autodiff.ops.matrices import diagonal as dg
from autodiff.ops.shape import transpose
from autodiff.trace.spec import spec_of
from autodiff.trace.values.arrays import module_of


@implements(np.diagonal)
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonals of the matrices in two of the axes, as the last axis."""
    a = as_array(a)
    ndim = spec_of(a).ndim
    if ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    rows, columns = negative_axis(axis1, ndim), negative_axis(axis2, ndim)
    if rows == columns:
        raise ValueError("axis1 and axis2 cannot be the same")
    if (rows, columns) != (-2, -1):
        a = transpose(a, axes=(*(k for k in range(-ndim, 0) if k not in (rows, columns)), rows, columns))
    return dg.diagonal(a, offset=int(offset))


@implements(np.linalg.diagonal)
def matrix_diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """The diagonals of the matrices in the last two axes."""
    return diagonal(x, offset, -2, -1)


@implements(np.diag)
def diag(v: Any, k: int = 0) -> Any:
    """The diagonal of a matrix, or the matrix with a given diagonal."""
    v = as_array(v)
    if spec_of(v).ndim == 1:
        return dg.square_from_diagonal(v, int(k))
    if spec_of(v).ndim == 2:
        return dg.diagonal(v, offset=int(k))
    raise ValueError("Input must be 1- or 2-d.")


@implements(np.diagflat)
def diagflat(v: Any, k: int = 0) -> Any:
    """The matrix with all elements of an array on a diagonal."""
    return dg.square_from_diagonal(ravel(v), int(k))


@implements(np.tril)
def tril(m: Any, k: int = 0) -> Any:
    """The elements on and below a diagonal, zero above."""
    return _where_matrix(m, lambda rows, columns: module_of(m).tri(rows, columns, k=k, dtype=bool))


@implements(np.triu)
def triu(m: Any, k: int = 0) -> Any:
    """The elements on and above a diagonal, zero below."""
    return _where_matrix(m, lambda rows, columns: ~module_of(m).tri(rows, columns, k=k - 1, dtype=bool))


def _where_matrix(m: Any, mask: Any) -> Any:
    m = as_array(m)
    its = spec_of(m)
    rows_and_columns = (its.shape * 2)[-2:]  # of one axis NumPy makes a square
    return where(mask(*rows_and_columns), m, module_of(m).zeros(1, dtype=its.dtype))
