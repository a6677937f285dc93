"""Arrays stretched along axes of length one."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.conditions import broadcastable, demand_some
from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import function_class, shape_of_result
from autodiff.facade.functions.invalid import InvalidType
from autodiff.facade.functions.type_check import Expr
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.conversion import as_variable
from autodiff.facade.variables.variable import Variable


def broadcast(*args: Any) -> Any:
    """All arrays in the shape that they have together.

    Args:
        args: arrays whose shapes broadcast.

    Returns:
        a tuple of Variables; for one array the Variable alone.

    Raises:
        InvalidType: if the shapes do not broadcast, or there is no array.

    >>> [y.shape for y in broadcast(np.ones((2, 1)), np.ones(3))]
    [(2, 3), (2, 3)]
    """
    demand_some("Broadcast", args)
    if len(args) == 1:
        return as_variable(args[0])
    return apply(
        "Broadcast",
        lambda *xs: tuple(np.broadcast_arrays(*xs)),
        args,
        lambda *in_types: broadcastable(*(info.shape for info in in_types)),
    )


def broadcast_to(x: Any, shape: tuple[int, ...]) -> Variable:
    """An array stretched to a shape.

    Args:
        x: any array.
        shape: the new shape; axes of length one can be stretched, and axes added in front.

    Returns:
        a Variable of that shape; ``x`` itself where it is a Variable that has the shape already.

    Raises:
        InvalidType: if the shape does not fit.

    >>> broadcast_to(np.array([1.0, 2.0]), (2, 2))
    variable([[1., 2.],
              [1., 2.]])
    """
    shape = tuple(shape)
    if isinstance(x, Variable) and x.shape == shape:
        return x
    return direct("BroadcastTo", lambda x: np.broadcast_to(x, shape), x, lambda x: stretches(x, shape))


def stretches(x: Any, shape: tuple[int, ...]) -> Any:
    """Whether the operand can be stretched to the shape."""
    if isinstance(x, Expr):
        own = x.eval().shape
        if len(own) > len(shape):
            most: Any = Expr("len(shape)", lambda: len(shape))
            return x.ndim <= most
        place = next(k for k in range(-1, -len(own) - 1, -1) if own[k] not in (1, shape[k]))
        raise mismatch(place, shape[place], own)
    own = x.shape
    return len(own) <= len(shape) and all(own[k] in (1, shape[k]) for k in range(-len(own), 0))


def mismatch(place: int, length: int, own: tuple[int, ...]) -> Exception:
    """The error of an axis that cannot be stretched."""
    axis = f"in_type[0].shape[{place}]"
    return InvalidType(f"{axis} == {length} or {axis} == 1", f"in_type[0].shape: {own}")


Broadcast = function_class("Broadcast", broadcast)
BroadcastTo = function_class(
    "BroadcastTo", broadcast_to, "shape", computed=dict.fromkeys(("_shape", "shape"), shape_of_result)
)
