"""Conditions on the inputs of functions: see :mod:`autodiff.facade.functions.type_check`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autodiff.facade.functions.invalid import InvalidType
from autodiff.facade.functions.type_check import (
    COMPARISON,
    Expr,
    LightMode,
    LightTypeInfoTuple,
    Testable,
    TypeInfo,
    TypeInfoTuple,
    Variable,
    _argname,
    argname,
    eval,
    expect,
    expect_broadcast_shapes,
    get_light_types,
    get_types,
    in_light_mode,
    light_mode,
    make_variable,
    prod,
    same_types,
    within,
    written,
)

__all__ = [
    "Atom",
    "BinaryOperator",
    "BoolBinaryOperator",
    "Call",
    "Constant",
    "Expr",
    "GetAttr",
    "GetItem",
    "InvalidType",
    "LightMode",
    "LightTypeInfoTuple",
    "Testable",
    "TypeInfo",
    "TypeInfoTuple",
    "UnaryOperator",
    "Variable",
    "_argname",
    "argname",
    "eval",
    "expect",
    "expect_broadcast_shapes",
    "get_function_check_context",
    "get_light_types",
    "get_types",
    "in_light_mode",
    "light_mode",
    "make_variable",
    "prod",
    "same_types",
]


# Expressions by the names of Chainer's classes. Operators on a Variable make the same.

Atom = Expr


def Constant(value: Any) -> Expr:
    """A value as an expression."""
    return Expr(written(value), lambda: value)


def GetAttr(obj: Expr, name: Any) -> Expr:
    """``obj.name``, where the name may be an expression."""
    known = eval(name) if isinstance(name, Expr) else name
    text = f"{within(obj, obj.priority)}.{known}" if isinstance(known, str) else f"getattr({obj}, {written(name)})"
    return Expr(text, lambda: getattr(obj.eval(), eval(name)))


def GetItem(obj: Expr, key: Any) -> Expr:
    """``obj[key]``."""
    return obj[key]


def Call(obj: Expr, args: tuple[Any, ...]) -> Expr:
    """``obj(*args)``."""
    return obj(*args)


def UnaryOperator(priority: int, term: Any, exp: str, func: Callable[[Any], Any]) -> Expr:
    """An operator, written ``exp``, before its operand."""
    return Expr(f"{exp}{within(term, priority)}", lambda: func(eval(term)), priority)


def BinaryOperator(
    priority: int, lhs: Any, rhs: Any, exp: str, func: Callable[[Any, Any], Any], right_associative: bool = False
) -> Expr:
    """An operator, written ``exp``, between its operands."""
    left, right = within(lhs, priority + right_associative), within(rhs, priority + (not right_associative))
    return Expr(f"{left} {exp} {right}", lambda: func(eval(lhs), eval(rhs)), priority)


def BoolBinaryOperator(lhs: Any, rhs: Any, exp: str, inv: str, func: Callable[[Any, Any], Any]) -> Testable:
    """A comparison, written ``exp``; what holds when it does not is written ``inv``."""
    text = f"{within(lhs, COMPARISON + 1)} {exp} {within(rhs, COMPARISON + 1)}"
    return Testable(text, (lhs, rhs), func, inv)


@contextmanager
def get_function_check_context(f: Any) -> Iterator[None]:
    """A context in which errors say that they come from a function."""
    try:
        yield
    except InvalidType as error:
        raise error.performed_in(f.label) from None
