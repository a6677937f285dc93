"""Layers of gated recurrent units over sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.chainer.functions.rnn.n_step_gru import n_step_bigru, n_step_gru
from autodiff.chainer.links.rnn.n_step_rnn import NStepRNNBase, argsort_list_descent, permutate_list
from autodiff.facade import Variable

__all__ = [
    "NStepBiGRU",
    "NStepGRU",
    "NStepGRUBase",
    "argsort_list_descent",  # with this function and the next one, programs for Chainer 1 to 5 order sequences
    "permutate_list",
]


class NStepGRUBase(NStepRNNBase):
    """Layers of gated recurrent units; see :func:`autodiff.chainer.functions.n_step_gru`."""

    n_weights = 6

    @property
    def n_cells(self) -> int:
        return 1

    def rnn(self, *args: Any) -> Any:
        function: Callable[..., Any] = n_step_bigru if self.use_bi_direction else n_step_gru
        return function(*args)

    def forward(self, hx: Any, xs: Sequence[Any], **kwargs: Any) -> tuple[Variable, list[Variable]]:
        """The final state and the outputs of each sequence.

        Args:
            hx: the initial state, ``(layers * directions, sequences, out_size)``; None for zeros.
            xs: the sequences, each ``(length, in_size)``.
            kwargs: ``train`` and ``use_cudnn`` of old versions are refused.
        """
        hy, ys = self._run((hx,), xs, **kwargs)
        return hy, ys


class NStepGRU(NStepGRUBase):
    """Layers of gated recurrent units over sequences of any lengths; see :class:`NStepRNNBase`.

    >>> import numpy as np
    >>> link = NStepGRU(1, 3, 2, 0.0)
    >>> h, ys = link(None, [np.ones((4, 3), "f"), np.ones((2, 3), "f")])
    >>> h.shape, [y.shape for y in ys]
    ((1, 2, 2), [(4, 2), (2, 2)])
    """

    use_bi_direction = False


class NStepBiGRU(NStepGRUBase):
    """Layers of gated recurrent units, forwards and backwards; see :class:`NStepRNNBase`."""

    use_bi_direction = True
