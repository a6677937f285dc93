"""One step of recurrent cells: formulas of Chainer 7.8.1, derivatives, and what they refuse."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import autodiff.chainer.functions as F
from autodiff import InvalidType, Variable
from autodiff.chainer.functions.rnn.lstm import lstm
from autodiff.chainer.functions.rnn.slstm import slstm
from autodiff.chainer.functions.rnn.tree_lstm import tree_lstm
from tests.chainer.functions.function_laws import Row, check_row, draw

C, D, X, Y = draw(3, 2), draw(3, 2, seed=1), draw(3, 8, seed=2), draw(3, 8, seed=3)
TREE = draw(3, 10, seed=4)

ROWS = [
    Row("lstm", lstm, (C, X), "LSTM"),
    Row("lstm_shorter", lstm, (C, X[:2]), "LSTM"),
    Row("lstm_image", lstm, (draw(2, 1, 2), draw(2, 4, 2)), "LSTM"),
    Row("slstm", slstm, (C, D, X, Y), "SLSTM"),
    Row("tree_lstm", tree_lstm, (C, D, TREE), "TreeLSTM"),
    Row("tree_lstm_unary", tree_lstm, (C, X), "TreeLSTM"),
]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_derivatives_labels_and_dtypes(row: Row) -> None:
    check_row(row)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def test_lstm() -> None:
    a, i, f, o = (X[:, k::4] for k in range(4))
    c = np.tanh(a) * sigmoid(i) + sigmoid(f) * C
    found = lstm(C, X)
    np.testing.assert_allclose(found[0].array, c, rtol=1e-14)
    np.testing.assert_allclose(found[1].array, sigmoid(o) * np.tanh(c), rtol=1e-14)


def test_sequences_that_have_ended_keep_their_cells() -> None:
    whole, shorter, nothing = lstm(C, X), lstm(C, X[:2]), lstm(C, X[:0])
    assert shorter[0].array.tolist() == [*whole[0].array[:2].tolist(), C[2].tolist()]
    assert shorter[1].array.tolist() == whole[1].array[:2].tolist()
    assert nothing[0].array.tolist() == C.tolist()
    assert nothing[1].shape == (0, 2)


def test_saturated_gates_neither_overflow_nor_lose_the_cell() -> None:
    c, h = lstm(np.full((1, 1), 2.0, "f"), np.array([[0, -1e9, 1e9, 1e9]], "f"))
    assert (c.array.item(), h.array.item()) == (2.0, np.tanh(np.float32(2)))


def test_slstm() -> None:
    gates = [(np.tanh(x[:, 0::4]), sigmoid(x[:, 1::4]), sigmoid(x[:, 2::4])) for x in (X, Y)]
    c = sum(a * i + f * before for (a, i, f), before in zip(gates, (C, D), strict=True))
    found = slstm(C, D, X, Y)
    np.testing.assert_allclose(found[0].array, c, rtol=1e-14)
    np.testing.assert_allclose(found[1].array, sigmoid(X[:, 3::4] + Y[:, 3::4]) * np.tanh(c), rtol=1e-14)


def test_tree_lstm() -> None:
    a, i, o, f1, f2 = np.split(TREE, 5, axis=1)
    c = np.tanh(a) * sigmoid(i) + sigmoid(f1) * C + sigmoid(f2) * D
    found = tree_lstm(C, D, TREE)
    np.testing.assert_allclose(found[0].array, c, rtol=1e-14)
    np.testing.assert_allclose(found[1].array, sigmoid(o) * np.tanh(c), rtol=1e-14)


def test_a_step_is_one_node() -> None:
    c, x = Variable(C), Variable(X)
    new, h = lstm(c, x)
    assert new.creator is h.creator
    assert [node.get_variable() is v for node, v in zip(new.creator.inputs, (c, x), strict=True)] == [True, True]


INTS = C.astype("i")
REFUSED = {
    "lstm rows": (lambda: lstm(C[:2], X), "LSTM", "x.shape[0] <= c.shape[0]", "3 > 2"),
    "lstm columns": (lambda: lstm(C, X[:, :6]), "LSTM", "x.shape[1] == 4 * c.shape[1]", "6 != 8"),
    "lstm dtypes": (lambda: lstm(C.astype("f"), X), "LSTM", "x.dtype == c.dtype", "float64 != float32"),
    "lstm ints": (lambda: lstm(INTS, X.astype("i")), "LSTM", "c.dtype.kind == f", "i != f"),
    "lstm axes": (lambda: lstm(C[..., None], X), "LSTM", "c.ndim == x.ndim", "3 != 2"),
    "lstm images": (lambda: lstm(draw(3, 2, 2, 3), draw(3, 8, 2, 2)), "LSTM", "x.shape[3] == c.shape[3]", "2 != 3"),
    "slstm rows": (lambda: slstm(C, D[:2], X, Y), "SLSTM", "c_prev1.shape[0] == c_prev2.shape[0]", "3 != 2"),
    "slstm columns": (lambda: slstm(C, D, X[:, :6], Y), "SLSTM", "x1.shape[1] == 4 * c_prev1.shape[1]", "6 != 8"),
    "slstm dtypes": (lambda: slstm(C, D, X, Y.astype("f")), "SLSTM", "x2.dtype == c_prev1.dtype", "float32 != float64"),
    "tree_lstm columns": (lambda: tree_lstm(C, D, X), "TreeLSTM", "in_types[2].shape[1] == 5 * in_types[0].shape[1]", "8 != 10"),
    "tree_lstm dtypes": (lambda: tree_lstm(C, D.astype("f"), TREE), "TreeLSTM", "in_types[2].dtype == in_types[1].dtype", "float64 != float32"),
    "tree_lstm rows": (lambda: tree_lstm(C, D[:2], TREE), "TreeLSTM", "in_types[2].shape[0] == in_types[1].shape[0]", "3 != 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_types(name: str) -> None:
    step, label, expect, actual = REFUSED[name]
    with pytest.raises(InvalidType) as caught:
        step()
    text = str(caught.value)
    assert text.startswith(f"\nInvalid operation is performed in: {label} (Forward)")
    assert text.endswith(f"\n\nExpect: {expect}\nActual: {actual}")


def test_a_tree_needs_a_child() -> None:
    with pytest.raises(InvalidType) as caught:
        tree_lstm(TREE)
    text = str(caught.value)
    assert text.startswith("\nInvalid operation is performed in: TreeLSTM (Forward)")
    assert "Expect: in_types.size >= 2\nActual: 1 < 2" in text


@pytest.mark.parametrize("module", ["lstm", "slstm"])
def test_gates_by_the_names_that_programs_know(module):
    module = importlib.import_module(f"autodiff.chainer.functions.rnn.{module}")
    bias = np.zeros(8, np.float32)
    for gate, array in enumerate(module._extract_gates(bias.reshape(1, 8, 1))):
        assert array.shape == (1, 2, 1)
        array[...] = gate
    np.testing.assert_array_equal(bias, [0, 1, 2, 3, 0, 1, 2, 3])
    x = Variable(np.arange(16.0).reshape(2, 8))
    gates = module._extract_gates(x)
    np.testing.assert_array_equal(gates[2].array, [[2, 6], [10, 14]])
    F.sum(gates[2]).backward()
    np.testing.assert_array_equal(x.grad, [[0, 0, 1, 0, 0, 0, 1, 0]] * 2)
    np.testing.assert_allclose(module._sigmoid(np.array([0.0, 2.0]), np), [0.5, 1 / (1 + np.exp(-2.0))])
