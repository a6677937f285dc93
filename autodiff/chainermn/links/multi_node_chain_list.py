"""A model whose links live in several processes."""

from __future__ import annotations

from collections import deque
from typing import Any

from autodiff.chainer.chain_list import ChainList
from autodiff.chainermn.functions import pseudo_connect, recv, send
from autodiff.trace.source import at_user_line

TWICE = "MultiNodeChainList cannot have more than two computational graph component whose rank_out is None"


class MultiNodeChainList(ChainList):
    """The links of this process, of a model that goes from process to process.

    Links run in the order in which they were added. Each gets the inputs, or what other processes send, and gives the
    output, or sends what it gives. Backpropagation goes the other way, from what a call returns.

    Args:
        comm: the communicator.
    """

    def __init__(self, comm: Any) -> None:
        super().__init__()
        self._comm = comm
        self._rank_inouts: list[tuple[Any, Any]] = []

    def add_link(self, link: Any, rank_in: Any = None, rank_out: Any = None) -> None:
        """Add a link.

        Args:
            link: the link.
            rank_in: from whom its inputs come, a rank or a list of them; None for the inputs of the model.
            rank_out: to whom its output goes, a rank or a list of them; None for the output of the model.

        Raises:
            ValueError: if a second link would give the output of the model.
        """
        if rank_out is None and any(out is None for _, out in self._rank_inouts):
            raise ValueError(TWICE + at_user_line())
        super().add_link(link)
        self._rank_inouts.append((ranks(rank_in), ranks(rank_out)))

    def __call__(self, *inputs: Any) -> Any:
        """What the link without ``rank_out`` gives; a Variable that holds nothing if there is none."""
        own: deque[Any] = deque()  # what links of this process send to each other
        output, last = None, None
        for number, (link, (rank_in, rank_out)) in enumerate(zip(self._children, self._rank_inouts, strict=True)):
            if rank_in is not None:
                received = []
                for rank in rank_in:
                    received.append(self._received(rank, last, own))
                    last = received[-1]
                x = link(*received)
            elif number == 0:
                x = link(*inputs)
            else:
                x = link(*pseudo_connect(last, *inputs))
            if rank_out is None:
                output = last = x
                continue
            last = None
            for rank in rank_out:
                if last is not None:
                    (x,) = pseudo_connect(last, x)
                if rank == self._comm.rank:
                    own.append(x)
                    last = x
                else:
                    last = send(x, self._comm, rank)
        if own:
            raise ValueError(
                f"a link sends to its own process what no link receives{at_user_line()}: rank_in and rank_out must "
                "correspond to each other"
            )
        if output is None or output is last:
            return last
        return pseudo_connect(last, output)[0]

    def _received(self, rank: int, last: Any, own: deque[Any]) -> Any:
        """What comes from a process; ``last`` is backpropagated after it."""
        if rank != self._comm.rank:
            return recv(self._comm, rank, delegate_variable=last)
        if not own:
            raise ValueError(f"a link receives from its own process what no link has sent before{at_user_line()}")
        return own.popleft() if last is None else pseudo_connect(last, own.popleft())[0]


def ranks(value: Any) -> list[int] | None:
    """A list of ranks; None for none."""
    return [value] if isinstance(value, int) else None if value is None else list(value)
