"""The link of the linear map with weights that are dropped at random."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

from autodiff.chainer.functions.noise.simplified_dropconnect import simplified_dropconnect
from autodiff.chainer.initializers import HeNormal
from autodiff.chainer.link import Link
from autodiff.chainer.links.initial import bias, weight
from autodiff.facade import Variable


class SimplifiedDropconnect(Link):
    """x (mask W)^T + b, where the mask is zero with probability ``ratio``, and 1 / (1 - ratio) otherwise.

    Args:
        in_size: how many features x has; None to learn it from the first x.
        out_size: how many outputs there are.
        ratio: the probability that a weight is dropped.
        nobias: whether b is left out.
        initialW: an initializer, a number or an array (out_size, in_size); HeNormal(1 / sqrt(2)) if None.
        initial_bias: the same for b, (out_size,); zeros if None.

    Attributes:
        W: the weights (out_size, in_size).
        b: the bias (out_size,), or None.
        mask: the first mask that a call was given; it is saved and loaded. There is none before.

    Source: L. Wan et al., Regularization of Neural Networks using DropConnect, 2013.

    >>> import numpy as np
    >>> link = SimplifiedDropconnect(2, 1, initialW=1.0)
    >>> link(np.ones((1, 2), np.float32), mask=np.array([[[True, False]]]))
    variable([[2.]])
    """

    def __init__(
        self,
        in_size: int | None,
        out_size: int,
        ratio: float = 0.5,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        self.out_size, self.ratio = out_size, ratio
        with self.init_scope():
            self.W = weight(HeNormal(1 / sqrt(2)) if initialW is None else initialW)
            if in_size is not None:
                self._initialize_params(in_size)
            self.b = None if nobias else bias(initial_bias, out_size)

    def _initialize_params(self, in_size: int) -> None:
        self.W.initialize((self.out_size, in_size))

    def forward(self, x: Any, train: bool = True, mask: Any = None, use_batchwise_mask: bool = True) -> Variable:
        """The outputs (N, out_size).

        Args:
            x: (N, in_size).
            train: whether to drop any weight.
            mask: booleans (out_size, in_size), or (N, out_size, in_size): which weights stay; drawn if None. The first
                one that is given becomes the persistent value ``mask`` of the link.
            use_batchwise_mask: whether each sample gets a mask of its own.
        """
        if self.W.array is None:
            self._initialize_params(prod(x.shape[1:]))
        if mask is not None and not hasattr(self, "mask"):
            self.add_persistent("mask", mask)
        return simplified_dropconnect(x, self.W, self.b, self.ratio, train, mask, use_batchwise_mask)
