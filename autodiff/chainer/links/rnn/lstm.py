"""Long short-term memories."""

from __future__ import annotations

from math import prod
from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.device_resident import DeviceResidentsVisitor
from autodiff.chainer.functions.rnn.lstm import lstm
from autodiff.chainer.initializers import _get_initializer
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.rnn.states import check_state, joined, zero_state
from autodiff.facade import Variable
from autodiff.trace.source import at_user_line


class LSTMBase(Chain):
    """The weights of a long short-term memory.

    Args:
        in_size: how many inputs there are; None to learn it from the first ones. Given alone it is ``out_size``.
        out_size: how many units there are.
        lateral_init: fills each of the four blocks of the weights of the previous output; LeCunNormal if None.
        upward_init: the same for the weights of the input.
        bias_init: fills the biases of a, i and o; zeros if None.
        forget_bias_init: fills the biases of f; ones if None.
    """

    def __init__(
        self,
        in_size: int | None,
        out_size: int | None = None,
        lateral_init: Any = None,
        upward_init: Any = None,
        bias_init: Any = None,
        forget_bias_init: Any = None,
    ) -> None:
        inputs, units = (None, in_size) if out_size is None else (in_size, out_size)
        if units is None:
            raise TypeError(f"{type(self).__name__} needs to know out_size{at_user_line()}")
        super().__init__()
        self.state_size = units
        self.lateral_init, self.upward_init = lateral_init, upward_init
        self.bias_init = 0 if bias_init is None else bias_init
        self.forget_bias_init = 1 if forget_bias_init is None else forget_bias_init
        with self.init_scope():
            self.upward = Linear(inputs, 4 * units, initialW=0)
            self.lateral = Linear(units, 4 * units, initialW=0, nobias=True)
        if inputs is not None:
            self._initialize_params()

    def _initialize_params(self) -> None:
        lateral, upward = _get_initializer(self.lateral_init), _get_initializer(self.upward_init)
        for start in range(0, 4 * self.state_size, self.state_size):
            lateral(self.lateral.W.array[start : start + self.state_size])
            upward(self.upward.W.array[start : start + self.state_size])
        bias: Any = self.upward.b
        a, i, f, o = bias.array.reshape(self.state_size, 4).T
        for column in (a, i, o):
            _get_initializer(self.bias_init)(column)
        _get_initializer(self.forget_bias_init)(f)

    def _project(self, x: Any) -> Any:
        """The inputs times their weights; the weights are made if this is the first time."""
        if self.upward.W.array is None:
            self.upward._initialize_params(prod(x.shape[1:]))
            self._initialize_params()
        return self.upward(x)


class StatelessLSTM(LSTMBase):
    """A long short-term memory that gets its state and returns it.

    Args:
        in_size: how many inputs there are; None to learn it from the first ones. Given alone it is ``out_size``.
        out_size: how many units there are.
        lateral_init: fills each of the four blocks of the weights of the previous output; LeCunNormal if None.
        upward_init: the same for the weights of the input.
        bias_init: fills the biases of a, i and o; zeros if None.
        forget_bias_init: fills the biases of f; ones if None.

    >>> import numpy as np
    >>> c, h = StatelessLSTM(3, 2)(None, None, np.ones((1, 3), "f"))
    >>> c.shape, h.shape
    ((1, 2), (1, 2))
    """

    def forward(self, c: Any, h: Any, x: Any) -> tuple[Variable, Variable]:
        """The new cell state and output.

        Args:
            c: the cell state ``(n, out_size)``; None for zeros.
            h: the previous output ``(n, out_size)``; None for zeros.
            x: inputs ``(n, in_size)``.
        """
        gates = self._project(x)
        if h is not None:
            gates = gates + self.lateral(h)
        return lstm(zero_state(x, self.state_size) if c is None else c, gates)


class LSTM(LSTMBase):
    """A long short-term memory that keeps its state.

    Args:
        in_size: how many inputs there are; None to learn it from the first ones. Given alone it is ``out_size``.
        out_size: how many units there are.
        lateral_init: fills each of the four blocks of the weights of the previous output; LeCunNormal if None.
        upward_init: the same for the weights of the input.
        bias_init: fills the biases of a, i and o; zeros if None.
        forget_bias_init: fills the biases of f; ones if None.

    Attributes:
        c: the cell state, None in the beginning.
        h: the previous output, None in the beginning.

    >>> import numpy as np
    >>> link = LSTM(3, 2)
    >>> link(np.ones((1, 3), "f")).shape
    (1, 2)
    >>> link.reset_state()
    >>> link.h is None
    True
    """

    c: Variable | None = None
    h: Variable | None = None

    def __init__(
        self,
        in_size: int | None,
        out_size: int | None = None,
        lateral_init: Any = None,
        upward_init: Any = None,
        bias_init: Any = None,
        forget_bias_init: Any = None,
    ) -> None:
        super().__init__(in_size, out_size, lateral_init, upward_init, bias_init, forget_bias_init)
        self.reset_state()

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
        """The output ``(m, out_size)``.

        Args:
            x: inputs ``(m, in_size)``: sequences that have ended, at the end of the batch, are left out.

        Raises:
            TypeError: if there are more inputs than states.
        """
        gates, batch, rest = self._project(x), x.shape[0], None
        if self.h is not None:
            if batch > self.h.shape[0]:
                raise TypeError(
                    f"{batch} inputs for {self.h.shape[0]} states{at_user_line()}: the batch of x must not grow; "
                    "call reset_state() before new sequences"
                )
            previous = self.h
            if batch < self.h.shape[0]:
                previous, rest = self.h[:batch], self.h[batch:]
            gates = gates + self.lateral(previous) if batch else gates
        self.c, y = lstm(zero_state(x, self.state_size) if self.c is None else self.c, gates)
        self.h = y if rest is None else joined((y, rest))
        return y
