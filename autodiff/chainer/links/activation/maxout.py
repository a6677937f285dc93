"""The link of the largest of several linear maps."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.functions.activation.maxout import maxout
from autodiff.chainer.initializer import Initializer
from autodiff.chainer.links.connection.linear import Linear
from autodiff.facade import Variable
from autodiff.facade.variables.variable import is_array
from autodiff.trace.source import at_user_line


class Maxout(Chain):
    """y[n, o] = the largest of x[n] W[o, p] + b[o, p] over p.

    Args:
        in_size: how many features x has; None to learn it from the first x.
        out_size: how many outputs there are.
        pool_size: how many linear maps each output has.
        initialW: an initializer, a number, an array (out_size, pool_size, in_size) or a function that fills one;
            LeCunNormal if None.
        initial_bias: the same for b, (out_size, pool_size); None for no bias.

    Attributes:
        linear: the linear maps, one behind another.

    Raises:
        ValueError: if an array has another number of axes.

    Source: I. Goodfellow et al., Maxout Networks, 2013.

    >>> import numpy as np
    >>> Maxout(1, 1, 2, initialW=np.array([[[1.0], [-1.0]]]))(np.array([[-3.0]], np.float32))
    variable([[3.]])
    """

    def __init__(
        self, in_size: int | None, out_size: int, pool_size: int, initialW: Any = None, initial_bias: Any = 0
    ) -> None:
        super().__init__()
        self.out_size, self.pool_size = out_size, pool_size
        maps = (out_size, pool_size)
        initialW, bias = flat("initialW", initialW, 3, maps), flat("initial_bias", initial_bias, 2, maps)
        with self.init_scope():
            self.linear = Linear(in_size, out_size * pool_size, initial_bias is None, initialW, bias)

    def forward(self, x: Any) -> Variable:
        """The outputs (N, out_size) for x (N, in_size)."""
        return maxout(self.linear(x), self.pool_size)


def flat(name: str, initial: Any, ndim: int, maps: tuple[int, int]) -> Any:
    """What fills a parameter in which the linear maps are one behind another.

    An array has an axis for outputs and one for their maps, and so has what a function is called with.

    Raises:
        ValueError: if it is an array with another number of axes.
    """
    if callable(initial) and not isinstance(initial, Initializer):
        return lambda array: initial(array.reshape(*maps, *array.shape[1:]))
    if not is_array(initial):
        return initial
    if initial.ndim != ndim:
        raise ValueError(f"{name}.ndim should be {ndim}, got an array of shape {initial.shape}{at_user_line()}")
    return initial.reshape(-1, *initial.shape[2:])
