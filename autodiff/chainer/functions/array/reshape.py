"""The same elements in another shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import function_class, shape_of_result
from autodiff.facade.functions.type_check import Expr, prod
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


def reshape(x: Any, shape: tuple[int, ...]) -> Variable:
    """The same elements in another shape.

    Args:
        x: any array.
        shape: the lengths of the axes; one of them may be -1, and is what is left.

    Returns:
        a Variable of that shape; ``x`` itself where it is a Variable that has the shape already.

    Raises:
        ValueError: if more than one length is -1.
        InvalidType: if the number of elements would change.

    >>> reshape(np.array([1.0, 2.0, 3.0, 4.0]), (2, -1))
    variable([[1., 2.],
              [3., 4.]])
    """
    shape = tuple(shape)
    if isinstance(x, Variable) and x.shape == shape:
        return x
    if shape.count(-1) > 1:
        raise ValueError(f"at most one length can be -1, got {shape}{at_user_line()}")
    return direct("Reshape", lambda x: np.reshape(x, shape), x, lambda x: as_many(x, shape))


def as_many(x: Any, shape: tuple[int, ...]) -> Any:
    """Whether the shape has as many elements."""
    if -1 not in shape:
        return size(x) == size_of(shape, x)
    known = 1
    for length in shape:
        known *= length if length != -1 else 1
    return size(x) % Known(known) == 0 if known else size(x) == 0


def size(x: Any) -> Any:
    """The number of elements, as ``prod(x.shape)`` in texts."""
    return prod(x.shape) if isinstance(x, Expr) else x.size


def size_of(shape: tuple[int, ...], beside: Any) -> Any:
    """The number of elements of a shape, written like that of the operand."""
    count = int(np.prod(shape, dtype=int))
    return Expr(f"prod({shape})", lambda: count) if isinstance(beside, Expr) else count


class Known(int):
    """The product of the lengths that are given."""

    def __str__(self) -> str:
        return f"known_size(={int(self)})"


Reshape = function_class("Reshape", reshape, "shape", computed={"shape": shape_of_result})
