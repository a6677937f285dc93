"""Sparse matrices as lists, and small functions of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff import Variable
from autodiff.chainer.utils import array as arrays
from autodiff.chainer.utils.sparse import CooMatrix, get_order, to_coo

MATRIX = np.array([[1.0, 0, 2], [0, 3, 0]], np.float32)
BATCH = np.stack((MATRIX, np.array([[0, 0, 2], [0, 0, 0]], np.float32)))


def test_elements_of_a_matrix() -> None:
    coo = to_coo(MATRIX, requires_grad=True)
    assert isinstance(coo.data, Variable)
    assert (coo.data.requires_grad, coo.shape, coo.order) == (True, (2, 3), "C")
    assert (coo.data.array.tolist(), coo.row.tolist(), coo.col.tolist()) == ([1, 2, 3], [0, 0, 1], [0, 2, 1])
    assert (coo.data.dtype, coo.row.dtype) == (np.float32, np.int32)
    np.testing.assert_array_equal(coo.to_dense(), MATRIX)


def test_lists_are_filled_up() -> None:
    coo = to_coo(MATRIX, ldnz=5)
    assert (coo.data.array.tolist(), coo.row.tolist()) == ([1, 2, 3, 0, 0], [0, 0, 1, -1, -1])
    batch = to_coo(BATCH)
    assert (batch.row.tolist(), batch.col.tolist()) == ([[0, 0, 1], [0, -1, -1]], [[0, 2, 1], [2, -1, -1]])
    np.testing.assert_array_equal(batch.to_dense(), BATCH)
    assert to_coo(MATRIX, ldnz=1).data.shape == (3,)


@pytest.mark.parametrize(
    ("row", "col", "order"), [([0, 0, 1], [0, 2, 1], "C"), ([0, 1, 0], [0, 1, 2], "F"), ([1, 0, 1], [2, 0, 1], "other")]
)
def test_orders(row: list[int], col: list[int], order: str) -> None:
    assert get_order(np.array(row), np.array(col)) == order


I = np.array([0, 1])  # noqa: E741
WRONG = [
    (lambda: CooMatrix(Variable(np.ones(2)), I, I, (2, 2)), TypeError, "the elements must be an array, got Variable"),
    (lambda: CooMatrix(np.ones((2, 1, 1)), I, I, (2, 2)), ValueError, "ndim of data must be 1 or 2, got 3"),
    (lambda: CooMatrix(np.ones(2), I, I[:1], (2, 2)), ValueError, "shape of row and col must be the same as of data"),
    (lambda: CooMatrix(np.ones(2), I, I, (2, 2, 2)), ValueError, "length of shape must be 2, got (2, 2, 2)"),
    (lambda: CooMatrix(np.ones(2), I, I, (2, 2), "X"), ValueError, "order must be 'C', 'F', 'other' or None, got 'X'"),
    (lambda: get_order(I, I[:1]), ValueError, "row has shape (2,) and col (1,)"),
    (lambda: get_order(I, -I), ValueError, "some places have a row but no column, or a column but no row"),
    (lambda: to_coo(np.ones(3)), ValueError, "ndim of x must be 2 or 3, got 1"),
]


@pytest.mark.parametrize(("call", "kind", "text"), WRONG)
def test_wrong_matrices(call: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as raised:
        call()
    assert str(raised.value).startswith(text)


def test_numbers_become_arrays_of_a_dtype() -> None:
    for value in (arrays.force_array(2, np.float32), arrays.force_array(np.float32(2))):
        assert (value.shape, value.dtype) == ((), np.float32)
    x = np.ones(2)
    assert arrays.force_array(x) is x
    assert arrays.force_array(x, np.float32).dtype == np.float32
    assert arrays.force_type(np.dtype(np.float32), x).dtype == np.float32
    assert type(arrays.force_type(np.dtype(np.float32), 2.0)) is np.float32
    assert arrays.force_type(x.dtype, x) is x


def test_shapes() -> None:
    assert (arrays.size_of_shape((2, 3)), arrays.size_of_shape(())) == (6, 1)
    assert arrays.sum_to(np.ones((2, 3)), (1, 3)).tolist() == [[2, 2, 2]]
    assert arrays.as_vec(np.ones((2, 3))).shape == (6,)
    assert arrays.as_mat(np.ones((2, 3, 4))).shape == (2, 12)
    assert arrays.empty_like(np.ones(2, np.float32)).dtype == np.float32
