"""An axis in another order."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.conditions import has_axis
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.shown_attributes import always
from autodiff.facade.graph.applying import apply
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
        ValueError: if the indices are not one axis of integers.
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
    if inv:
        places, order = order, np.empty_like(order)
        order[places] = get_array_module(places).arange(len(places))
    return apply("Permutate", lambda x: np.take(x, order, axis), (x,), lambda x: has_axis(x, axis))


Permutate = function_class(
    "Permutate", permutate, "indices, axis, inv", computed={"indices": lambda self: self.order, "inv": always(False)}
)
