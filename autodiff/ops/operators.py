"""Python's operators on traced values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autodiff.ops import elementwise as ew
from autodiff.trace.primitive import Primitive
from autodiff.trace.shortcut import binary, unary
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

def install() -> None:
    """Give traced values Python's operators."""
    for name, (primitive, operation) in (BINARY | COMPARISONS).items():
        forward, reflected = binary(primitive, operation)
        setattr(Tracer, f"__{name}__", forward)
        if name in BINARY:
            setattr(Tracer, f"__r{name}__", reflected)
    for name, (primitive, operation) in UNARY.items():
        setattr(Tracer, f"__{name}__", unary(primitive, operation))


install()
