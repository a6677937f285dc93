"""The same numbers in other places in memory: Fortran's order, transposed, backwards, with gaps, repeated."""

from __future__ import annotations

import numpy as np

from autodiff.testing.draws.layouts import fortran, reversed_axes


def cycled(x):
    """The axes lie in memory in yet another order: the first one is the innermost."""
    order = (*range(1, x.ndim), 0)
    return np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))


def fortran_backwards(x):
    return np.asfortranarray(x[::-1] if x.ndim else x)[::-1] if x.ndim else x


def with_gaps(x):
    """Every second row and column of a larger array, which is neither a matrix of rows nor of columns."""
    wide = np.zeros([2 * length + 1 for length in x.shape])
    wide[(slice(0, -1, 2),) * x.ndim] = x
    return wide[(slice(0, -1, 2),) * x.ndim]


def window(x):
    """A corner of an array of many times the size."""
    large = np.zeros([20 * length for length in x.shape])
    large[tuple(map(slice, x.shape))] = x
    return large[tuple(map(slice, x.shape))]


def with_rows_apart(x):
    """Rows that are whole, with gaps between them."""
    large = np.zeros([*x.shape[:-1], x.shape[-1] + 3]) if x.ndim else np.zeros(())
    large[..., : x.shape[-1] if x.ndim else None] = x
    return large[..., : x.shape[-1]] if x.ndim else x


LAYOUTS = (fortran, cycled, reversed_axes, fortran_backwards, with_gaps, window, with_rows_apart)


def repeated(x):
    """The first row in the place of every row, without a copy: not the same numbers."""
    return np.broadcast_to(x[:1], x.shape) if x.ndim else x


def repeated_columns(x):
    """The same of columns."""
    return np.broadcast_to(x[..., :1], x.shape) if x.ndim else x


REPEATED = (repeated, repeated_columns)
