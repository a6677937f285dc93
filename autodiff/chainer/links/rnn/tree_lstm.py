"""Long short-term memories over trees."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.functions.rnn.tree_lstm import tree_lstm
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.rnn.states import joined, zero_state
from autodiff.facade import Variable
from autodiff.trace.source import at_user_line


class ChildSumTreeLSTM(Chain):
    """A long short-term memory with any number of children, whose outputs are added.

    Args:
        in_size: how many inputs there are; None to learn it from the first ones.
        out_size: how many units there are.

    Source: Tai et al., Improved Semantic Representations From Tree-Structured Long Short-Term Memory Networks, 2015.

    >>> import numpy as np
    >>> c, h = ChildSumTreeLSTM(3, 2)(np.ones((1, 3), "f"))
    >>> c.shape, h.shape
    ((1, 2), (1, 2))
    """

    def __init__(self, in_size: int | None, out_size: int) -> None:
        super().__init__()
        with self.init_scope():
            self.W_x = Linear(in_size, 4 * out_size)
            self.W_h_aio = Linear(out_size, 3 * out_size, nobias=True)
            self.W_h_f = Linear(out_size, out_size, nobias=True)
        self.in_size, self.state_size = in_size, out_size

    def forward(self, *cshsx: Any) -> tuple[Variable, Variable]:
        """The cell state and the output, ``(n, out_size)``.

        Args:
            cshsx: the cell states of all children, then their outputs, ``(n, out_size)`` or None for zeros; then the
                inputs ``(n, in_size)``, None for zeros. There may be no children.
        """
        cs, hs, x = children(cshsx, self.state_size, self.in_size)
        gates = self.W_x(x)
        if not cs:
            zeros = zero_state(x, self.state_size)
            return tree_lstm(zeros, gates)
        aio, f = gates[:, : 3 * self.state_size], gates[:, 3 * self.state_size :]
        aio = aio + self.W_h_aio(sum(hs[1:], hs[0]))
        return tree_lstm(*cs, joined((aio, *(f + self.W_h_f(h) for h in hs)), axis=1))


class NaryTreeLSTM(Chain):
    """A long short-term memory with a fixed number of children, each with its own weights.

    Args:
        in_size: how many inputs there are; None to learn it from the first ones.
        out_size: how many units there are.
        n_ary: how many children there are.

    Source: Tai et al., Improved Semantic Representations From Tree-Structured Long Short-Term Memory Networks, 2015.

    >>> import numpy as np
    >>> c, h = NaryTreeLSTM(3, 2)(None, None, None, None, np.ones((1, 3), "f"))
    >>> c.shape, h.shape
    ((1, 2), (1, 2))
    """

    def __init__(self, in_size: int | None, out_size: int, n_ary: int = 2) -> None:
        if n_ary < 1:
            raise ValueError(f"n_ary must be at least 1, got {n_ary}{at_user_line()}")
        super().__init__()
        with self.init_scope():
            self.W_x = Linear(in_size, (3 + n_ary) * out_size)
            for k in range(1, n_ary + 1):
                setattr(self, f"W_h{k}", Linear(out_size, (3 + n_ary) * out_size, nobias=True))
        self.in_size, self.state_size, self.n_ary = in_size, out_size, n_ary

    def forward(self, *cshsx: Any) -> tuple[Variable, Variable]:
        """The cell state and the output, ``(n, out_size)``.

        Args:
            cshsx: the cell states of all children, then their outputs, ``(n, out_size)`` or None for zeros; then the
                inputs ``(n, in_size)``, None for zeros.
        """
        cs, hs, x = children(cshsx, self.state_size, self.in_size)
        if len(cs) != self.n_ary:
            raise ValueError(f"got {len(cs)} children{at_user_line()}; there must be n_ary = {self.n_ary}")
        gates = self.W_x(x)
        for k, h in enumerate(hs, 1):
            gates = gates + self[f"W_h{k}"](h)
        return tree_lstm(*cs, gates)


def children(cshsx: tuple[Any, ...], units: int, inputs: int | None) -> tuple[list[Any], list[Any], Any]:
    """Cell states, outputs and inputs, with zeros where they are missing.

    Raises:
        ValueError: if there is not an output for each cell state, if nothing is there at all, or if there are no inputs
            to a link that learns their number from them.
    """
    if len(cshsx) % 2 == 0:
        raise ValueError(
            f"got {len(cshsx)} arguments{at_user_line()}; the cell states of all children are needed, as many outputs, "
            "and the inputs"
        )
    *states, x = cshsx
    if x is None:
        like = next((state for state in states if state is not None), None)
        if like is None or inputs is None:
            missing = "neither inputs nor states" if like is None else "no inputs, of which in_size=None is learned"
            raise ValueError(f"got {missing}{at_user_line()}")
        x = zero_state(like, inputs)
    states = [zero_state(x, units) if state is None else state for state in states]
    return states[: len(states) // 2], states[len(states) // 2 :], x
