"""Operators of Variables as functions."""

from __future__ import annotations

from functools import reduce
from operator import add as plus
from typing import Any

from autodiff.chainer.functions.conditions import broadcastable, numbered
from autodiff.chainer.functions.function_class import constant_of, function_class, inputs_of
from autodiff.facade.graph.applying import apply
from autodiff.facade.graph.creator import CREATORS
from autodiff.facade.variables.conversion import as_variable
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


def absolute(self: Any) -> Variable:
    """The absolute value, element by element; its derivative at 0 is 0.

    Args:
        self: floating-point numbers.

    Raises:
        InvalidType: if the numbers are no floating-point numbers.

    >>> import numpy as np
    >>> absolute(np.array([-2.0, 3.0]))
    variable([2., 3.])
    """
    return abs(as_operand(self))


def add(*xs: Any) -> Variable:
    """The sum of two or more arrays.

    Args:
        xs: arrays of one dtype.

    Raises:
        TypeError: if there is none.
        InvalidType: if dtypes or shapes do not fit.

    >>> import numpy as np
    >>> add(np.array([1.0]), np.array([2.0]), np.array([3.0]))
    variable([6.])
    """
    if not xs:
        raise TypeError(f"add() needs at least one array{at_user_line()}")
    if len(xs) == 1:
        return as_operand(xs[0])
    if len(xs) == 2:
        return as_operand(xs[0]) + xs[1]
    return apply("MultiAdd", lambda *xs: reduce(plus, xs), xs, alike)


def neg(self: Any) -> Any:
    """-x."""
    return -as_operand(self)


def sub(self: Any, rhs: Any) -> Any:
    """x - y. All functions below take a Variable, or an array, and what Python's operator takes beside it."""
    return as_operand(self) - rhs


def rsub(self: Any, rhs: Any) -> Any:
    """y - x."""
    return rhs - as_operand(self)


def mul(self: Any, rhs: Any) -> Any:
    """x y."""
    return as_operand(self) * rhs


def div(self: Any, rhs: Any) -> Any:
    """x / y."""
    return as_operand(self) / rhs


def rdiv(self: Any, rhs: Any) -> Any:
    """y / x."""
    return rhs / as_operand(self)


def floordiv(self: Any, rhs: Any) -> Any:
    """x // y."""
    return as_operand(self) // rhs


def rfloordiv(self: Any, rhs: Any) -> Any:
    """y // x."""
    return rhs // as_operand(self)


def pow(self: Any, rhs: Any) -> Any:
    """x ** y."""
    return as_operand(self) ** rhs


def rpow(self: Any, rhs: Any) -> Any:
    """y ** x."""
    return rhs ** as_operand(self)


def matmul(self: Any, rhs: Any) -> Any:
    """x @ y."""
    return as_operand(self) @ rhs


def rmatmul(self: Any, rhs: Any) -> Any:
    """y @ x."""
    return as_operand(rhs) @ as_operand(self)


def as_operand(value: Any) -> Any:
    """A Variable, or a traced value as it is."""
    return as_variable(value) if hasattr(value, "flags") else value


def alike(*xs: Any) -> tuple[Any, ...]:
    """Whether all have the dtype of the first, and shapes that broadcast."""
    first, *others = numbered(xs)
    return (
        *(first.dtype == other.dtype for other in others),
        broadcastable(*(operand.shape for operand in xs)),
    )


Neg = function_class("Neg", neg, label="__neg__")
Absolute = function_class("Absolute", absolute, label="|_|")


def added(self: Any) -> Any:
    """The number that was added, negative where it was subtracted."""
    return -constant_of(self) if self.label.startswith("_ - ") else constant_of(self)


def multiplied(self: Any) -> Any:
    """The number that was multiplied by, the reciprocal of what was divided by."""
    return 1 / constant_of(self) if self.label.startswith("_ / ") else constant_of(self)


Add = function_class("Add", add, label="_ + _")
Sub = function_class("Sub", sub, label="_ - _")
Mul = function_class("Mul", mul, label="_ * _")
Div = function_class("Div", div, label="_ / _")
PowVarVar = function_class("PowVarVar", pow, label="_ ** _")
MultiAdd = function_class("MultiAdd", add, computed={"len": lambda self: len(inputs_of(self))})
AddConstant = function_class(
    "AddConstant", lambda x, value: x + value, "value", label="_ + #", computed={"value": added}
)
MulConstant = function_class(
    "MulConstant", lambda x, value: x * value, "value", label="_ * #", computed={"value": multiplied}
)
SubFromConstant = function_class(
    "SubFromConstant", lambda x, value: value - x, "value", label="# - _", computed={"value": constant_of}
)
DivFromConstant = function_class(
    "DivFromConstant", lambda x, value: value / x, "value", label="# / _", computed={"value": constant_of}
)
PowVarConst = function_class(
    "PowVarConst", lambda x, value: x**value, "value", label="_ ** #", computed={"value": constant_of}
)
PowConstVar = function_class(
    "PowConstVar", lambda x, value: value**x, "value", label="# ** _", computed={"value": constant_of}
)
CREATORS["_ - #"], CREATORS["_ / #"] = AddConstant, MulConstant
