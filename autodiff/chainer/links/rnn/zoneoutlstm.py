"""Long short-term memories parts of whose state stay as they are, at random."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.device_resident import DeviceResidentsVisitor
from autodiff.chainer.functions.noise.zoneout import zoneout
from autodiff.chainer.functions.rnn.lstm import lstm
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.rnn.states import check_state, zero_state
from autodiff.chainer.utils.argument import refuse_unknown
from autodiff.facade import Variable


class StatefulZoneoutLSTM(Chain):
    """A long short-term memory that keeps its state, parts of which stay as they are, at random.

    While ``config.train`` is off, old and new state are mixed in the ratio instead.

    Args:
        in_size: how many inputs there are; None to learn it from the first ones.
        out_size: how many units there are.
        c_ratio: the share of the cell state that stays.
        h_ratio: the share of the output that stays.
        kwargs: nothing else is known.

    Attributes:
        c: the cell state, None in the beginning.
        h: the previous output, None in the beginning.

    Source: Krueger et al., Zoneout: Regularizing RNNs by Randomly Preserving Hidden Activations, 2017.

    >>> import numpy as np
    >>> link = StatefulZoneoutLSTM(3, 2)
    >>> link(np.ones((1, 3), "f")).shape
    (1, 2)
    """

    c: Variable | None = None
    h: Variable | None = None

    def __init__(
        self, in_size: int | None, out_size: int, c_ratio: float = 0.5, h_ratio: float = 0.5, **kwargs: Any
    ) -> None:
        refuse_unknown(kwargs, set(), type(self).__name__)
        super().__init__()
        self.state_size, self.c_ratio, self.h_ratio = out_size, c_ratio, h_ratio
        self.reset_state()
        with self.init_scope():
            self.upward = Linear(in_size, 4 * out_size)
            self.lateral = Linear(out_size, 4 * out_size, nobias=True)

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        for state in (self.c, self.h):
            if state is not None:
                visitor.visit_variable(state)

    def set_state(self, c: Variable, h: Variable) -> None:
        """Set cell state and previous output, Variables ``(n, out_size)``."""
        for name, state in (("c", c), ("h", h)):
            check_state(name, state)
            state.to_device(self.device)
        self.c, self.h = c, h

    def reset_state(self) -> None:
        """Forget the state."""
        self.c = self.h = None

    def forward(self, x: Any) -> Variable:
        """The output ``(n, out_size)`` for inputs ``(n, in_size)``."""
        gates = self.upward(x)
        if self.h is not None:
            gates = gates + self.lateral(self.h)
        c = zero_state(x, self.state_size) if self.c is None else self.c
        h = zero_state(x, self.state_size) if self.h is None else self.h
        c_next, h_next = lstm(c, gates)
        self.c = zoneout(c, c_next, self.c_ratio)
        self.h = zoneout(h, h_next, self.h_ratio)
        return self.h
