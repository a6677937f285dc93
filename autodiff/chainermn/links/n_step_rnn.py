"""Recurrent networks of which the steps are in several processes."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.links.rnn.n_step_rnn import NStepRNNBase
from autodiff.chainermn.functions import pseudo_connect, recv, send
from autodiff.trace.source import at_user_line


def create_multi_node_n_step_rnn(
    actual_link: Any, communicator: Any, rank_in: int | None = None, rank_out: int | None = None
) -> Any:
    """A recurrent network that begins with the states of one process and sends its own to another.

    Args:
        actual_link: an ``NStepRNN``, ``NStepLSTM``, ``NStepGRU`` or one that goes both ways.
        communicator: the communicator.
        rank_in: from whom the first states come; zeros if None.
        rank_out: to whom the last states go; to nobody if None.

    Returns:
        a link that takes the inputs without states, and returns what ``actual_link`` does, and behind it the delegate
        from which backpropagation begins; None where nothing is sent.

    Raises:
        ValueError: if the link is another one.
    """
    return _MultiNodeNStepRNN(actual_link, communicator, rank_in, rank_out)


class _MultiNodeNStepRNN(Chain):
    """What :func:`create_multi_node_n_step_rnn` makes."""

    actual_rnn: Any

    def __init__(self, link: Any, communicator: Any, rank_in: int | None, rank_out: int | None) -> None:
        if not isinstance(link, NStepRNNBase):
            raise ValueError(f"link must be NStepRNN and its inherited link{at_user_line()}, got {type(link).__name__}")
        super().__init__(actual_rnn=link)
        self.communicator, self.rank_in, self.rank_out = communicator, rank_in, rank_out
        self.n_cells = link.n_cells

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        cells: list[Any] = [None] * self.n_cells
        if self.rank_in is not None:
            for k in range(self.n_cells):
                cells[k] = recv(self.communicator, self.rank_in, cells[k - 1] if k else None)
        *states, ys = self.actual_rnn(*cells, *inputs)
        delegate = None
        if self.rank_out is not None:
            for state in states:
                own = state if delegate is None else pseudo_connect(delegate, state)[0]
                delegate = send(own, self.communicator, self.rank_out)
        return (*states, ys, delegate)
