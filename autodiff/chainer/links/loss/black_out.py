"""The link of BlackOut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.device_resident import DeviceResidentsVisitor
from autodiff.chainer.functions.loss.black_out import black_out
from autodiff.chainer.link import Link
from autodiff.chainer.utils.walker_alias import WalkerAlias
from autodiff.facade import Parameter, Variable


class BlackOut(Link):
    """A softmax over the true class and a few drawn ones.

    Its weights W, ``(classes, in_size)``, are NaN in the beginning: fill them.

    Args:
        in_size: how many features there are.
        counts: how often each class occurs; classes are drawn in proportion.
        sample_size: how many classes are drawn for each example.

    If ``sample_data``, (n, sample_size), is assigned, these classes are taken and none are drawn.

    Source: Ji et al., BlackOut: Speeding up Recurrent Neural Network Language Models With Very Large Vocabularies,
    2016.

    >>> link = BlackOut(3, [5, 2, 1], 2)
    >>> link.W.array[...] = 0
    >>> link(np.ones((1, 3), "f"), np.zeros(1, "i"))
    variable(1.9095426)
    """

    sample_data: Any = None

    def __init__(self, in_size: int, counts: Sequence[int], sample_size: int) -> None:
        super().__init__()
        self.sample_size = sample_size
        self.sampler = WalkerAlias(np.asarray(counts, np.float32))
        with self.init_scope():
            self.W = Parameter(shape=(len(counts), in_size))

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        self.sampler.device_resident_accept(visitor)

    def forward(self, x: Any, t: Any) -> Variable:
        """The mean loss of feature vectors ``(n, in_size)`` and true classes ``(n,)``."""
        samples = self.sample_data
        if samples is None:
            samples = self.sampler.sample((x.shape[0], self.sample_size))
        return black_out(x, t, self.W, samples)
