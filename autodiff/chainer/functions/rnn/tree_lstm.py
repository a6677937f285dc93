"""A long short-term memory with any number of children."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.rnn.gates import sigmoid
from autodiff.facade import Variable
from autodiff.facade.functions.invalid import invalid
from autodiff.facade.graph.applying import apply


def tree_lstm(*inputs: Any) -> tuple[Variable, Variable]:
    """c = tanh(a) sigmoid(i) + the sum of sigmoid(f_k) c_k over the children, and h = sigmoid(o) tanh(c).

    Args:
        inputs: the cell states of the k children, each ``(n, units)``, floats; then x, ``(n, (3 + k) units)``, with
            the columns a, i, o, f_1, ..., f_k.

    Returns:
        the new cell state and the output, ``(n, units)``.

    Raises:
        InvalidType: if shapes or dtypes are others.

    Source: Tai et al., Improved Semantic Representations From Tree-Structured Long Short-Term Memory Networks, 2015.

    >>> c, h = tree_lstm(np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 5)))
    >>> c
    variable([[1.]])
    """
    if len(inputs) < 2:
        raise invalid("TreeLSTM", "in_types.size >= 2", f"{len(inputs)} < 2", "Give it the cell states, then x.")

    def step(*inputs: Any) -> tuple[Any, Any]:
        *children, x = inputs
        units = children[0].shape[1]
        i, o, *forget = np.split(sigmoid(x[:, units:]), len(children) + 2, axis=1)
        c = np.tanh(x[:, :units]) * i + sum(f * child for f, child in zip(forget, children))
        return c, o * np.tanh(c)

    c, h = apply("TreeLSTM", step, inputs, check=fitting)
    return c, h


def fitting(*types: Any) -> tuple[Any, ...]:
    """The conditions on the children and x."""
    *children, x = types
    return (
        *(child.dtype.kind == "f" for child in children), *(x.dtype == child.dtype for child in children), x.ndim >= 2,
        *(x.ndim == child.ndim for child in children), *(x.shape[0] == child.shape[0] for child in children),
        *(x.shape[1] == (3 + len(children)) * child.shape[1] for child in children),
        *(x.shape[2:] == child.shape[2:] for child in children),
    )  # fmt: skip


TreeLSTM = function_class("TreeLSTM", tree_lstm, called=True)
