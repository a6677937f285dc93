"""The link of negative sampling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.device_resident import DeviceResidentsVisitor
from autodiff.chainer.functions.loss.negative_sampling import negative_sampling
from autodiff.chainer.initializers import Constant
from autodiff.chainer.link import Link
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.chainer.utils.walker_alias import WalkerAlias
from autodiff.facade import Parameter
from autodiff.facade.settings.configuration import get_dtype


class NegativeSampling(Link):
    """Learns to tell true classes from drawn ones.

    Args:
        in_size: how many features there are.
        counts: how often each class occurs.
        sample_size: how many classes are drawn for each example.
        power: a class is drawn with probability proportional to its count to this power.
        dtype: the dtype of the weights; ``config.dtype`` if None.

    Source: Mikolov et al., Distributed Representations of Words and Phrases and their Compositionality, 2013.

    >>> link = NegativeSampling(3, [5, 2, 1], 4)
    >>> link(np.ones((1, 3), "f"), np.zeros(1, "i")).shape
    ()
    """

    def __init__(
        self, in_size: int, counts: Sequence[int], sample_size: int, power: float = 0.75, dtype: Any = None
    ) -> None:
        super().__init__()
        self.sample_size = sample_size
        dtype = get_dtype(dtype)
        self.sampler = WalkerAlias(np.power(np.asarray(counts, np.float32), np.float32(power)))
        with self.init_scope():
            self.W = Parameter(Constant(0, dtype), (len(counts), in_size))

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        self.sampler.device_resident_accept(visitor)

    def forward(self, x: Any, t: Any, reduce: str = "sum", **kwargs: Any) -> Any:
        """The loss; see :func:`autodiff.chainer.functions.negative_sampling`.

        Args:
            x: feature vectors, ``(n, in_size)``.
            t: the true classes, ``(n,)``, int32; where it is -1 there is no loss.
            reduce: ``"sum"``, or ``"no"`` for a loss for each example.
            kwargs: ``return_samples`` returns the drawn classes, too.
        """
        (return_samples,) = parse_kwargs(kwargs, ("return_samples", False))
        return negative_sampling(
            x, t, self.W, self.sampler.sample, self.sample_size, reduce=reduce, return_samples=return_samples
        )
