"""The fast path through recording, for operators of Variables.

It does what :func:`autodiff.facade.graph.recording.record` does for any primitive, written out for the cases that
nearly every step of a program is made of: about one microsecond an operation, a third of it NumPy's own. On long graphs
the cost is the number of objects that the garbage collector must follow, hence one node an operation and nothing else.
Whatever is unusual goes the long way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import asarray, generic, ndarray

from autodiff.facade.graph.node import VariableNode, new_node
from autodiff.facade.graph.residuals import keeps_constant_alone, pick
from autodiff.facade.settings.configuration import deviations
from autodiff.facade.variables.operands import SCALARS, weak_scalar
from autodiff.facade.variables.variable import Variable
from autodiff.trace.live import EXPLAINED
from autodiff.trace.primitive import Primitive
from autodiff.trace.recording import bodies
from autodiff.trace.spec import spec_of

Operation = Callable[..., Any]
new = object.__new__


def unary(primitive: Primitive, apply: Operation, otherwise: Operation, floats: bool = False) -> Operation:
    """A function of one Variable; with ``floats`` integers are left to ``otherwise``."""
    link = primitive.link((0,))
    keeps_value, keeps_out = bool(link.kept), link.keeps_out
    residuals = pick(link, ("operands",))

    def call(self: Variable) -> Any:
        x = self._node
        if deviations or bodies or not x._requires_grad:
            return otherwise(self)
        value = self._array
        if type(value) is not ndarray:
            return otherwise(self)
        try:
            out = apply(value)
        except EXPLAINED:
            return otherwise(self)
        spec = x.spec
        if type(out) is not ndarray:
            if not isinstance(out, generic):
                return otherwise(self)
            out = asarray(out)
        if out.dtype is not spec.dtype or (floats and out.dtype.kind not in "fc"):
            return otherwise(self)
        variable = new(Variable)
        node = new_node(VariableNode, variable)
        node.link = link
        node.operands = x
        node.residuals = residuals
        node.order = x.order + 1
        node.level = x.level
        node.spec = spec
        node._requires_grad = True
        if keeps_value:
            x.data = value
        if keeps_out:
            node.data = out
        variable._array = out
        variable._node = node
        return variable

    return call


def constant_operand(
    primitive: Primitive, apply: Operation, position: int, both: Operation, otherwise: Operation
) -> Operation:
    """A function of a Variable, at the given position, and a constant: a number or an array.

    It hands a second Variable to ``both``, and everything unusual to ``otherwise``.
    """
    link = primitive.link((position,))
    keeps_value, keeps_out = position in link.kept, link.keeps_out
    keeps_constant = 1 - position in link.kept
    power = primitive.name == "power"  # NumPy and the rule know small exponents by their type; integers are refused
    alone = keeps_constant_alone(link, position)
    places = ("operands", "others") if position == 0 else ("others", "operands")
    residuals = pick(link, places)

    def call(self: Variable, other: Any) -> Any:
        kind = type(other)
        if kind is Variable:
            return both(self, other)
        x = self._node
        if deviations or bodies or not x._requires_grad:
            return otherwise(self, other)
        spec = x.spec
        if kind is ndarray:
            if other.dtype is not spec.dtype:
                return otherwise(self, other)
            constant = other
            its = spec if other.shape == spec.shape else spec_of(other)
            shown = other if keeps_constant else its
        elif kind is float or kind is int:
            its = spec
            shown = other
            if power:
                constant = other
            else:
                constant = SCALARS[spec.dtype].get(other)
                if constant is None:
                    constant = weak_scalar(spec.dtype, other)
        else:
            return both(self, other) if isinstance(other, Variable) else otherwise(self, other)
        value = self._array
        if type(value) is not ndarray:
            return otherwise(self, other)
        try:
            out = apply(constant, value) if position else apply(value, constant)
        except EXPLAINED:
            return otherwise(self, other)
        if type(out) is not ndarray:
            if not isinstance(out, generic):
                return otherwise(self, other)
            out = asarray(out)
        if out.dtype is not spec.dtype or (power and out.dtype.kind not in "fc"):
            return otherwise(self, other)
        variable = new(Variable)
        node = new_node(VariableNode, variable)
        node.link = link
        node.operands = x
        node.residuals = constant if alone else residuals
        node.others = shown
        node.order = x.order + 1
        node.level = x.level
        node.spec = spec if its is spec else spec_of(out)
        node._requires_grad = True
        if keeps_value:
            x.data = value
        if keeps_out:
            node.data = out
        variable._array = out
        variable._node = node
        return variable

    return call


def both_operands(primitive: Primitive, apply: Operation, otherwise: Operation) -> Operation:
    """A function of two Variables."""
    link = primitive.link((0, 1))
    keeps_first, keeps_second, keeps_out = 0 in link.kept, 1 in link.kept, link.keeps_out
    residuals = pick(link, ("operands[0]", "operands[1]"))

    def call(self: Variable, other: Variable) -> Any:
        x, y = self._node, other._node
        spec = x.spec
        if deviations or bodies or not (x._requires_grad and y._requires_grad) or y.spec.dtype is not spec.dtype:
            return otherwise(self, other)
        a, b = self._array, other._array
        if type(a) is not ndarray:
            return otherwise(self, other)
        try:
            out = apply(a, b)
        except EXPLAINED:
            return otherwise(self, other)
        if type(out) is not ndarray:
            if not isinstance(out, generic):
                return otherwise(self, other)
            out = asarray(out)
        if out.dtype is not spec.dtype or out.dtype.kind not in "fc":
            return otherwise(self, other)
        variable = new(Variable)
        node = new_node(VariableNode, variable)
        node.link = link
        node.operands = x, y
        node.residuals = residuals
        node.order = (x.order if x.order > y.order else y.order) + 1
        node.level = x.level if x.level > y.level else y.level
        node.spec = spec if y.spec is spec else spec_of(out)
        node._requires_grad = True
        if keeps_first:
            x.data = a
        if keeps_second:
            y.data = b
        if keeps_out:
            node.data = out
        variable._array = out
        variable._node = node
        return variable

    return call
