"""The link of the matrix product with weights, plus a bias."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Self

from autodiff.chainer.functions.connection.linear import linear
from autodiff.chainer.link import Link
from autodiff.chainer.links.initial import bias, weight
from autodiff.facade import Variable


class Linear(Link):
    """x W^T + b.

    Args:
        in_size: how many features x has; None to learn it from the first x. Given alone it is ``out_size``.
        out_size: how many outputs there are.
        nobias: whether b is left out.
        initialW: an initializer, a number or an array (out_size, in_size); LeCunNormal if None.
        initial_bias: the same for b, (out_size,); zeros if None.

    Attributes:
        W: the weights (out_size, in_size).
        b: the bias (out_size,), or None.

    >>> import numpy as np
    >>> link = Linear(3, 2, initialW=1.0)
    >>> link(np.array([[1.0, 2.0, 3.0]], np.float32))
    variable([[6., 6.]])
    >>> print(link)
    Linear(in_size=3, out_size=2, nobias=False)
    """

    def __init__(
        self,
        in_size: int | None,
        out_size: int | None = None,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        if out_size is None:
            in_size, out_size = None, in_size
        self.in_size, self.out_size = in_size, out_size
        with self.init_scope():
            self.W = weight(initialW)
            if in_size is not None:
                self._initialize_params(in_size)
            self.b = None if nobias else bias(initial_bias, out_size)

    def _initialize_params(self, in_size: int) -> None:
        self.W.initialize((self.out_size, in_size))

    @property
    def printable_specs(self) -> Iterator[tuple[str, Any]]:
        yield "in_size", self.in_size
        yield "out_size", self.out_size
        yield "nobias", self.b is None

    @classmethod
    def from_params(cls, W: Any, b: Any = None, nobias: bool = False) -> Self:
        """A link with these weights and this bias, which are copied.

        Args:
            W: weights (out_size, in_size).
            b: bias (out_size,); zeros if None.
            nobias: whether the bias is left out.
        """
        out_size, in_size = W.shape
        return cls(in_size, out_size, nobias, getattr(W, "array", W), getattr(b, "array", b))

    def forward(self, x: Any, n_batch_axes: int = 1) -> Variable:
        """The outputs ``(s_1, ..., s_n, out_size)``.

        Args:
            x: (s_1, ..., s_n, features); features may have several axes.
            n_batch_axes: n.
        """
        if self.W.array is None:
            self._initialize_params(prod(x.shape[n_batch_axes:]))
        return linear(x, self.W, self.b, n_batch_axes)
