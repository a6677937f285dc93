"""An axis in another order."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.backends.cuda import to_cpu
from autodiff.chainer.functions.conditions import has_axis
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.shown_attributes import always
from autodiff.facade.graph.applying import apply
from autodiff.facade.settings.configuration import config
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


def permutate(x: Any, indices: Any, axis: int = 0, inv: bool = False) -> Variable:
    """Slices along an axis in another order.

    Args:
        x: any array.
        indices: which slice comes to each place, one axis of integers.
        axis: the axis.
        inv: whether ``indices`` says to which place each slice goes instead.

    Raises:
        ValueError: if the indices are not one axis of integers; in debug mode, if they are no permutation.
        IndexError: if there is no such slice.
        InvalidType: if there is no such axis.

    >>> permutate(np.array([1.0, 2.0, 3.0]), np.array([2, 0, 1]))
    variable([3., 1., 2.])
    """
    order = as_array(indices)
    if order.dtype.kind != "i" or order.ndim != 1:
        raise ValueError(
            f"indices should be a one-dimensional int array, got {order.dtype} of shape {order.shape}{at_user_line()}"
        )
    if config.debug:
        check_permutation(to_cpu(order).tolist())
    if inv:
        places, order = order, np.empty_like(order)
        order[places] = get_array_module(places).arange(len(places))
    return apply("Permutate", lambda x: np.take(x, order, axis), (x,), lambda x: has_axis(x, axis))


def check_permutation(indices: list[int]) -> None:
    """See that each number below their count is there once.

    Raises:
        ValueError: if not.
    """
    if sorted(indices) != list(range(len(indices))):
        raise ValueError(f"indices must contain each of 0 to {len(indices) - 1} once, got {indices}{at_user_line()}")


Permutate = function_class(
    "Permutate", permutate, "indices, axis, inv", computed={"indices": lambda self: self.order, "inv": always(False)}
)
