"""Recurrent layers over whole sequences: formulas and random numbers of Chainer 7.8.1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff import InvalidType, Variable
from autodiff.chainer.functions.rnn.n_step_gru import n_step_bigru, n_step_gru
from autodiff.chainer.functions.rnn.n_step_lstm import _lstm, n_step_bilstm, n_step_lstm
from autodiff.chainer.functions.rnn.n_step_rnn import n_step_birnn, n_step_rnn, n_step_rnn_base
from autodiff.facade.settings.configuration import using_config
from tests.chainer.functions.function_laws import Row, check_row, draw

INPUTS, UNITS, BATCHES = 2, 3, (3, 2, 1)
XS = [draw(batch, INPUTS, seed=k) for k, batch in enumerate(BATCHES)]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def lstm_cell(w: Any, b: Any, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, f, a, o = (x @ w[k].T + b[k] + h @ w[k + 4].T + b[k + 4] for k in range(4))
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(a)
    return sigmoid(o) * np.tanh(c), c


def gru_cell(w: Any, b: Any, x: Any, h: Any) -> tuple[Any]:
    up, own = [x @ w[k].T + b[k] for k in range(3)], [h @ w[k].T + b[k] for k in range(3, 6)]
    r, z = sigmoid(up[0] + own[0]), sigmoid(up[1] + own[1])
    return ((1 - z) * np.tanh(up[2] + r * own[2]) + z * h,)


def tanh_cell(w: Any, b: Any, x: Any, h: Any) -> tuple[Any]:
    return (np.tanh(x @ w[0].T + b[0] + h @ w[1].T + b[1]),)


def relu_cell(w: Any, b: Any, x: Any, h: Any) -> tuple[Any]:
    return (np.maximum(x @ w[0].T + b[0] + h @ w[1].T + b[1], 0),)


def relu_rnn(*args: Any) -> Any:
    return n_step_rnn(*args, activation="relu")


def relu_birnn(*args: Any) -> Any:
    return n_step_birnn(*args, activation="relu")


KINDS = {  # function, cell, weights, states, directions, label
    "lstm": (n_step_lstm, lstm_cell, 8, 2, 1, "NStepLSTM"),
    "bilstm": (n_step_bilstm, lstm_cell, 8, 2, 2, "NStepBiLSTM"),
    "gru": (n_step_gru, gru_cell, 6, 1, 1, "NStepGRU"),
    "bigru": (n_step_bigru, gru_cell, 6, 1, 2, "NStepBiGRU"),
    "rnn": (n_step_rnn, tanh_cell, 2, 1, 1, "NStepRNNTanh"),
    "birnn": (n_step_birnn, tanh_cell, 2, 1, 2, "NStepBiRNNTanh"),
    "relu rnn": (relu_rnn, relu_cell, 2, 1, 1, "NStepRNNReLU"),
    "relu birnn": (relu_birnn, relu_cell, 2, 1, 2, "NStepBiRNNReLU"),
}


def weights(count: int, layers: int, directions: int) -> tuple[Any, Any]:
    ws, bs = [], []
    for k in range(layers * directions):
        inputs = INPUTS if k < directions else UNITS * directions
        ws.append([draw(UNITS, inputs if j < count // 2 else UNITS, seed=10 * k + j) for j in range(count)])
        bs.append([draw(UNITS, seed=100 + 10 * k + j) for j in range(count)])
    return ws, bs


def reference(kind: str, layers: int, states: Any, ws: Any, bs: Any, ratio: float) -> tuple[Any, Any]:
    """Sequence by sequence, step by step; dropout draws for each step, as Chainer does."""
    _, cell, _, _, directions, _ = KINDS[kind]
    rows: list[list[Any]] = [[XS[t][k] for t in range(len(BATCHES)) if BATCHES[t] > k] for k in range(BATCHES[0])]
    finals: list[list[Any]] = [[] for _ in states]
    for layer in range(layers):
        sides = []
        for k in range(layer * directions, (layer + 1) * directions):
            inputs = [list(row) for row in rows]
            for t, batch in enumerate(BATCHES if layer else ()):
                mask = (np.random.rand(batch, len(rows[0][0])) >= ratio) / (1 - ratio)  # noqa: NPY002
                for row in range(batch):
                    inputs[row][t] = inputs[row][t] * mask[row]
            backwards = k % directions == 1
            outs, ends = [], []
            for row, sequence in enumerate(inputs):
                now = tuple(state[k][row] for state in states)
                ys = []
                for x in reversed(sequence) if backwards else sequence:
                    now = cell(ws[k], bs[k], x, *now)
                    ys.append(now[0])
                outs.append(ys[::-1] if backwards else ys)
                ends.append(now)
            sides.append(outs)
            for final, parts in zip(finals, zip(*ends, strict=True), strict=True):
                final.append(np.stack(parts))
        rows = [[np.concatenate(both) for both in zip(*pair, strict=True)] for pair in zip(*sides, strict=True)]
    ys = [np.stack([rows[k][t] for k in range(batch)]) for t, batch in enumerate(BATCHES)]
    return [np.stack(final) for final in finals], ys


@pytest.mark.parametrize("ratio", [0.0, 0.5])
@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_values_are_those_of_chainer(kind: str, layers: int, ratio: float) -> None:
    function, _, count, held, directions, label = KINDS[kind]
    states = [draw(layers * directions, BATCHES[0], UNITS, seed=50 + k) for k in range(held)]
    ws, bs = weights(count, layers, directions)
    np.random.seed(0)  # noqa: NPY002
    *finals, ys = function(layers, ratio, *states, ws, bs, XS)
    after = np.random.rand()  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    wanted_finals, wanted_ys = reference(kind, layers, states, ws, bs, ratio)
    assert after == np.random.rand()  # noqa: NPY002
    assert isinstance(ys, tuple)
    for found, wanted in zip([*finals, *ys], [*wanted_finals, *wanted_ys], strict=True):
        np.testing.assert_allclose(found.array, wanted, rtol=1e-12, atol=1e-14)
    assert ys[0].creator.label == label


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_labels_and_dtypes(kind: str) -> None:
    function, _, count, held, directions, label = KINDS[kind]
    ws, bs = weights(count, 1, directions)
    states = [draw(directions, BATCHES[0], UNITS, seed=50 + k) for k in range(held)]

    def run(*args: Any) -> Any:
        initial, rest = args[:held], args[held:]
        w = [rest[k * count : (k + 1) * count] for k in range(directions)]
        b = [rest[(directions + k) * count : (directions + k + 1) * count] for k in range(directions)]
        *finals, ys = function(1, 0.5, *initial, w, b, rest[2 * directions * count :])
        return (*finals, *ys)

    flat = (*states, *(w for layer in ws for w in layer), *(b for layer in bs for b in layer), *XS)
    check_row(Row(kind, run, flat, label, half=False))


def test_nothing_is_dropped_or_drawn_outside_of_training() -> None:
    ws, bs = weights(2, 2, 1)
    hx = draw(2, 3, UNITS)
    np.random.seed(0)  # noqa: NPY002
    with using_config("train", False):
        dropped, _ = n_step_rnn(2, 0.5, hx, ws, bs, XS)
    assert np.random.rand() == 0.5488135039273248  # noqa: NPY002
    whole, _ = n_step_rnn(2, 0.0, hx, ws, bs, XS)
    assert dropped.array.tolist() == whole.array.tolist()


def test_double_backprop_drops_the_same() -> None:
    ws, bs = weights(2, 2, 1)
    hx = Variable(draw(2, 3, UNITS))
    hy, _ = n_step_rnn(2, 0.5, hx, ws, bs, XS)
    loss = np.sum(hy)
    loss.backward(enable_double_backprop=True)
    once = hx.grad.copy()
    hx.cleargrad()
    np.sum(hy).backward()
    np.testing.assert_allclose(hx.grad, once)


WS, BS = weights(2, 1, 1)
HX = draw(1, 3, UNITS)
REFUSED = {
    "axes": (lambda: n_step_rnn(1, 0.0, HX[0], WS, BS, XS), "in_types[0].ndim == 3", "2 != 3"),
    "layers": (lambda: n_step_rnn(1, 0.0, draw(2, 3, UNITS), WS, BS, XS), "in_types[0].shape[0] == 1", "2 != 1"),
    "batch": (lambda: n_step_rnn(1, 0.0, HX[:, :2], WS, BS, XS), "in_types[0].shape[1] >= in_types[5].shape[0]", "2 < 3"),
    "dtypes": (lambda: n_step_rnn(1, 0.0, HX.astype("f"), WS, BS, XS), "in_types[1].dtype == in_types[0].dtype", "float64 != float32"),
    "inputs": (lambda: n_step_rnn(1, 0.0, HX, WS, BS, [XS[0], *(x[:, :1] for x in XS[1:])]), "in_types[6].shape[1] == in_types[1].shape[1]", "1 != 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_types(name: str) -> None:
    function, expect, actual = REFUSED[name]
    with pytest.raises(InvalidType) as caught:
        function()
    text = str(caught.value)
    assert text.startswith("\nInvalid operation is performed in: NStepRNNTanh (Forward)")
    assert text.endswith(f"\n\nExpect: {expect}\nActual: {actual}")


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "growing": (lambda: n_step_rnn(1, 0.0, HX, WS, BS, XS[::-1]), ValueError, "the steps in xs must have batches that never grow, got [1, 2, 3]"),
    "none": (lambda: n_step_rnn(1, 0.0, HX, WS, BS, []), ValueError, "the steps in xs must have batches that never grow, got []"),
    "array": (lambda: n_step_rnn(1, 0.0, HX, WS, BS, XS[0]), TypeError, "xs must be a list of the inputs of each step, got ndarray"),
    "weights": (lambda: n_step_gru(1, 0.0, HX, WS, BS, XS), ValueError, "ws must hold 1 lists (layers and directions) of 6 arrays, got [2]"),
    "activation": (lambda: n_step_rnn(1, 0.0, HX, WS, BS, XS, "sigmoid"), ValueError, "activation must be 'tanh' or 'relu', got 'sigmoid'"),
    "train": (lambda: n_step_rnn(1, 0.0, HX, WS, BS, XS, train=True), ValueError, "n_step_rnn(train=...) is gone; use chainer.using_config('train', ...)"),
    "use_cudnn": (lambda: n_step_lstm(1, 0.0, HX, HX, WS, BS, XS, use_cudnn=True), ValueError, "n_step_lstm(use_cudnn=...) is gone; use chainer.using_config('use_cudnn', ...)"),
    "unknown": (lambda: n_step_birnn(1, 0.0, HX, WS, BS, XS, foo=1), TypeError, "n_step_birnn() got unexpected keyword argument(s) 'foo'"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name: str) -> None:
    function, kind, text = WRONG[name]
    with pytest.raises(kind) as caught:
        function()
    assert str(caught.value).startswith(f"{text} (test_n_step.py:")


def test_one_step_of_a_layer() -> None:
    w, b = [draw(UNITS, INPUTS if k < 4 else UNITS, seed=k) for k in range(8)], [draw(UNITS, seed=k) for k in range(8)]
    x, h, c = draw(2, INPUTS, seed=10), draw(2, UNITS, seed=11), draw(2, UNITS, seed=12)
    for value, expected in zip(_lstm(x, h, c, w, b), lstm_cell(w, b, x, h, c), strict=True):
        np.testing.assert_allclose(value.array, expected)


def test_directions_as_an_argument() -> None:
    w, b = [[draw(UNITS, INPUTS, seed=k), draw(UNITS, UNITS, seed=k)] for k in (1, 2)], [[np.zeros(UNITS)] * 2] * 2
    hx = draw(2, BATCHES[0], UNITS, seed=5)
    h, ys = n_step_rnn_base(1, 0.0, hx, w, b, XS, "tanh", True)
    expected, _ = n_step_birnn(1, 0.0, hx, w, b, XS)
    np.testing.assert_array_equal(h.array, expected.array)
    assert h.creator.label == "NStepBiRNNTanh"
    assert len(ys) == len(XS)


def test_inputs_of_another_width_than_the_weights() -> None:
    narrow = [x[:, :1] for x in XS]
    with pytest.raises(ValueError, match="Inconsistent input size in input values and weight parameters: 1 != 2"):
        n_step_rnn(1, 0.0, HX, WS, BS, narrow)
    with pytest.raises(ValueError, match="Inconsistent input size"):
        n_step_lstm(1, 0.0, HX, HX, *weights(8, 1, 1), narrow)
    with pytest.raises(InvalidType):
        n_step_gru(1, 0.0, HX, *weights(6, 1, 1), narrow)
