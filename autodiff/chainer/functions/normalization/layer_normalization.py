"""Each row with its mean taken away, divided by its standard deviation."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.sums import means_along
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply


def layer_normalization(x: Any, gamma: Any, beta: Any, eps: float = 1e-5) -> Variable:
    """gamma (x - mean) / sqrt(var + eps) + beta, with mean and variance of each row.

    Args:
        x: (N, D), floats.
        gamma: scales (D,), of the dtype of x.
        beta: shifts (D,), likewise.
        eps: added to the variance.

    Returns:
        (N, D).

    Raises:
        InvalidType: if shapes or dtypes do not fit.

    J. L. Ba, J. R. Kiros and G. E. Hinton, Layer Normalization, 2016.

    >>> layer_normalization(np.array([[1.0, 3.0]]), np.array([2.0, 1.0]), np.zeros(2), eps=0.0)
    variable([[-2.,  1.]])
    """
    return apply(
        "LayerNormalization",
        lambda x, gamma, beta: standardized(x, (1,), eps) * gamma + beta,
        (x, gamma, beta),
        check=fits,
    )


def standardized(x: Any, axes: tuple[int, ...], eps: float) -> Any:
    """(x - mean) / sqrt(var + eps), with mean and variance over axes."""
    centered = x - means_along(x, axes)
    return centered / np.sqrt(means_along(np.square(centered), axes) + eps)


def fits(*in_types: Any) -> tuple[Any, ...]:
    """The conditions on shapes and dtypes."""
    x, gamma, beta = in_types
    return (
        x.dtype.kind == "f",
        x.ndim == 2,
        gamma.ndim == 1,
        beta.ndim == 1,
        gamma.dtype == x.dtype,
        beta.dtype == x.dtype,
        gamma.shape == beta.shape,
        x.shape[1] == gamma.shape[0],
    )


LayerNormalization = function_class("LayerNormalization", layer_normalization, "eps=1e-05")
