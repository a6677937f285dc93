"""Rows of a matrix, picked by integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import function_class
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.facade.settings.configuration import config
from autodiff.facade.variables.variable import is_array
from autodiff.trace.source import at_user_line
from autodiff.trace.tracer import concrete


def embed_id(x: Any, W: Any, ignore_label: int | None = None) -> Variable:
    """y[i] = W[x[i]].

    Args:
        x: integers of any shape with at least one axis.
        W: a row for each of them, (V, D), floats.
        ignore_label: the integer for which the row is zeros, and nothing is learned.

    Returns:
        (shape of x, D).

    Raises:
        InvalidType: if x are no integers, or W is no matrix of floats.
        ValueError: in debug mode, if an integer is out of range.

    >>> embed_id(np.array([1, -1]), np.array([[1.0, 2.0], [3.0, 4.0]]), ignore_label=-1)
    variable([[3., 4.],
              [0., 0.]])
    """

    def rows(x: Any, W: Any) -> Any:
        if ignore_label is None:
            return W[x]
        ignored = x == ignore_label
        return np.where(ignored[..., np.newaxis], 0, W[np.where(ignored, 0, x)])

    def fits(*in_types: Any) -> tuple[Any, ...]:
        x, W = in_types
        return x.dtype.kind == "i", x.ndim >= 1, W.dtype.kind == "f", W.ndim == 2

    if config.debug:
        check_range(x, W.shape[0], ignore_label)
    return apply("EmbedIDFunction", rows, (x, W), check=fits)


def check_range(x: Any, size: int, ignore_label: int | None) -> None:
    """See that integers are rows, where their values are known.

    Raises:
        ValueError: if one is not.
    """
    known = concrete(x)
    if is_array(known) and not np.all((known == ignore_label) | ((known >= 0) & (known < size))):
        raise ValueError(
            f"the integers must satisfy 0 <= x < {size}, the number of rows of W; they go from {known.min()} to "
            f"{known.max()}{at_user_line()}"
        )


EmbedIDFunction = function_class("EmbedIDFunction", embed_id, "ignore_label=None")
