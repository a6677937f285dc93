"""The link of decorrelated batch normalization."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.normalization.decorrelated_batch_normalization import (
    decorrelated_batch_normalization,
    fixed_decorrelated_batch_normalization,
)
from autodiff.chainer.link import Link
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade import Variable
from autodiff.facade.settings.configuration import config


class DecorrelatedBatchNormalization(Link):
    """C^(-1/2) (x - mean), with mean and covariance C of each group of features over the batch.

    While ``chainer.config.train`` is False, running values take their place.

    Args:
        size: how many features there are.
        groups: how many groups of features there are.
        decay: how much of the running values remains at each step.
        eps: added to the diagonal of C.
        dtype: the dtype of the running values.

    Attributes:
        avg_mean: the running mean (groups, size / groups).
        avg_projection: the running C^(-1/2), (groups, size / groups, size / groups).
        N: how many batches were used to finetune.

    Source: L. Huang, D. Yang, B. Lang and J. Deng, Decorrelated Batch Normalization, 2018.

    >>> x = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]], np.float32)
    >>> y = DecorrelatedBatchNormalization(2, groups=1)(x).array
    >>> (y.T @ y / 4).round(3)
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """

    def __init__(
        self, size: int, groups: int = 16, decay: float = 0.9, eps: float = 2e-5, dtype: Any = np.float32
    ) -> None:
        super().__init__()
        self.N, self.decay, self.eps, self.groups = 0, decay, eps, groups
        features = size // groups
        self.avg_mean = np.zeros((groups, features), dtype)
        self.avg_projection = np.tile(np.eye(features, dtype=dtype), (groups, 1, 1))
        for name in ("avg_mean", "avg_projection", "N"):
            self.register_persistent(name)

    def start_finetuning(self) -> None:
        """Begin to average over all batches that come with ``finetune=True``."""
        self.N = 0

    def forward(self, x: Any, **kwargs: Any) -> Variable:
        """An array like x.

        Args:
            x: (N, size, ...), floats.
            kwargs: ``finetune`` = False: whether the running values become the mean over all batches since
                :meth:`start_finetuning`, instead of following with ``decay``.
        """
        (finetune,) = parse_kwargs(kwargs, ("finetune", False))
        if not config.train:
            return fixed_decorrelated_batch_normalization(x, self.avg_mean, self.avg_projection, groups=self.groups)
        running = {} if config.in_recomputing else self._followed(finetune)
        return decorrelated_batch_normalization(x, groups=self.groups, eps=self.eps, **running)

    def _followed(self, finetune: bool) -> dict[str, Any]:
        """The running values, and how much of them remains."""
        if finetune:
            self.N += 1
        decay = 1 - 1 / self.N if finetune else self.decay
        return {"running_mean": self.avg_mean, "running_projection": self.avg_projection, "decay": decay}
