"""The link that looks up rows of its weights."""

from __future__ import annotations

from typing import Any, Self

from autodiff.chainer.functions.connection.embed_id import embed_id
from autodiff.chainer.initializers import Normal
from autodiff.chainer.link import Link
from autodiff.chainer.links.initial import weight
from autodiff.facade import Variable


class EmbedID(Link):
    """y[i] = W[x[i]].

    Args:
        in_size: how many integers there are.
        out_size: how long the vector of each is.
        initialW: an initializer, a number or an array (in_size, out_size); Normal(1.0) if None.
        ignore_label: the integer for which the vector is zeros, and nothing is learned.

    Attributes:
        W: the vectors (in_size, out_size).

    >>> import numpy as np
    >>> EmbedID(2, 1, initialW=np.array([[3.0], [4.0]]), ignore_label=-1)(np.array([1, -1]))
    variable([[4.],
              [0.]])
    """

    ignore_label: int | None = None  # old pickles have none

    def __init__(self, in_size: int, out_size: int, initialW: Any = None, ignore_label: int | None = None) -> None:
        super().__init__()
        self.ignore_label = ignore_label
        with self.init_scope():
            self.W = weight(Normal(1.0) if initialW is None else initialW, (in_size, out_size))

    @classmethod
    def from_params(cls, W: Any, ignore_label: int | None = None) -> Self:
        """A link with these vectors, which are copied.

        Args:
            W: the vectors (in_size, out_size).
            ignore_label: the integer that has none.
        """
        in_size, out_size = W.shape
        return cls(in_size, out_size, getattr(W, "array", W), ignore_label)

    def forward(self, x: Any) -> Variable:
        """The vectors (shape of x, out_size) of integers x."""
        return embed_id(x, self.W, self.ignore_label)
