"""Gated recurrent units."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.chain import Chain
from autodiff.chainer.device_resident import DeviceResidentsVisitor
from autodiff.chainer.functions.activation.sigmoid import sigmoid
from autodiff.chainer.functions.math.linear_interpolate import linear_interpolate
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.rnn.states import check_state
from autodiff.facade import Variable
from autodiff.trace.source import at_user_line


class GRUBase(Chain):
    """The weights of a gated recurrent unit.

    Args:
        in_size: how many inputs there are; None to learn it from the first ones.
        out_size: how many units there are.
        init: fills the weights of the input; LeCunNormal if None.
        inner_init: fills the weights of the previous output; LeCunNormal if None.
        bias_init: fills the biases; zeros if None.
    """

    def __init__(
        self, in_size: int | None, out_size: int, init: Any = None, inner_init: Any = None, bias_init: Any = None
    ) -> None:
        super().__init__()
        upward = {"initialW": init, "initial_bias": bias_init}
        inner = {"initialW": inner_init, "initial_bias": bias_init}
        with self.init_scope():
            self.W_r, self.U_r = Linear(in_size, out_size, **upward), Linear(out_size, out_size, **inner)
            self.W_z, self.U_z = Linear(in_size, out_size, **upward), Linear(out_size, out_size, **inner)
            self.W, self.U = Linear(in_size, out_size, **upward), Linear(out_size, out_size, **inner)

    def _step(self, h: Any, x: Any) -> Variable:
        """The next output after h."""
        r = sigmoid(self.W_r(x) + self.U_r(h))
        z = sigmoid(self.W_z(x) + self.U_z(h))
        g = np.tanh(self.W(x) + self.U(r * h))
        return linear_interpolate(z, g, h)


class StatelessGRU(GRUBase):
    """A gated recurrent unit that gets its state and returns the next one.

    r = sigmoid(W_r x + U_r h), z = sigmoid(W_z x + U_z h), g = tanh(W x + U (r h)), h' = (1 - z) h + z g, each sum
    with the biases of both links.

    Args:
        in_size: how many inputs there are; None to learn it from the first ones.
        out_size: how many units there are.
        init: fills the weights of the input; LeCunNormal if None.
        inner_init: fills the weights of the previous output; LeCunNormal if None.
        bias_init: fills the biases; zeros if None.

    >>> StatelessGRU(3, 2)(np.zeros((1, 2), "f"), np.ones((1, 3), "f")).shape
    (1, 2)
    """

    def forward(self, h: Any, x: Any) -> Variable:
        """The next output ``(n, out_size)``.

        Args:
            h: the previous output ``(n, out_size)``.
            x: inputs ``(n, in_size)``.
        """
        return self._step(h, x)


class StatefulGRU(GRUBase):
    """A gated recurrent unit that keeps its state; see :class:`StatelessGRU`.

    Args:
        in_size: how many inputs there are; None to learn it from the first ones.
        out_size: how many units there are.
        init: fills the weights of the input; LeCunNormal if None.
        inner_init: fills the weights of the previous output; LeCunNormal if None.
        bias_init: fills the biases; zeros by default.

    Attributes:
        h: the previous output, None in the beginning.

    >>> link = StatefulGRU(3, 2)
    >>> link(np.ones((1, 3), "f")).shape
    (1, 2)
    """

    h: Variable | None = None

    def __init__(
        self, in_size: int | None, out_size: int, init: Any = None, inner_init: Any = None, bias_init: Any = 0
    ) -> None:
        super().__init__(in_size, out_size, init, inner_init, bias_init)
        self.state_size = out_size
        self.reset_state()

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        if self.h is not None:
            visitor.visit_variable(self.h)

    def set_state(self, h: Variable) -> None:
        """Set the previous output, a Variable ``(n, out_size)``."""
        check_state("h", h)
        h.to_device(self.device)
        self.h = h

    def reset_state(self) -> None:
        """Forget the state."""
        self.h = None

    def forward(self, x: Any) -> Variable:
        """The output ``(n, out_size)`` for inputs ``(n, in_size)``."""
        if self.h is None:
            self.h = sigmoid(self.W_z(x)) * np.tanh(self.W(x))  # no previous output: it counts as zeros
        else:
            self.h = self._step(self.h, x)
        return self.h


class GRU(StatefulGRU):
    """A gated recurrent unit that keeps its state: :class:`StatefulGRU`."""

    def forward(self, *args: Any) -> Variable:
        """The output ``(n, out_size)`` for inputs ``(n, in_size)``.

        Raises:
            ValueError: if the state is given, too, as it was to Chainer 1's GRU.
        """
        if len(args) != 1:
            raise ValueError(
                f"GRU takes the inputs alone, got {len(args)} arguments{at_user_line()}; since Chainer 2 it keeps its "
                "state, use StatelessGRU to give it"
            )
        return super().forward(args[0])
