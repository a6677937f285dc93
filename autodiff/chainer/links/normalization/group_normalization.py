"""The link of group normalization."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.normalization.group_normalization import check_groups, group_normalization
from autodiff.chainer.link import Link
from autodiff.chainer.links.initial import typed
from autodiff.facade import Parameter, Variable
from autodiff.facade.settings.configuration import get_dtype


class GroupNormalization(Link):
    """gamma (x - mean) / sqrt(var + eps) + beta, with mean and variance of each image and group of channels.

    Args:
        groups: how many groups of channels there are.
        size: how many channels there are; None to learn it from the first x.
        eps: added to the variance.
        initial_gamma: an initializer, a number or an array; ones if None.
        initial_beta: the same for beta; zeros if None.

    Attributes:
        gamma: the scales (channels,).
        beta: the shifts (channels,).

    Source: Y. Wu and K. He, Group Normalization, 2018.

    >>> GroupNormalization(2, eps=0.5)(np.array([[1.0, 3.0, 5.0, 5.0]], np.float32)).array.round(3)
    array([[-0.816,  0.816,  0.   ,  0.   ]], dtype=float32)
    """

    def __init__(
        self,
        groups: int,
        size: int | None = None,
        eps: float = 1e-5,
        initial_gamma: Any = None,
        initial_beta: Any = None,
    ) -> None:
        super().__init__()
        self.groups, self.eps = groups, eps
        dtype = get_dtype(map_mixed16=np.float32)
        with self.init_scope():
            self.gamma = Parameter(typed(1 if initial_gamma is None else initial_gamma, dtype))
            self.beta = Parameter(typed(0 if initial_beta is None else initial_beta, dtype))
        if size is not None:
            self._initialize_params(size)

    def _initialize_params(self, size: int) -> None:
        self.gamma.initialize(size)
        self.beta.initialize(size)

    def forward(self, x: Any) -> Variable:
        """An array like x, (N, C, ...)."""
        if self.gamma.array is None:
            check_groups(x, self.groups)
            self._initialize_params(x.shape[1])
        return group_normalization(x, self.groups, self.gamma, self.beta, self.eps)
