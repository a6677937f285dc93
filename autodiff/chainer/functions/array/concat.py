"""Arrays one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.chainer.functions.axes import one_axis
from autodiff.chainer.functions.conditions import demand_some, has_signed_axis
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.functions.type_check import Expr
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable
from autodiff.ops.join import joined


def concat(xs: Sequence[Any], axis: int = 1) -> Variable:
    """Arrays one after the other along an axis.

    Args:
        xs: arrays of one dtype, whose other axes have equal lengths.
        axis: the axis.

    Raises:
        TypeError: if the axis is no int.
        InvalidType: if dtypes or shapes do not fit, or there is no array.

    >>> import numpy as np
    >>> concat((np.array([[1.0]]), np.array([[2.0, 3.0]])), axis=1)
    variable([[1., 2., 3.]])
    """
    arrays = tuple(xs)
    axis = one_axis(axis)
    demand_some("Concat", arrays)

    def fun(*xs: Any) -> Any:
        return joined(*xs, axis=axis if axis < 0 else axis - len(xs[0].shape))

    return apply("Concat", fun, arrays, lambda *in_types: alike_but_one(in_types, axis))


def alike_but_one(in_types: Sequence[Any], axis: int) -> Any:
    """Whether dtypes and shapes agree but for one axis."""
    first = in_types[0]
    bound = Expr("axis", lambda: axis) if isinstance(first, Expr) and axis >= 0 else axis
    conditions = [has_signed_axis(first, axis) if axis < 0 else first.ndim > bound]
    own = getattr(first, "value", first).ndim
    kept = [k for k in range(own) if k != axis % (own or 1)]
    for other in in_types[1:]:
        conditions += [first.dtype == other.dtype, first.ndim == other.ndim]
        conditions += [first.shape[k] == other.shape[k] for k in kept]
    return tuple(conditions)


Concat = function_class("Concat", concat, "axis=1", of_list=True)
