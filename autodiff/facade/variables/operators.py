"""Python's operators on Variables, and NumPy's functions called with them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.facade.functions.invalid import invalid
from autodiff.facade.variables.fast_path import both_operands, constant_operand, unary
from autodiff.facade.variables.operands import demand_floats, label, other_operand
from autodiff.facade.variables.variable import Variable
from autodiff.numpy import dispatch
from autodiff.ops import elementwise as ew
from autodiff.ops.operators import without_modulus
from autodiff.trace import fast_path
from autodiff.trace.errors import OperandError
from autodiff.trace.primitive import PRIMITIVES, Primitive
from autodiff.trace.spec import spec_of
from autodiff.trace.values.deferring import left_to_other

Operation = Callable[..., Any]

BINARY: dict[str, tuple[Primitive, Operation]] = {
    "add": (ew.add, operator.add),
    "sub": (ew.subtract, operator.sub),
    "mul": (ew.multiply, operator.mul),
    "truediv": (ew.divide, operator.truediv),
    "floordiv": (ew.floor_divide, operator.floordiv),
    "pow": (ew.power, operator.pow),
}
COMPARISONS = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
SHORT: dict[np.ufunc, Operation] = {}
"""What NumPy's functions run, called with Variables: the fast paths."""


def long_way(primitive: Primitive, apply: Operation, reflected: bool) -> Operation:
    """An operator that looks at its operands with care."""

    def call(self: Variable, other: Any) -> Any:
        taken = other_operand(primitive, self, other)
        if taken is NotImplemented:
            return left_to_other(primitive.name, (other, self) if reflected else (self, other))
        operands = (taken, self) if reflected else (self, taken)
        try:
            out = fast_path.record(primitive, operands, apply)
        except OperandError:
            shapes = [spec_of(operand).shape for operand in operands]
            raise invalid(
                label(primitive),
                "in_types[0].shape and in_types[1].shape broadcast",
                f"{shapes[0]} and {shapes[1]}",
                "Axes must have equal lengths or length 1, counted from the last.",
            ) from None
        if isinstance(out, Variable) and not any(primitive.rules):
            return Variable(out._array, requires_grad=False)  # no gradient passes: the graph ends here, as in Chainer
        return Variable(out, requires_grad=False) if isinstance(out, np.ndarray) else out

    return call


def binary(primitive: Primitive, apply: Operation) -> tuple[Operation, Operation]:
    """An operator and its reflected form."""
    long, long_reflected = (long_way(primitive, apply, reflected) for reflected in (False, True))
    if not all(primitive.rules):
        return long, long_reflected
    both = both_operands(primitive, apply, long)

    return (
        constant_operand(primitive, apply, 0, both, long),
        constant_operand(primitive, apply, 1, long_reflected, long_reflected),
    )


def one_operand(primitive: Primitive, apply: Operation, floats: bool = False) -> Operation:
    """An operator, or a function of NumPy, of one Variable; with ``floats`` it refuses integers."""

    def long(self: Variable) -> Any:
        if floats:
            demand_floats(primitive, self.dtype)
        return fast_path.record(primitive, (self,), apply)

    return unary(primitive, apply, long, floats)


def of_two(forward: Operation, reflected: Operation) -> Operation:
    """The ufunc of which these are the operator and its reflected form."""

    def call(x: Any, y: Any) -> Any:
        return forward(x, y) if isinstance(x, Variable) else reflected(y, x)

    return call


def comparison(ufunc: np.ufunc, name: str) -> Operation:
    """A comparison as a function of NumPy. With an array on the left it is what ``array < v`` runs: refused."""

    def call(x: Any, y: Any) -> Any:
        if isinstance(x, Variable):
            return dispatch.array_ufunc(x, ufunc, "__call__", x, y)
        return getattr(Variable, name)(y, x)

    return call


def array_ufunc(self: Variable, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """NumPy's question for ufuncs."""
    if method == "__call__" and not kwargs:
        short = SHORT.get(ufunc)
        if short is not None:
            out = short(*inputs)
            if out is not NotImplemented:
                return out
    return dispatch.array_ufunc(self, ufunc, method, *inputs, **kwargs)


def install() -> None:
    """Give Variables Python's operators and NumPy's protocols."""
    for name, (primitive, apply) in BINARY.items():
        forward, reflected = binary(primitive, apply)
        setattr(Variable, f"__{name}__", without_modulus(forward) if name == "pow" else forward)
        setattr(Variable, f"__r{name}__", reflected)
        SHORT[primitive.evaluate] = of_two(forward, reflected)  # type: ignore[index]
    for primitive in PRIMITIVES.values():
        ufunc = primitive.evaluate
        if isinstance(ufunc, np.ufunc) and len(primitive.operands) == 1 and primitive.rules[0] and not primitive.view:
            SHORT[ufunc] = one_operand(primitive, ufunc)
    for name, ufunc in COMPARISONS.items():
        SHORT[ufunc] = comparison(ufunc, f"__{name}__")
    protocols: dict[str, Operation] = {
        "neg": one_operand(ew.negative, operator.neg),
        "abs": one_operand(ew.absolute, operator.abs, floats=True),
        "array_ufunc": array_ufunc,
        "array_function": dispatch.array_function,
    }
    for name, method in protocols.items():
        setattr(Variable, f"__{name}__", method)


install()
