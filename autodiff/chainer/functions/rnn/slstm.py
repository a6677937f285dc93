"""A long short-term memory with two predecessors."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.rnn.gates import extract_gates, lstm_gates, sigmoid
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.numpy.arrays.splitting import unstack


def slstm(c_prev1: Any, c_prev2: Any, x1: Any, x2: Any) -> tuple[Variable, Variable]:
    """c = tanh(a1) sigmoid(i1) + sigmoid(f1) c_prev1 + the same of 2, and h = sigmoid(o1 + o2) tanh(c).

    Args:
        c_prev1: the cell state of one predecessor, ``(n, units, ...)``, floats.
        c_prev2: that of the other one.
        x1: ``(n, 4 units, ...)`` of the same dtype: the columns are a, i, f, o of the first unit, then those of the
            second, and so on.
        x2: the same for the other predecessor.

    Returns:
        the new cell state and the output, ``(n, units, ...)``.

    Raises:
        InvalidType: if shapes or dtypes are others.

    Source: Zhu et al., Long Short-Term Memory Over Tree Structures, 2015.

    >>> c, h = slstm(np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 4)), np.zeros((1, 4)))
    >>> c
    variable([[1.]])
    """
    xp = get_array_module(x1)

    def step(c1: Any, c2: Any, x1: Any, x2: Any) -> tuple[Any, Any]:
        a1, i1, f1, _ = unstack(lstm_gates(x1, xp), axis=2)
        a2, i2, f2, _ = unstack(lstm_gates(x2, xp), axis=2)
        c = a1 * i1 + f1 * c1 + a2 * i2 + f2 * c2
        o = (x1 + x2)[:, 3::4]
        return c, sigmoid(o) * np.tanh(c)

    c, h = apply(
        "SLSTM",
        step,
        (c_prev1, c_prev2, x1, x2),
        check=lambda c_prev1, c_prev2, x1, x2: (
            c_prev1.dtype.kind == "f", c_prev2.dtype == c_prev1.dtype, x1.dtype == c_prev1.dtype,
            x2.dtype == c_prev1.dtype, c_prev1.ndim >= 2, c_prev2.ndim >= 2, x1.ndim >= 2, x2.ndim >= 2,
            c_prev1.ndim == x1.ndim, c_prev1.ndim == c_prev2.ndim, c_prev1.ndim == x2.ndim,
            c_prev1.shape[0] == x1.shape[0], c_prev1.shape[0] == c_prev2.shape[0],
            c_prev1.shape[0] == x2.shape[0], x1.shape[1] == 4 * c_prev1.shape[1],
            x2.shape[1] == 4 * c_prev2.shape[1], c_prev1.shape[2:] == x1.shape[2:],
            c_prev1.shape[2:] == c_prev2.shape[2:], c_prev1.shape[2:] == x2.shape[2:],
        ),
    )  # fmt: skip
    return c, h


SLSTM = function_class("SLSTM", slstm)

_extract_gates, _sigmoid = extract_gates, sigmoid
"""What links of programs use of this module, to set the biases of single gates."""
