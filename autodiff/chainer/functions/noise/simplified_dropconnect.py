"""A linear map with weights that are set to zero at random."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.beside import drawing_beside
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade import Variable, as_array
from autodiff.facade.functions.type_check import prod as product_of
from autodiff.facade.graph.applying import apply


def simplified_dropconnect(
    x: Any,
    W: Any,
    b: Any = None,
    ratio: float = 0.5,
    train: bool = True,
    mask: Any = None,
    use_batchwise_mask: bool = True,
) -> Variable:
    """x (mask W)^T + b, where the mask is zero with probability ``ratio``, and 1 / (1 - ratio) otherwise.

    Args:
        x: (N, features), floats; the features may have several axes.
        W: weights (outputs, features).
        b: bias (outputs,), of the dtype of x.
        ratio: the probability that a weight is dropped.
        train: whether to drop any; otherwise ``ratio`` is 0, but random numbers are drawn all the same.
        mask: booleans of the shape of W, or of (N, shape of W): which weights stay.
        use_batchwise_mask: whether each sample gets a mask of its own.

    Returns:
        (N, outputs).

    Raises:
        InvalidType: if shapes or dtypes do not fit.

    L. Wan et al., Regularization of Neural Networks using DropConnect, 2013.

    >>> simplified_dropconnect(np.ones((1, 2)), np.ones((1, 2)), mask=np.array([[[True, False]]]))
    variable([[2.]])
    """
    ratio = ratio if train else 0.0
    mask = kept_weights(x, W, ratio, use_batchwise_mask) if mask is None else as_array(mask)

    def product(x: Any, W: Any, *b: Any) -> Any:
        rows = x.reshape((x.shape[0], prod(x.shape[1:])))
        kept = W * (mask * W.dtype.type(1.0 / (1 - ratio)))
        y = rows @ kept.T if kept.ndim == 2 else np.matmul(kept, rows[:, :, np.newaxis])[:, :, 0]
        y = y if y.dtype == x.dtype else y.astype(x.dtype)
        return y + b[0] if b else y

    def fits(x: Any, W: Any, b: Any = None) -> tuple[Any, ...]:
        conditions = (
            x.dtype.kind == "f",
            W.dtype.kind == "f",
            x.ndim >= 2,
            W.ndim == 2,
            product_of(x.shape[1:]) == W.shape[1],
        )
        sampled = (x.shape[0] == mask.shape[0],) if use_batchwise_mask else ()
        bias = () if b is None else (b.dtype == x.dtype, b.ndim == 1, b.shape[0] == W.shape[0])
        return (*conditions, *bias, *sampled)

    return apply("SimplifiedDropconnect", product, (x, W) if b is None else (x, W, b), check=fits)


def kept_weights(x: Any, W: Any, ratio: float, of_each: bool) -> Any:
    """Which weights stay, of each sample or of all."""
    with drawing_beside(x):
        return get_array_module(x).random.rand(*((x.shape[0], *W.shape) if of_each else W.shape)) >= ratio


SimplifiedDropconnect = function_class(
    "SimplifiedDropconnect",
    lambda x, W, b=None, **given: simplified_dropconnect(x, W, b, **given),
    "ratio, mask=None, use_batchwise_mask=True",
    drawn={"mask": lambda self, x, W, b=None: kept_weights(x, W, self.ratio, self.use_batchwise_mask)},
)
