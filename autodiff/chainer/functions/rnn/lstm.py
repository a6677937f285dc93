"""One step of a long short-term memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.rnn.gates import extract_gates, lstm_gates, sigmoid
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.join import unstack


def lstm(c_prev: Any, x: Any) -> tuple[Variable, Variable]:
    """c = tanh(a) sigmoid(i) + sigmoid(f) c_prev, and h = sigmoid(o) tanh(c).

    Args:
        c_prev: the cell state, ``(n, units, ...)``, floats.
        x: ``(m, 4 units, ...)`` of the same dtype, m at most n: the columns are a, i, f, o of the first unit, then
            those of the second, and so on. Rows of ``c_prev`` beyond the first m are kept as they are.

    Returns:
        the new cell state ``(n, units, ...)`` and the output ``(m, units, ...)``.

    Raises:
        InvalidType: if shapes or dtypes are others.

    Source: Zaremba et al., Recurrent Neural Network Regularization, 2014.

    >>> c, h = lstm(np.ones((1, 1)), np.array([[0.0, 0.0, 100.0, 100.0]]))
    >>> c, h
    (variable([[1.]]), variable([[0.76159416]]))
    """
    axes, xp = getattr(c_prev, "ndim", 0), get_array_module(x)
    c, h = apply(
        "LSTM",
        lambda c, x: lstm_step(c, x, xp),
        (c_prev, x),
        check=lambda c, x: (
            c.dtype.kind == "f", x.dtype == c.dtype, c.ndim >= 2, x.ndim >= 2, c.ndim == x.ndim,
            x.shape[0] <= c.shape[0], x.shape[1] == 4 * c.shape[1],
            *(x.shape[axis] == c.shape[axis] for axis in range(2, axes)),
        ),
    )  # fmt: skip
    return c, h


def lstm_step(c: Any, x: Any, xp: Any) -> tuple[Any, Any]:
    """The new cell state and the output; rows of c beyond those of x are kept."""
    batch = x.shape[0]
    a, i, f, o = unstack(lstm_gates(x, xp), axis=1 - len(x.shape))
    if batch == c.shape[0]:
        c_next = a * i + f * c
        return c_next, o * np.tanh(c_next)
    c_next = a * i + f * c[:batch]
    return np.concatenate((c_next, c[batch:])), o * np.tanh(c_next)


LSTM = function_class("LSTM", lstm)

_extract_gates, _sigmoid = extract_gates, sigmoid
"""What links of programs use of this module, to set the biases of single gates."""
