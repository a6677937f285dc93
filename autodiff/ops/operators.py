"""Python's operators on traced values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autodiff.ops import elementwise as ew
from autodiff.trace.errors import described
from autodiff.trace.fast_path import binary, record, unary
from autodiff.trace.primitive import Primitive
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer

BINARY: dict[str, tuple[Primitive, Callable[..., Any]]] = {
    "add": (ew.add, operator.add),
    "sub": (ew.subtract, operator.sub),
    "mul": (ew.multiply, operator.mul),
    "truediv": (ew.divide, operator.truediv),
    "floordiv": (ew.floor_divide, operator.floordiv),
    "mod": (ew.remainder, operator.mod),
    "pow": (ew.power, operator.pow),
    "and": (ew.bitwise_and, operator.and_),
    "or": (ew.bitwise_or, operator.or_),
    "xor": (ew.bitwise_xor, operator.xor),
    "lshift": (ew.left_shift, operator.lshift),
    "rshift": (ew.right_shift, operator.rshift),
}
COMPARISONS: dict[str, tuple[Primitive, Callable[..., Any]]] = {
    "eq": (ew.equal, operator.eq),
    "ne": (ew.not_equal, operator.ne),
    "lt": (ew.less, operator.lt),
    "le": (ew.less_equal, operator.le),
    "gt": (ew.greater, operator.gt),
    "ge": (ew.greater_equal, operator.ge),
}
UNARY: dict[str, tuple[Primitive, Callable[..., Any]]] = {
    "neg": (ew.negative, operator.neg),
    "pos": (ew.positive, operator.pos),
    "abs": (ew.absolute, operator.abs),
    "invert": (ew.invert, operator.invert),
}

LACKING = {"mod", "and", "or", "xor", "lshift", "rshift", "invert", *COMPARISONS}
"""Operators that Variables do not have, though a Variable may be the value of a traced value."""


def of_values(name: str, primitive: Primitive, operation: Callable[..., Any]) -> Callable[..., Any]:
    """What runs on the values behind traced ones: the operator, or the primitive on values that lack the operator."""
    if name not in LACKING:
        return operation

    def apply(*values: Any) -> Any:
        return (primitive if any(isinstance(value, Traced) for value in values) else operation)(*values)

    return apply


def record_power(primitive: Primitive, operands: tuple[Any, ...], apply: Callable[..., Any]) -> Any:
    """Take note of ``x ** y``: of truth values NumPy's operator, unlike its function, gives the square."""
    x, y = operands
    if isinstance(x, Tracer) and x.dtype.kind == "b" and type(y) in (int, float) and y == 2 and x.spec.kind == "array":
        return ew.square(x)
    return record(primitive, operands, apply)


def without_modulus(power: Callable[..., Any]) -> Callable[..., Any]:
    """``__pow__``, which Python's ``pow(x, y, m)`` calls with three arguments."""

    def call(self: Any, exponent: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            raise TypeError(
                f"pow with three arguments is for whole numbers of Python, got {described(self)}{at_user_line()}; "
                "write np.mod(x ** y, m)"
            )
        return power(self, exponent)

    return call


def install() -> None:
    """Give traced values Python's operators."""
    for primitive, operation in (BINARY | COMPARISONS | UNARY).values():
        primitive.operator = operation
    for name, (primitive, operation) in (BINARY | COMPARISONS).items():
        long_way = record_power if name == "pow" else None
        forward, reflected = binary(primitive, of_values(name, primitive, operation), long_way)
        setattr(Tracer, f"__{name}__", without_modulus(forward) if name == "pow" else forward)
        if name in BINARY:
            setattr(Tracer, f"__r{name}__", reflected)
    for name, (primitive, operation) in UNARY.items():
        setattr(Tracer, f"__{name}__", unary(primitive, of_values(name, primitive, operation)))


install()
