"""Minimal gated units."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.chain import Chain
from autodiff.chainer.device_resident import DeviceResidentsVisitor
from autodiff.chainer.functions.activation.sigmoid import sigmoid
from autodiff.chainer.functions.math.linear_interpolate import linear_interpolate
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.rnn.states import check_state, joined, zero_state
from autodiff.facade import Variable


class MGUBase(Chain):
    """The weights of a minimal gated unit.

    Args:
        n_inputs: how many inputs there are.
        n_units: how many units there are.
    """

    def __init__(self, n_inputs: int, n_units: int) -> None:
        super().__init__()
        with self.init_scope():
            self.W_f = Linear(n_inputs + n_units, n_units)
            self.W_h = Linear(n_inputs + n_units, n_units)

    def _call_mgu(self, h: Any, x: Any) -> Variable:
        """The next output after h."""
        f = sigmoid(self.W_f(joined((h, x), axis=1)))
        g = np.tanh(self.W_h(joined((f * h, x), axis=1)))
        return linear_interpolate(f, g, h)


class StatelessMGU(MGUBase):
    """A minimal gated unit that gets its state and returns the next one.

    f = sigmoid(W_f [h, x]), g = tanh(W_h [f h, x]), h' = (1 - f) h + f g.

    Args:
        n_inputs: how many inputs there are.
        n_units: how many units there are.

    Source: Zhou et al., Minimal Gated Unit for Recurrent Neural Networks, 2016.

    >>> StatelessMGU(3, 2)(np.zeros((1, 2), "f"), np.ones((1, 3), "f")).shape
    (1, 2)
    """

    def forward(self, h: Any, x: Any) -> Variable:
        """The next output ``(n, n_units)`` after h, for inputs ``(n, n_inputs)``."""
        return self._call_mgu(h, x)


class StatefulMGU(MGUBase):
    """A minimal gated unit that keeps its state; see :class:`StatelessMGU`.

    Args:
        in_size: how many inputs there are.
        out_size: how many units there are.

    Attributes:
        h: the previous output, None in the beginning.

    >>> link = StatefulMGU(3, 2)
    >>> link(np.ones((1, 3), "f")).shape
    (1, 2)
    """

    h: Variable | None = None

    def __init__(self, in_size: int, out_size: int) -> None:
        super().__init__(in_size, out_size)
        self._state_size = out_size
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
        self.h = self._call_mgu(zero_state(x, self._state_size) if self.h is None else self.h, x)
        return self.h
