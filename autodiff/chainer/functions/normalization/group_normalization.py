"""Groups of channels of each image with their mean taken away, divided by their standard deviation."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class, inputs_of
from autodiff.chainer.functions.normalization.layer_normalization import standardized
from autodiff.chainer.functions.shown_attributes import always
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.trace.source import at_user_line


def group_normalization(x: Any, groups: int, gamma: Any, beta: Any, eps: float = 1e-5) -> Variable:
    """gamma (x - mean) / sqrt(var + eps) + beta, with mean and variance of each image and group of channels.

    Args:
        x: (N, C, ...), floats.
        groups: the number of groups; it divides C.
        gamma: scales (C,).
        beta: shifts (C,), of the dtype of gamma.
        eps: added to the variance.

    Returns:
        an array like x, of its dtype.

    Raises:
        TypeError: if ``groups`` is no int.
        ValueError: if it does not divide the number of channels, or x has none.
        InvalidType: if shapes or dtypes do not fit.

    Y. Wu and K. He, Group Normalization, 2018.

    >>> group_normalization(np.array([[1.0, 3.0, 5.0, 5.0]]), 2, np.ones(4), np.zeros(4), eps=0.5).array.round(3)
    array([[-0.816,  0.816,  0.   ,  0.   ]])
    """
    check_groups(x, groups)

    def normalized(x: Any, gamma: Any, beta: Any) -> Any:
        dtype = np.promote_types(x.dtype, gamma.dtype)
        rows = x.astype(dtype).reshape((x.shape[0] * groups, prod(x.shape[1:]) // groups))
        shape = (-1, *(1,) * (x.ndim - 2))
        each = standardized(rows, (1,), eps).reshape(x.shape)
        y = each * gamma.astype(dtype).reshape(shape) + beta.astype(dtype).reshape(shape)
        return y if y.dtype == x.dtype else y.astype(x.dtype)

    return apply("GroupNormalization", normalized, (x, gamma, beta), check=fits)


def check_groups(x: Any, groups: int) -> None:
    """See that the channels can be divided into groups."""
    if not isinstance(groups, int):
        raise TypeError(f"groups must be an int, got {groups!r}{at_user_line()}")
    if x.ndim < 2:
        raise ValueError(f"x must have the axes of examples and channels, (N, C, ...), got {x.shape}{at_user_line()}")
    if x.shape[1] % groups:
        raise ValueError(f"groups={groups} does not divide the {x.shape[1]} channels{at_user_line()}")


def fits(*in_types: Any) -> tuple[Any, ...]:
    """The conditions on shapes and dtypes."""
    x, gamma, beta = in_types
    return (
        x.dtype.kind == "f",
        gamma.ndim == 1,
        beta.ndim == 1,
        gamma.dtype.kind == "f",
        gamma.dtype == beta.dtype,
        x.shape[1] == gamma.shape[0],
        gamma.shape == beta.shape,
    )


def rows_of(self: Any) -> Any:
    """The input with a row for each group of each example."""
    x = inputs_of(self)[0].data
    return x.reshape(len(x) * self.groups, -1)


GroupNormalization = function_class(
    "GroupNormalization",
    lambda x, gamma, beta, groups, eps: group_normalization(x, groups, gamma, beta, eps),
    "groups, eps=1e-05",
    computed={
        "mean": lambda self: rows_of(self).mean(axis=1),
        "inv_std": lambda self: 1 / np.sqrt(rows_of(self).var(axis=1) + self.eps),
        "dummy_gamma": always(None),
    },
)
