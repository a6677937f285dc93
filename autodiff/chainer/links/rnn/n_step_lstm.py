"""Layers of long short-term memories over sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.chainer.functions.rnn.n_step_lstm import n_step_bilstm, n_step_lstm
from autodiff.chainer.links.rnn.n_step_rnn import NStepRNNBase, argsort_list_descent, permutate_list
from autodiff.facade import Variable

__all__ = [
    "NStepBiLSTM",
    "NStepLSTM",
    "NStepLSTMBase",
    "argsort_list_descent",  # with this function and the next one, programs for Chainer 1 to 5 order sequences
    "permutate_list",
]


class NStepLSTMBase(NStepRNNBase):
    """Layers of long short-term memories; see :func:`autodiff.chainer.functions.n_step_lstm`."""

    n_weights = 8

    @property
    def n_cells(self) -> int:
        return 2

    def rnn(self, *args: Any) -> Any:
        function: Callable[..., Any] = n_step_bilstm if self.use_bi_direction else n_step_lstm
        return function(*args)

    def forward(self, hx: Any, cx: Any, xs: Sequence[Any], **kwargs: Any) -> tuple[Variable, Variable, list[Variable]]:
        """The final output and cell states, and the outputs of each sequence.

        Args:
            hx: initial output, ``(layers * directions, sequences, out_size)``; None for zeros.
            cx: initial cell state, of the same shape; None for zeros.
            xs: the sequences, each ``(length, in_size)``.
            kwargs: ``train`` and ``use_cudnn`` of old versions are refused.
        """
        hy, cy, ys = self._run((hx, cx), xs, **kwargs)
        return hy, cy, ys


class NStepLSTM(NStepLSTMBase):
    """Layers of long short-term memories over sequences of any lengths; see :class:`NStepRNNBase`.

    >>> import numpy as np
    >>> link = NStepLSTM(1, 3, 2, 0.0)
    >>> h, c, ys = link(None, None, [np.ones((4, 3), "f"), np.ones((2, 3), "f")])
    >>> h.shape, c.shape, [y.shape for y in ys]
    ((1, 2, 2), (1, 2, 2), [(4, 2), (2, 2)])
    """

    use_bi_direction = False


class NStepBiLSTM(NStepLSTMBase):
    """Layers of long short-term memories, forwards and backwards; see :class:`NStepRNNBase`."""

    use_bi_direction = True
