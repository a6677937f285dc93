"""The link of layer normalization."""

from __future__ import annotations

from math import prod
from typing import Any

from autodiff.chainer.functions.normalization.layer_normalization import layer_normalization
from autodiff.chainer.link import Link
from autodiff.chainer.links.initial import weight
from autodiff.facade import Variable


class LayerNormalization(Link):
    """gamma (x - mean) / sqrt(var + eps) + beta, with mean and variance of each row.

    Args:
        size: how long rows are; None to learn it from the first x.
        eps: added to the variance.
        initial_gamma: an initializer, a number or an array; ones if None.
        initial_beta: the same for beta; zeros if None.

    Attributes:
        gamma: the scales (size,).
        beta: the shifts (size,).

    Source: J. L. Ba, J. R. Kiros and G. E. Hinton, Layer Normalization, 2016.

    >>> import numpy as np
    >>> LayerNormalization(2, eps=0.0)(np.array([[1.0, 3.0]], np.float32))
    variable([[-1.,  1.]])
    """

    def __init__(
        self, size: int | None = None, eps: float = 1e-6, initial_gamma: Any = None, initial_beta: Any = None
    ) -> None:
        super().__init__()
        self.eps = eps
        with self.init_scope():
            self.gamma = weight(1 if initial_gamma is None else initial_gamma)
            self.beta = weight(0 if initial_beta is None else initial_beta)
        if size is not None:
            self._initialize_params(size)

    def _initialize_params(self, size: int) -> None:
        self.gamma.initialize(size)
        self.beta.initialize(size)

    def forward(self, x: Any) -> Variable:
        """An array like x, (N, size)."""
        if self.gamma.array is None:
            self._initialize_params(prod(x.shape[1:]))
        return layer_normalization(x, self.gamma, self.beta, self.eps)
