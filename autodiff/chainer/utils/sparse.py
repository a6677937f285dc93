"""Sparse matrices as lists of their elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module, get_device_from_array
from autodiff.facade.settings.devices import CPU
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable, is_array
from autodiff.trace.source import at_user_line


class CooMatrix:
    """A sparse matrix, or a batch of them, as a list of elements with their rows and columns.

    Args:
        data: the elements, an array of shape (count,) or (batch, count).
        row: the row of each, -1 where an element only fills up the list.
        col: the column of each.
        shape: rows and columns of the matrix.
        order: ``"C"`` if the elements are sorted by rows, ``"F"`` by columns, ``"other"``; found out if None.
        requires_grad: whether the elements get gradients.

    Raises:
        TypeError: if the elements are no array.
        ValueError: if the shapes do not fit, or the order is unknown.

    >>> CooMatrix(np.array([5.0]), np.array([0]), np.array([1]), (2, 2)).to_dense()
    array([[0., 5.],
           [0., 0.]])
    """

    def __init__(
        self, data: Any, row: Any, col: Any, shape: Any, order: str | None = None, requires_grad: bool = False
    ) -> None:
        if isinstance(data, Variable) or not is_array(data):
            raise TypeError(f"the elements must be an array, got {type(data).__name__}{at_user_line()}")
        if not 1 <= data.ndim <= 2:
            raise ValueError(f"ndim of data must be 1 or 2, got {data.ndim}{at_user_line()}")
        if not data.shape == row.shape == col.shape:
            raise ValueError(
                f"shape of row and col must be the same as of data: {row.shape}, {col.shape}, {data.shape}"
                f"{at_user_line()}"
            )
        if len(shape) != 2:
            raise ValueError(f"length of shape must be 2, got {shape}{at_user_line()}")
        if order not in ("C", "F", "other", None):
            raise ValueError(f"order must be 'C', 'F', 'other' or None, got {order!r}{at_user_line()}")
        self.data = Variable(data, requires_grad=requires_grad)
        self.row, self.col = row, col
        self.shape = shape
        self.order = get_order(row, col) if order is None else order

    def to_dense(self) -> Any:
        """The matrix, or the batch, as an array."""
        data = self.data.array
        with get_device_from_array(data).create_context():
            used = self.row >= 0
            module = get_array_module(data)
            dense = module.zeros((*data.shape[:-1], *self.shape), data.dtype)
            places = (self.row[used], self.col[used])
            module.add.at(dense, places if data.ndim == 1 else (np.nonzero(used)[0], *places), data[used])
        return dense


def to_coo(x: Any, ldnz: int | None = None, requires_grad: bool = False) -> CooMatrix:
    """The elements of a matrix, or of a batch of matrices, that are not zero.

    How many there are must be known: of a matrix on a GPU they are found on the host, and sent there.

    Args:
        x: an array of shape (rows, columns) or (batch, rows, columns).
        ldnz: the least length of the list of elements.
        requires_grad: whether the elements get gradients.

    Raises:
        ValueError: if ``x`` has another number of axes.

    >>> to_coo(np.array([[0.0, 5.0]])).col
    array([1], dtype=int32)
    """
    x = as_array(x)
    if x.ndim not in (2, 3):
        raise ValueError(f"ndim of x must be 2 or 3, got {x.ndim}{at_user_line()}")
    device, x = get_device_from_array(x), CPU.send(x)
    batch = x if x.ndim == 3 else x[None]
    count = max(int(np.max(np.count_nonzero(batch, axis=(1, 2)), initial=0)), ldnz or 0)
    data = np.zeros((len(batch), count), x.dtype)
    row, col = (np.full((len(batch), count), -1, np.int32) for _ in range(2))
    for place, matrix in enumerate(batch):
        rows, cols = np.nonzero(matrix)
        data[place, : len(rows)] = matrix[rows, cols]
        row[place, : len(rows)], col[place, : len(rows)] = rows, cols
    if x.ndim == 2:
        data, row, col = data[0], row[0], col[0]
    data, row, col = device.send((data, row, col))
    return CooMatrix(data, row, col, x.shape[-2:], "C", requires_grad)


def get_order(row: Any, col: Any) -> str:
    """``"C"`` if elements are sorted by rows and columns, ``"F"`` by columns and rows, else ``"other"``.

    Raises:
        ValueError: if there are not as many rows as columns, or one of a pair is negative, which marks places that are
            not used, and the other is not.

    >>> get_order(np.array([0, 1, 0]), np.array([0, 0, 1]))
    'F'
    """
    if row.shape != col.shape:
        raise ValueError(f"row has shape {row.shape} and col {col.shape}{at_user_line()}; they must be equal")
    with get_device_from_array(row).create_context():
        if bool(((row < 0) != (col < 0)).any()):
            raise ValueError(
                f"some places have a row but no column, or a column but no row{at_user_line()}; both must be -1 where "
                "there is no element"
            )
        if is_sorted(row, col):
            return "C"
        return "F" if is_sorted(col, row) else "other"


def is_sorted(major: Any, minor: Any) -> bool:
    """Whether places are sorted by the first, and where that is equal by the second; what fills up comes last."""
    used = (major[..., 1:] >= 0) & (major[..., :-1] >= 0)
    step = np.diff(major, axis=-1)
    return bool(np.all(~used | (step > 0) | ((step == 0) & (np.diff(minor, axis=-1) > 0))))
