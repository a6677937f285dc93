"""How any operation on Variables is recorded: the long way, which every primitive takes.

An operation belongs to the graph of Variables where the Variable that was made last is newer than every traced value
among the operands. Variables that were made before the trace of such a value began are outside of it: to the graph they
are constants, and the operation that runs on the values connects them to the outer graph.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.facade.configuration import config, deviations
from autodiff.facade.node import VariableNode, Whole, new_node
from autodiff.facade.residuals import without_itself
from autodiff.facade.variable import UNINITIALISED, Variable
from autodiff.trace.errors import explained
from autodiff.trace.link import Link
from autodiff.trace.live import EXPLAINED, Result
from autodiff.trace.primitive import Primitive
from autodiff.trace.recording import bodies, innermost_body
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import Tracer

new = object.__new__
NUMBERS = (bool, int, float, complex, np.generic)


def record(
    self: Variable,
    primitive: Primitive,
    operands: Sequence[Any],
    params: Mapping[str, Any],
    apply: Callable[..., Any] | None = None,
) -> Any:
    """Run one operation, of whose operands ``self`` was made last, and link its result to them."""
    operation = Operands(primitive, operands)
    try:
        out = (apply or primitive)(*operation.values, **params)
    except EXPLAINED as error:
        raise explained(error, primitive.name, operation.values) from None
    level = self._node.level
    if type(out) is tuple:
        return several_results(operation, out, params, level)
    if not any(primitive.rules) and not spec_of(out).inexact:
        return out  # comparisons, argmax, ...: plain values, with which Python can go on
    return one_result(operation, out, params, level)


class Operands:
    """The operands of one operation as the graph sees them.

    Attributes:
        values: the arrays of the Variables, and the other operands.
        entries: the nodes of the Variables, and the other operands.
        needs: whether any of the Variables requires a gradient.
        positions: which operands are differentiated.
    """

    __slots__ = ("entries", "needs", "positions", "primitive", "values")

    def __init__(self, primitive: Primitive, operands: Sequence[Any]) -> None:
        self.primitive = primitive
        self.values, self.entries = list(operands), list(operands)
        self.needs = False
        self.positions: list[int] = []
        outside = newest_trace(operands)
        for position, operand in enumerate(operands):
            if isinstance(operand, Variable):
                node = operand._node
                if node.spec is UNINITIALISED:
                    _ = node.spec.dtype  # says what is missing
                if node.level > outside:
                    self.values[position] = operand._data
                    self.entries[position] = node
                    if node._requires_grad:
                        self.needs = True
                        if primitive.rule(position) is not None:
                            self.positions.append(position)

    @property
    def rank(self) -> int:
        return max(entry.order for entry in self.entries if type(entry) is VariableNode)

    def link(self) -> Link:
        """The link; the nodes whose arrays its rules need keep them from now on."""
        link = self.primitive.link(tuple(self.positions))
        for kept in link.kept:
            for position in range(len(self.values)) if kept < 0 else (kept,):
                if type(self.entries[position]) is VariableNode:
                    self.entries[position].data = self.values[position]
        return link

    def differentiated(self) -> Any:
        nodes = [self.entries[position] for position in self.positions]
        return nodes[0] if len(nodes) == 1 else tuple(nodes)

    def shown(self, link: Link) -> tuple[Any, ...]:
        """The operands for those who look at the graph, without arrays that no rule needs."""
        everything = -1 in link.kept
        return tuple(
            entry
            if type(entry) is VariableNode or isinstance(entry, NUMBERS) or everything or position in link.kept
            else shown_spec(entry)
            for position, entry in enumerate(self.entries)
        )


def shown_spec(operand: Any) -> Spec | None:
    """The spec of an operand, None if it has none."""
    try:
        return spec_of(operand)
    except AttributeError:
        return None


def newest_trace(operands: Sequence[Any]) -> int:
    """The level of the newest trace: of the body that is recorded, or of a traced value among the operands."""
    body = innermost_body() if bodies else None
    newest = 0 if body is None else body.level
    for operand in operands:
        value = operand._data if isinstance(operand, Variable) else operand
        if isinstance(value, Tracer) and value.level > newest:
            newest = value.level
    return newest


def root_result(out: Any, level: int, needs: bool) -> Variable:
    """A Variable for a result, not linked to anything yet."""
    if isinstance(out, NUMBERS):
        out = np.asarray(out)
    variable: Variable = new(Variable)
    variable._data = out
    variable._node = new_node(VariableNode, variable)
    variable._node.fill_as_root(spec_of(out), level, needs)
    return variable


def recorded() -> bool:
    """Whether this thread builds a graph."""
    return not deviations or bool(config.enable_backprop)


def one_result(operation: Operands, out: Any, params: Mapping[str, Any], level: int) -> Variable:
    """The result as a Variable, linked to the operands."""
    variable = root_result(out, level, operation.needs)
    if recorded():
        node = variable._node
        link = operation.link()
        node.link = link
        node.operands = operation.differentiated()
        node.others = operation.shown(link)
        node.order = operation.rank + 1
        residuals = link.collect(operation.entries, node, params)
        if link.keeps_out:
            node.data = variable._data
            residuals = without_itself(residuals, node)
        node.residuals = residuals
    return variable


def several_results(operation: Operands, outs: tuple[Any, ...], params: Mapping[str, Any], level: int) -> Any:
    """The results as Variables, linked to one operation."""
    variables = tuple(root_result(out, level, operation.needs) for out in outs)
    if recorded():
        whole = Whole()
        link = operation.link()
        whole.link = link
        whole.operands = operation.differentiated()
        whole.others = operation.shown(link)
        whole.order = operation.rank + 0.5  # between the operands' and the results'
        whole.spec = tuple(variable._node.spec for variable in variables)
        whole.level = level
        whole.results = [weakref.ref(variable._node) for variable in variables]
        residuals = link.collect(operation.entries, whole, params)
        if link.keeps_out:
            whole.data = tuple(variable._data for variable in variables)
            residuals = without_itself(residuals, whole)
        whole.residuals = residuals
        for index, variable in enumerate(variables):
            node = variable._node
            node.link, node.operands, node.order = Result(index), whole, operation.rank + 1
    return variables


Variable.record = record  # type: ignore[method-assign, assignment]
