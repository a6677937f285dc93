"""Long short-term memories whose gates see the cell state."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.chain import Chain
from autodiff.chainer.device_resident import DeviceResidentsVisitor
from autodiff.chainer.functions.activation.sigmoid import sigmoid
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.rnn.states import zero_state
from autodiff.facade import Variable


class StatefulPeepholeLSTM(Chain):
    """A long short-term memory whose gates see the cell state, and which keeps its state.

    With a, i, f, o the columns of W x + U h as in :class:`LSTM`,
    c' = tanh(a) sigmoid(i + P_i c) + sigmoid(f + P_f c) c and h' = sigmoid(o + P_o c') tanh(c').

    Args:
        in_size: how many inputs there are; None to learn it from the first ones.
        out_size: how many units there are.

    Attributes:
        c: the cell state, None in the beginning.
        h: the previous output, None in the beginning.

    Source: Gers et al., Learning Precise Timing with LSTM Recurrent Networks, 2002.

    >>> link = StatefulPeepholeLSTM(3, 2)
    >>> link(np.ones((1, 3), "f")).shape
    (1, 2)
    """

    c: Variable | None = None
    h: Variable | None = None

    def __init__(self, in_size: int | None, out_size: int) -> None:
        super().__init__()
        self.state_size = out_size
        self.reset_state()
        with self.init_scope():
            self.upward = Linear(in_size, 4 * out_size)
            self.lateral = Linear(out_size, 4 * out_size, nobias=True)
            self.peep_i = Linear(out_size, out_size, nobias=True)
            self.peep_f = Linear(out_size, out_size, nobias=True)
            self.peep_o = Linear(out_size, out_size, nobias=True)

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        for state in (self.c, self.h):
            if state is not None:
                visitor.visit_variable(state)

    def reset_state(self) -> None:
        """Forget the state."""
        self.c = self.h = None

    def forward(self, x: Any) -> Variable:
        """The output ``(n, out_size)`` for inputs ``(n, in_size)``."""
        gates = self.upward(x)
        if self.h is not None:
            gates = gates + self.lateral(self.h)
        c = zero_state(x, self.state_size) if self.c is None else self.c
        a, i, f, o = (gates[:, k::4] for k in range(4))
        self.c = np.tanh(a) * sigmoid(i + self.peep_i(c)) + sigmoid(f + self.peep_f(c)) * c
        self.h = sigmoid(o + self.peep_o(self.c)) * np.tanh(self.c)
        return self.h
