"""Layers of simple recurrent units over whole sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.chainer.functions.rnn.packed import Layer
from autodiff.chainer.functions.rnn.recurrence import Make, recurrence
from autodiff.chainer.functions.rnn.removed import refuse_keywords
from autodiff.facade import Variable
from autodiff.trace.source import at_user_line

ACTIVATIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "tanh": ("Tanh", np.tanh),
    "relu": ("ReLU", lambda x: np.where(x > 0, x, 0)),
}


def n_step_rnn(
    n_layers: int,
    dropout_ratio: float,
    hx: Any,
    ws: Any,
    bs: Any,
    xs: Any,
    activation: str = "tanh",
    **kwargs: Any,
) -> tuple[Variable, tuple[Variable, ...]]:
    """Layers of h' = activation(W x + b + U h + d) over sequences of different lengths.

    Args:
        n_layers: how many layers.
        dropout_ratio: the share of the inputs of all layers but the first that is dropped while ``config.train``.
        hx: initial output, ``(n_layers, batch, units)``, floats.
        ws: for each layer W, ``(units, inputs)``, and U, ``(units, units)``.
        bs: for each layer b and d, ``(units,)``.
        xs: for each step the inputs of the sequences that have not ended, ``(batch, inputs)``: the batch never grows.
            Where it begins smaller than that of ``hx``, the last sequences are empty: their states stay.
        activation: ``"tanh"`` or ``"relu"``, whose derivative at 0 is 0.
        kwargs: ``train`` and ``use_cudnn`` of old versions are refused.

    Returns:
        the final output, shaped as ``hx``, and the outputs of the last layer for each step.

    Raises:
        InvalidType: if shapes or dtypes do not fit.
        ValueError: for another activation, if the batch grows, or if ``ws`` and ``bs`` do not hold what they must.

    >>> weights = [[np.ones((1, 1), "f")] * 2], [[np.zeros(1, "f")] * 2]
    >>> h, ys = n_step_rnn(1, 0.0, np.ones((1, 1, 1), "f"), *weights, [np.ones((1, 1), "f")] * 2, "relu")
    >>> h, ys
    (variable([[[3.]]]), (variable([[2.]]), variable([[3.]])))
    """
    return n_step_rnn_base(n_layers, dropout_ratio, hx, ws, bs, xs, activation, False, **kwargs)


def n_step_birnn(
    n_layers: int,
    dropout_ratio: float,
    hx: Any,
    ws: Any,
    bs: Any,
    xs: Any,
    activation: str = "tanh",
    **kwargs: Any,
) -> tuple[Variable, tuple[Variable, ...]]:
    """Layers of simple recurrent units that run forwards and backwards.

    The same as :func:`n_step_rnn`, but ``hx``, ``ws`` and ``bs`` have two entries for each layer: forwards, backwards.
    The outputs of both are joined, ``(batch, 2 units)``, and so are the inputs of the next layer.
    """
    return n_step_rnn_base(n_layers, dropout_ratio, hx, ws, bs, xs, activation, True, **kwargs)


def n_step_rnn_base(
    n_layers: int,
    dropout_ratio: float,
    hx: Any,
    ws: Any,
    bs: Any,
    xs: Any,
    activation: str,
    use_bi_direction: bool,
    **kwargs: Any,
) -> tuple[Variable, tuple[Variable, ...]]:
    """:func:`n_step_rnn`, or :func:`n_step_birnn` if ``use_bi_direction`` is true."""
    kind = "NStepBiRNN" if use_bi_direction else "NStepRNN"
    refuse_keywords("n_step_birnn" if use_bi_direction else "n_step_rnn", kwargs)
    name, make = unit(activation)
    h, *ys = recurrence(f"{kind}{name}", make, 2, n_layers, 1 + use_bi_direction, dropout_ratio, (hx,), ws, bs, xs)
    return h, tuple(ys)


def unit(activation: str) -> tuple[str, Make]:
    """The name of an activation, and what makes layers with it.

    Raises:
        ValueError: for another activation.
    """
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation must be 'tanh' or 'relu', got {activation!r}{at_user_line()}")
    name, function = ACTIVATIONS[activation]

    def make(w: Sequence[Any], b: Sequence[Any]) -> Layer:
        inputs, outputs, bias = w[0].T, w[1].T, b[0] + b[1]
        return lambda packed: packed @ inputs + bias, lambda step, h: (function(step + h @ outputs),)

    return name, make
