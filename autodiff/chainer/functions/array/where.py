"""A choice between two arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.conditions import broadcastable
from autodiff.chainer.functions.function_class import function_class
from autodiff.facade.functions.invalid import invalid
from autodiff.facade.functions.type_check import Expr
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


def where(condition: Any, x: Any, y: Any) -> Variable:
    """x where the condition is true, y elsewhere.

    Args:
        condition: truth values.
        x: numbers.
        y: numbers of the same dtype. All three shapes broadcast.

    Returns:
        the chosen numbers. What was not chosen gets no gradient, not even a NaN.

    Raises:
        InvalidType: if dtypes or shapes do not fit.

    >>> where(np.array([True, False]), np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    variable([1., 4.])
    """
    chosen = as_array(condition)
    if not hasattr(chosen, "dtype"):
        raise invalid("Where", "isinstance(condition, ndarray)", f"type(condition) == {type(condition)}")
    if chosen.dtype != np.bool_:
        kind = "condition.dtype == <class 'numpy.bool_'>"
        raise invalid("Where", kind, f"{chosen.dtype} != <class 'numpy.bool_'>", "Compare it: condition != 0.")
    return apply("Where", lambda x, y: np.where(chosen, x, y), (x, y), lambda x, y: alike(chosen, x, y))


def alike(condition: Any, x: Any, y: Any) -> Any:
    """Whether dtypes are equal and shapes broadcast."""
    shape = Expr("condition.shape", lambda: condition.shape) if isinstance(x, Expr) else condition.shape
    return x.dtype == y.dtype, broadcastable(shape, x.shape, y.shape)


Where = function_class(
    "Where",
    lambda x, y, condition: where(condition, x, y),
    "condition",
    computed={"condition": lambda self: self.chosen},
)
