"""Matrices made of vectors and blocks by a pattern."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops.matrices.products import conj
from autodiff.scipy.linalg.operands import double, elements, vector, with_columns
from autodiff.scipy.mirror import counterpart
from autodiff.trace.spec import spec_of


@counterpart(scipy.linalg.toeplitz)
def toeplitz(c: Any, r: Any = None) -> Any:
    """The matrix with constant diagonals that has a given first column and first row.

    >>> import autodiff, numpy as np
    >>> autodiff.grad(lambda c: np.sum(toeplitz(c)))(np.ones(3))
    array([3., 4., 2.])
    """
    c = vector("toeplitz", c)
    r = conj(c) if r is None else vector("toeplitz", r)
    rows, columns = c.shape[0], r.shape[0]
    values = FUNCTIONS[np.concatenate]([c[::-1], r[1:]])
    return values[np.arange(rows - 1, -1, -1)[:, None] + np.arange(columns)]


@counterpart(scipy.linalg.hankel)
def hankel(c: Any, r: Any = None) -> Any:
    """The matrix with constant antidiagonals that has a given first column and last row."""
    c = vector("hankel", c)
    r = np.zeros(c.shape[0], spec_of(c).dtype) if r is None else vector("hankel", r)
    values = FUNCTIONS[np.concatenate]([c, r[1:]])
    return values[np.arange(c.shape[0])[:, None] + np.arange(r.shape[0])]


@counterpart(scipy.linalg.circulant)
def circulant(c: Any) -> Any:
    """The matrix whose columns are a vector, moved around by one each time."""
    c = elements(c)
    places = np.arange(c.shape[-1])
    return c[..., (places[:, None] - places) % c.shape[-1]]


@counterpart(scipy.linalg.block_diag)
def block_diag(*arrs: Any) -> Any:
    """Blocks along the diagonal of a matrix of zeros."""
    blocks = [FUNCTIONS[np.atleast_2d](as_operand(block)) for block in arrs]
    stack = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
    total = sum(block.shape[-1] for block in blocks)
    rows, before = [], 0
    for block in blocks:
        width = block.shape[-1]
        wide = FUNCTIONS[np.broadcast_to](block, (*stack, *block.shape[-2:]))
        sides = ((0, 0),) * (len(stack) + 1) + ((before, total - before - width),)
        rows.append(FUNCTIONS[np.pad](wide, sides))
        before += width
    return FUNCTIONS[np.concatenate](rows, -2)


@counterpart(scipy.linalg.companion)
def companion(a: Any) -> Any:
    """The matrix whose characteristic polynomial has the given coefficients."""
    a = elements(a)
    first = (-a[..., 1:] / a[..., :1])[..., None, :]
    count = a.shape[-1] - 1
    below = np.broadcast_to(np.eye(count - 1, count, dtype=spec_of(a).dtype), (*a.shape[:-1], count - 1, count))
    return FUNCTIONS[np.concatenate]([first, below], -2)


@counterpart(scipy.linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: bool = True) -> Any:
    """The solution x of t x = b with the Toeplitz matrix t of a first column, or of column and row."""
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    return FUNCTIONS[np.linalg.solve](double(toeplitz(c, r)), double(b))


@counterpart(scipy.linalg.matmul_toeplitz)
def matmul_toeplitz(c_or_cr: Any, x: Any, check_finite: bool = False, workers: Any = None) -> Any:
    """The product of a Toeplitz matrix and a vector or matrix, by Fourier transforms, without the matrix.

    >>> import autodiff, numpy as np
    >>> autodiff.grad(lambda c: np.sum(matmul_toeplitz(c, np.ones(3))))(np.ones(3)).round(9)
    array([3., 4., 2.])
    """
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    c = double(vector("matmul_toeplitz", c))
    r = conj(c) if r is None else double(vector("matmul_toeplitz", r))
    rows, around = c.shape[0], FUNCTIONS[np.concatenate]([c, r[:0:-1]])
    return with_columns(lambda right: turned(around, right)[:rows], double(x))


def turned(column: Any, x: Any) -> Any:
    """The product of the matrix whose columns are one column, moved around, and x with zeros below."""
    count = column.shape[0]
    is_real = spec_of(column).dtype.kind != "c" and spec_of(x).dtype.kind != "c"
    forth, back = (np.fft.rfft, np.fft.irfft) if is_real else (np.fft.fft, np.fft.ifft)
    spectrum = FUNCTIONS[forth](column)[:, None] * FUNCTIONS[forth](x, count, 0)
    return FUNCTIONS[back](spectrum, count, 0)
