"""The axes in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import from_first, function_class, parameter
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable


def transpose(x: Any, axes: Sequence[int] | None = None) -> Variable:
    """The axes in another order, by default the reverse one.

    Args:
        x: any array.
        axes: the axes in their new order.

    Raises:
        ValueError: if they are no permutation of the axes.

    >>> transpose(np.ones((2, 3, 4)), (1, 0, 2)).shape
    (3, 2, 4)
    """
    axes = None if axes is None else tuple(axes)
    if isinstance(x, Variable):
        return np.transpose(x, axes)  # type: ignore[return-value]
    return apply("Transpose", lambda x: np.transpose(x, axes), (x,))


Transpose = function_class(
    "Transpose", transpose, "axes=None", computed={"axes": lambda self: from_first(self, parameter(self, "axes"))}
)
