"""Weight standardization."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from autodiff.chainer.link_base import Link
from autodiff.chainer.link_hooks.replaced_weight import ReplacedWeight


class WeightStandardization(ReplacedWeight):
    """The link computes with ``(W - mean) / sqrt(variance + eps)``: rows of mean 0 and variance 1.

    Mean and variance are those over all axes but the first. See Qiao et al., "Weight Standardization",
    https://arxiv.org/abs/1903.10520.

    Args:
        eps: what is added to the variance.
        weight_name: the attribute of the link that holds the weight.
        name: what the hook is registered by.

    >>> from autodiff.chainer import Link
    >>> from autodiff import Parameter
    >>> class Product(Link):
    ...     def __init__(self):
    ...         super().__init__()
    ...         with self.init_scope():
    ...             self.W = Parameter(np.array([[1.0, 3.0]]))
    ...
    ...     def forward(self, x):
    ...         return x @ self.W.T
    >>> Product().add_hook(WeightStandardization(eps=0.0))(np.array([[1.0, 2.0]]))
    variable([[1.]])
    """

    name = "WeightStandardization"

    def __init__(self, *, eps: float = 1e-5, weight_name: str = "W", name: str | None = None) -> None:
        super().__init__(weight_name, name)
        self.eps = eps

    def replacement(self, link: Link) -> Any:
        W = cast(Any, getattr(link, self.weight_name))
        axes = tuple(range(1, W.ndim))
        centred = W - np.mean(W, axis=axes, keepdims=True)
        return centred / np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + self.eps)
