"""Layers of gated recurrent units over whole sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.functions.rnn.gates import sigmoid
from autodiff.chainer.functions.rnn.packed import Layer
from autodiff.chainer.functions.rnn.recurrence import recurrence
from autodiff.chainer.functions.rnn.removed import refuse_keywords
from autodiff.facade import Variable


def n_step_gru(
    n_layers: int, dropout_ratio: float, hx: Any, ws: Any, bs: Any, xs: Any, **kwargs: Any
) -> tuple[Variable, tuple[Variable, ...]]:
    """Layers of gated recurrent units over sequences of different lengths.

    r = sigmoid(W_0 x + b_0 + U_0 h + d_0), z = sigmoid(W_1 x + b_1 + U_1 h + d_1),
    g = tanh(W_2 x + b_2 + r (U_2 h + d_2)), h' = (1 - z) g + z h.

    Args:
        n_layers: how many layers.
        dropout_ratio: the share of the inputs of all layers but the first that is dropped while ``config.train``.
        hx: initial output, ``(n_layers, batch, units)``, floats.
        ws: for each layer W_0, W_1, W_2, ``(units, inputs)``, then U_0, U_1, U_2, ``(units, units)``.
        bs: for each layer b_0, b_1, b_2, d_0, d_1, d_2, ``(units,)``.
        xs: for each step the inputs of the sequences that have not ended, ``(batch, inputs)``: the batch never grows.
            Where it begins smaller than that of ``hx``, the last sequences are empty: their states stay.
        kwargs: ``train`` and ``use_cudnn`` of old versions are refused.

    Returns:
        the final output, shaped as ``hx``, and the outputs of the last layer for each step.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        ValueError: if the batch grows, or if ``ws`` and ``bs`` do not hold what they must.

    >>> weights = [[np.zeros((1, 1), "f")] * 6], [[np.zeros(1, "f")] * 6]
    >>> h, ys = n_step_gru(1, 0.0, np.ones((1, 1, 1), "f"), *weights, [np.ones((1, 1), "f")])
    >>> h, len(ys)
    (variable([[[0.5]]]), 1)
    """
    return n_step_gru_base(n_layers, dropout_ratio, hx, ws, bs, xs, False, **kwargs)


def n_step_bigru(
    n_layers: int, dropout_ratio: float, hx: Any, ws: Any, bs: Any, xs: Any, **kwargs: Any
) -> tuple[Variable, tuple[Variable, ...]]:
    """Layers of gated recurrent units that run forwards and backwards.

    The same as :func:`n_step_gru`, but ``hx``, ``ws`` and ``bs`` have two entries for each layer: forwards, backwards.
    The outputs of both are joined, ``(batch, 2 units)``, and so are the inputs of the next layer.
    """
    return n_step_gru_base(n_layers, dropout_ratio, hx, ws, bs, xs, True, **kwargs)


def n_step_gru_base(
    n_layers: int,
    dropout_ratio: float,
    hx: Any,
    ws: Any,
    bs: Any,
    xs: Any,
    use_bi_direction: bool,
    **kwargs: Any,
) -> tuple[Variable, tuple[Variable, ...]]:
    """:func:`n_step_gru`, or :func:`n_step_bigru` if ``use_bi_direction`` is true."""
    refuse_keywords("n_step_bigru" if use_bi_direction else "n_step_gru", kwargs)
    label, directions = ("NStepBiGRU", 2) if use_bi_direction else ("NStepGRU", 1)
    h, *ys = recurrence(label, gru_layer, 6, n_layers, directions, dropout_ratio, (hx,), ws, bs, xs, False)
    return h, tuple(ys)


def gru_layer(w: Sequence[Any], b: Sequence[Any]) -> Layer:
    """Projection and cell. Columns are r, z, g."""
    units = b[0].shape[0]
    inputs, outputs = np.concatenate(w[:3]).T, np.concatenate(w[3:]).T
    bias, inner = np.concatenate(b[:3]), np.concatenate(b[3:])

    def cell(step: Any, h: Any) -> tuple[Any]:
        own = h @ outputs + inner
        r, z = np.split(sigmoid(step[:, : 2 * units] + own[:, : 2 * units]), 2, axis=1)
        g = np.tanh(step[:, 2 * units :] + r * own[:, 2 * units :])
        return (g + z * (h - g),)

    return lambda packed: packed @ inputs + bias, cell
