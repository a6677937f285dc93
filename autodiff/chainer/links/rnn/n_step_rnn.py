"""Layers of simple recurrent units over sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.chainer.chain_list import ChainList
from autodiff.chainer.functions.array.permutate import permutate
from autodiff.chainer.functions.array.transpose_sequence import transpose_sequence
from autodiff.chainer.functions.rnn.n_step_rnn import n_step_birnn, n_step_rnn
from autodiff.chainer.functions.rnn.removed import refuse_keywords
from autodiff.chainer.initializers import _get_initializer
from autodiff.chainer.link import Link
from autodiff.chainer.links.rnn.sorting import argsort
from autodiff.facade import Parameter, Variable, as_variable
from autodiff.trace.source import at_user_line


def argsort_list_descent(lst: Sequence[Any]) -> Any:
    """The numbers of sequences, the longest first; those of equal lengths as in Chainer."""
    return argsort([-len(x) for x in lst]).astype(np.int32)


def permutate_list(lst: Sequence[Any], indices: Sequence[int], inv: bool) -> list[Any]:
    """The entries in the given order; with ``inv`` brought back from it."""
    if not inv:
        return [lst[k] for k in indices]
    back = [None] * len(lst)
    for place, k in enumerate(indices):
        back[k] = lst[place]
    return back


class NStepRNNBase(ChainList):
    """Recurrent layers over sequences of any lengths, in any order.

    Each layer and direction is a link with weights ``w0``, ``w1``, ... and biases ``b0``, ``b1``, ...

    Args:
        n_layers: how many layers.
        in_size: how many inputs there are.
        out_size: how many units there are.
        dropout: the share of the inputs of all layers but the first that is dropped while ``config.train``.
        initialW: fills the weights; LeCunNormal if None.
        initial_bias: fills the biases; zeros if None.
        kwargs: ``use_cudnn`` of old versions is refused.
    """

    n_weights: int
    use_bi_direction: bool

    def __init__(
        self,
        n_layers: int,
        in_size: int,
        out_size: int,
        dropout: float,
        *,
        initialW: Any = None,
        initial_bias: Any = None,
        **kwargs: Any,
    ) -> None:
        refuse_keywords(type(self).__name__, kwargs)
        self.n_layers, self.out_size, self.dropout = n_layers, out_size, dropout
        self.direction = 2 if self.use_bi_direction else 1
        bias = 0 if initial_bias is None else initial_bias
        links = []
        for first in range(n_layers):
            inputs = in_size if first == 0 else out_size * self.direction
            links += [self._layer(inputs, _get_initializer(initialW), bias) for _ in range(self.direction)]
        super().__init__(*links)

    def _layer(self, inputs: int, initializer: Any, bias: Any) -> Link:
        """The weights and biases of one layer and direction."""
        layer = Link()
        with layer.init_scope():
            for k in range(self.n_weights):
                width = inputs if k < self.n_weights // 2 else self.out_size
                setattr(layer, f"w{k}", Parameter(initializer, (self.out_size, width)))
                setattr(layer, f"b{k}", Parameter(bias, (self.out_size,)))
        return layer

    @property
    def ws(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        return [[getattr(layer, f"w{k}") for k in range(self.n_weights)] for layer in self]

    @property
    def bs(self) -> list[list[Parameter]]:
        """The biases of each layer and direction."""
        return [[getattr(layer, f"b{k}") for k in range(self.n_weights)] for layer in self]

    @property
    def n_cells(self) -> int:
        """How many states there are."""
        raise NotImplementedError(f"{type(self).__name__}.n_cells")

    def rnn(self, *args: Any) -> Any:
        """The function of whole sequences."""
        raise NotImplementedError(f"{type(self).__name__}.rnn")

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The final states and the outputs of each sequence; subclasses say which states there are."""
        *states, xs = args
        return self._run(states, xs, **kwargs)

    def init_hx(self, xs: Sequence[Any]) -> Variable:
        """A state of zeros for these sequences."""
        shape = (self.n_layers * self.direction, len(xs), self.out_size)
        return as_variable(self.xp.zeros(shape, dtype=xs[0].dtype))

    def _run(self, states: Sequence[Any], xs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The final states and the outputs of each sequence."""
        refuse_keywords(type(self).__name__, kwargs)
        check_sequences(xs)
        order = argsort_list_descent(xs)
        sorted_states = [
            self.init_hx(xs) if state is None else permutate(self._checked(state, xs), order, axis=1)
            for state in states
        ]
        columns = transpose_sequence(permutate_list(xs, order, inv=False))
        *finals, ys = self.rnn(self.n_layers, self.dropout, *sorted_states, self.ws, self.bs, columns)
        outputs = permutate_list(transpose_sequence(ys), order, inv=True)
        return (*(permutate(state, order, axis=1, inv=True) for state in finals), outputs)

    def _checked(self, state: Any, xs: Sequence[Any]) -> Any:
        """A state, after a look whether it fits the sequences."""
        needed = (self.n_layers * self.direction, len(xs), self.out_size)
        if state.shape != needed:
            raise ValueError(
                f"{type(self).__name__} got a state of shape {state.shape}{at_user_line()}; {needed} is needed: layers "
                "times directions, sequences, units"
            )
        return state


def check_sequences(xs: Any) -> None:
    """See that there are sequences, none of them empty.

    Raises:
        TypeError: if they are no list.
        ValueError: if there are none, or one is empty.
    """
    if not isinstance(xs, (list, tuple)):
        raise TypeError(f"xs must be a list of sequences, got {type(xs).__name__}{at_user_line()}")
    if not xs or not all(map(len, xs)):
        raise ValueError(f"xs must be sequences that are not empty, got lengths {list(map(len, xs))}{at_user_line()}")


class NStepSimpleRNN(NStepRNNBase):
    """Layers of h' = activation(W x + b + U h + d)."""

    n_weights = 2
    activation = "tanh"

    @property
    def n_cells(self) -> int:
        return 1

    def rnn(self, *args: Any) -> Any:
        function: Callable[..., Any] = n_step_birnn if self.use_bi_direction else n_step_rnn
        return function(*args, activation=self.activation)

    def forward(self, hx: Any, xs: Sequence[Any], **kwargs: Any) -> tuple[Variable, list[Variable]]:
        """The final state and the outputs of each sequence.

        Args:
            hx: the initial state, ``(layers * directions, sequences, out_size)``; None for zeros.
            xs: the sequences, each ``(length, in_size)``.
            kwargs: ``train`` and ``use_cudnn`` of old versions are refused.
        """
        hy, ys = self._run((hx,), xs, **kwargs)
        return hy, ys


class NStepRNNTanh(NStepSimpleRNN):
    """Layers of h' = tanh(W x + b + U h + d) over sequences of any lengths; see :class:`NStepRNNBase`.

    >>> link = NStepRNNTanh(1, 3, 2, 0.0)
    >>> h, ys = link(None, [np.ones((4, 3), "f"), np.ones((2, 3), "f")])
    >>> h.shape, [y.shape for y in ys]
    ((1, 2, 2), [(4, 2), (2, 2)])
    """

    use_bi_direction = False


class NStepRNNReLU(NStepSimpleRNN):
    """Layers of h' = max(0, W x + b + U h + d) over sequences of any lengths; see :class:`NStepRNNBase`."""

    use_bi_direction = False
    activation = "relu"


class NStepBiRNNTanh(NStepSimpleRNN):
    """Layers of h' = tanh(W x + b + U h + d), forwards and backwards; see :class:`NStepRNNBase`."""

    use_bi_direction = True


class NStepBiRNNReLU(NStepSimpleRNN):
    """Layers of h' = max(0, W x + b + U h + d), forwards and backwards; see :class:`NStepRNNBase`."""

    use_bi_direction = True
    activation = "relu"
