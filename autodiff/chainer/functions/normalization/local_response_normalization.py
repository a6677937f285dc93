"""Each channel divided by a measure of the channels beside it."""

from __future__ import annotations

from math import prod
from typing import Any

from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.shown_attributes import always
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.ops.images.windows import sum_windows
from autodiff.ops.index import slice_into
from autodiff.ops.join import WHOLE
from autodiff.ops.shape import reshape


def local_response_normalization(x: Any, n: int = 5, k: float = 2, alpha: float = 1e-4, beta: float = 0.75) -> Variable:
    """x / (k + alpha S)^beta, where S is the sum of the squares of the n channels around each one.

    Args:
        x: (N, C, ...), floats.
        n: width of the window: n // 2 channels on both sides.
        k: what the denominator has at least.
        alpha: weight of the squares.
        beta: exponent.

    Returns:
        an array like x.

    Raises:
        InvalidType: if x are no floats, or there is no axis of channels.

    A. Krizhevsky, I. Sutskever and G. E. Hinton, ImageNet Classification with Deep Convolutional Neural Networks, 2012.

    >>> import numpy as np
    >>> local_response_normalization(np.array([[1.0, 2.0, 3.0]]), n=3, k=0, alpha=1, beta=0.5).array.round(3)
    array([[0.447, 0.535, 0.832]])
    """
    half = n // 2

    def normalized(x: Any) -> Any:
        count, channels, inner = x.shape[0], x.shape[1], prod(x.shape[2:])
        squares = reshape(x * x, shape=(count, channels, inner))
        inside = (WHOLE, (half, half + channels, None), WHOLE)
        padded = slice_into(squares, key=inside, shape=(count, channels + 2 * half, inner))
        around = sum_windows(padded, shape=(2 * half + 1, 1), stride=(1, 1))
        return x * (k + alpha * reshape(around, shape=x.shape)) ** -beta

    return apply(
        "LocalResponseNormalization",
        normalized,
        (x,),
        check=lambda *in_types: (in_types[0].dtype.kind == "f", in_types[0].ndim >= 2),
    )


LocalResponseNormalization = function_class(
    "LocalResponseNormalization",
    local_response_normalization,
    "n=5, k=2, alpha=0.0001, beta=0.75",
    computed={"n": lambda self: 2 * self.half + 1, "indexes": always(None)},
)
