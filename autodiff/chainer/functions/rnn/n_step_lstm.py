"""Layers of long short-term memories over whole sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.functions.array.reshape import reshape
from autodiff.chainer.functions.array.stack import stack
from autodiff.chainer.functions.connection.linear import linear
from autodiff.chainer.functions.rnn.lstm import lstm
from autodiff.chainer.functions.rnn.packed import Layer
from autodiff.chainer.functions.rnn.recurrence import recurrence
from autodiff.chainer.functions.rnn.removed import refuse_keywords
from autodiff.facade import Variable


def n_step_lstm(
    n_layers: int, dropout_ratio: float, hx: Any, cx: Any, ws: Any, bs: Any, xs: Any, **kwargs: Any
) -> tuple[Variable, Variable, tuple[Variable, ...]]:
    """Layers of long short-term memories over sequences of different lengths.

    i, f, o = sigmoid(W_k x + U_k h + b_k), a = tanh(W_2 x + U_2 h + b_2), c' = f c + i a, h' = o tanh(c'), where k is 0
    for i, 1 for f, 3 for o.

    Args:
        n_layers: how many layers.
        dropout_ratio: the share of the inputs of all layers but the first that is dropped while ``config.train``.
        hx: initial output, ``(n_layers, batch, units)``, floats.
        cx: initial cell state, of the same shape.
        ws: for each layer W_0, ..., W_3, ``(units, inputs)``, then U_0, ..., U_3, ``(units, units)``.
        bs: for each layer the biases of these eight, ``(units,)``.
        xs: for each step the inputs of the sequences that have not ended, ``(batch, inputs)``: the batch never grows.
            Where it begins smaller than that of ``hx``, the last sequences are empty: their states stay.
        kwargs: ``train`` and ``use_cudnn`` of old versions are refused.

    Returns:
        final output and cell state, shaped as ``hx``, and the outputs of the last layer for each step.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        ValueError: if the batch grows, or if ``ws`` and ``bs`` do not hold what they must.

    >>> one = np.ones((1, 1, 1), "f")
    >>> weights = [[np.zeros((1, 1), "f")] * 8], [[np.zeros(1, "f")] * 8]
    >>> h, c, ys = n_step_lstm(1, 0.0, one, one, *weights, [np.ones((1, 1), "f")])
    >>> c, len(ys)
    (variable([[[0.5]]]), 1)
    """
    return n_step_lstm_base(n_layers, dropout_ratio, hx, cx, ws, bs, xs, False, **kwargs)


def n_step_bilstm(
    n_layers: int, dropout_ratio: float, hx: Any, cx: Any, ws: Any, bs: Any, xs: Any, **kwargs: Any
) -> tuple[Variable, Variable, tuple[Variable, ...]]:
    """Layers of long short-term memories that run forwards and backwards.

    The same as :func:`n_step_lstm`, but ``hx``, ``cx``, ``ws`` and ``bs`` have two entries for each layer: forwards,
    backwards. The outputs of both are joined, ``(batch, 2 units)``, and so are the inputs of the next layer.
    """
    return n_step_lstm_base(n_layers, dropout_ratio, hx, cx, ws, bs, xs, True, **kwargs)


def n_step_lstm_base(
    n_layers: int,
    dropout_ratio: float,
    hx: Any,
    cx: Any,
    ws: Any,
    bs: Any,
    xs: Any,
    use_bi_direction: bool,
    **kwargs: Any,
) -> tuple[Variable, Variable, tuple[Variable, ...]]:
    """:func:`n_step_lstm`, or :func:`n_step_bilstm` if ``use_bi_direction`` is true."""
    refuse_keywords("n_step_bilstm" if use_bi_direction else "n_step_lstm", kwargs)
    label, directions = ("NStepBiLSTM", 2) if use_bi_direction else ("NStepLSTM", 1)
    h, c, *ys = recurrence(label, lstm_layer, 8, n_layers, directions, dropout_ratio, (hx, cx), ws, bs, xs)
    return h, c, tuple(ys)


def _lstm(x: Any, h: Any, c: Any, w: Sequence[Any], b: Sequence[Any]) -> tuple[Variable, Variable]:
    """The output and the cell state after one step of one layer; programs with cells of their own call it.

    Args:
        x: inputs, ``(batch, inputs)``.
        h: the output of the step before, ``(batch, units)``.
        c: its cell state.
        w: the eight weights, as in :func:`n_step_lstm`.
        b: their biases.
    """
    order = (2, 0, 1, 3)  # as lstm has its gates: a, i, f, o, the four of each unit together
    (W, U), (bias, inner) = ([interleaved([each[start + k] for k in order]) for start in (0, 4)] for each in (w, b))
    c_next, h_next = lstm(c, linear(x, W, bias) + linear(h, U, inner))
    return h_next, c_next


def interleaved(parts: Sequence[Any]) -> Variable:
    """The rows of several matrices, one of each in turn."""
    stacked = stack(parts, axis=1)
    return reshape(stacked, (stacked.shape[0] * stacked.shape[1], *stacked.shape[2:]))


def lstm_layer(w: Sequence[Any], b: Sequence[Any]) -> Layer:
    """Projection and cell. Columns are i, f, o, a; those of sigmoids are halved, which makes them a tanh."""
    units = b[0].shape[0]
    inputs, outputs = joined_gates(w[:4]).T, joined_gates(w[4:]).T
    bias = joined_gates([b[k] + b[4 + k] for k in range(4)])

    def cell(step: Any, h: Any, c: Any) -> tuple[Any, Any]:
        t = np.tanh(step + h @ outputs)
        i, f, o = np.split(t[:, : 3 * units] * 0.5 + 0.5, 3, axis=1)
        c_next = f * c + i * t[:, 3 * units :]
        return o * np.tanh(c_next), c_next

    return lambda packed: packed @ inputs + bias, cell


def joined_gates(parts: Sequence[Any]) -> Any:
    """The rows of i, f, o, halved, and those of a."""
    i, f, a, o = parts
    return np.concatenate((np.concatenate((i, f, o)) * 0.5, a))
