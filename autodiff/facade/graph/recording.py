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

from autodiff.facade.graph.changes import note_kept_by_rules
from autodiff.facade.graph.labels import operation_label
from autodiff.facade.graph.node import VariableNode, Whole, new_node
from autodiff.facade.graph.observing import announced, observed
from autodiff.facade.graph.residuals import without_itself
from autodiff.facade.settings.configuration import deviations
from autodiff.facade.settings.current import on_gpu_of
from autodiff.facade.settings.volatility import builds_graph, inherit
from autodiff.facade.variables.variable import UNINITIALISED, Variable
from autodiff.trace.errors import LeafError, explained
from autodiff.trace.link import Link
from autodiff.trace.live import EXPLAINED, Result
from autodiff.trace.primitive import Primitive
from autodiff.trace.recording import bodies, innermost_body
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.arrays import check_places
from autodiff.trace.values.leaves import COMMON, as_leaf

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
    operation = Operands(operands, lambda value, position: primitive.rule(position) is not None)
    run = apply or primitive
    sketch = None
    if deviations:
        sketch = announced(operation_label(primitive.name, operation.entries), operation.rank)
        run = run if sketch is None else observed(sketch, run)
    try:
        with on_gpu_of(primitive.name, operation.values):
            out = run(*operation.values, **params)
    except EXPLAINED as error:
        check_places(primitive.name, operation.values)
        raise explained(error, primitive.name, operation.values) from None
    if type(out) is not tuple and not any(primitive.rules) and not spec_of(out).inexact:
        return out  # comparisons, argmax, ...: plain values, with which Python can go on
    if not recorded(operation):
        return unlinked(operation, out, self.level)
    link = primitive.link(tuple(operation.positions))
    operation.keep(link)

    def residuals(keeper: VariableNode | Whole) -> Any:
        found = link.collect(operation.entries, keeper, params)
        if not link.keeps_out:
            return found
        keeper.data = out
        return without_itself(found, keeper)

    if sketch is not None:
        note_kept_by_rules(sketch, link, operation, out)
    return connected(operation, link, residuals, out, self.level, sketch)


class Operands:
    """The operands of one operation as the graph sees them.

    Args:
        operands: Variables, arrays, numbers.
        differentiable: says of the array of a Variable, and its position, whether it has a derivative.

    Attributes:
        values: the arrays of the Variables, and the other operands.
        entries: the nodes of the Variables, and the other operands.
        needs: whether any of the Variables requires a gradient.
        positions: which operands are differentiated.
        rank: the largest rank of the Variables.
    """

    __slots__ = ("entries", "needs", "positions", "rank", "values")

    def __init__(self, operands: Sequence[Any], differentiable: Callable[[Any, int], bool]) -> None:
        self.values = values = list(operands)
        self.entries = entries = list(operands)
        self.needs = False
        self.positions: list[int] = []
        positions = self.positions
        self.rank = 0
        outside = newest_trace(operands)
        for position, operand in enumerate(operands):
            if isinstance(operand, Variable):
                node = operand._node
                if node.level > outside:
                    if node.spec is UNINITIALISED:
                        _ = node.spec.dtype  # says what is missing
                    values[position] = value = operand._array
                    entries[position] = node
                    if node.order > self.rank:
                        self.rank = node.order
                    if node._requires_grad:
                        self.needs = True
                        if differentiable(value, position):
                            positions.append(position)
            elif type(operand) not in COMMON and (type(operand) is not np.ndarray or operand.dtype.kind == "O"):
                values[position] = entries[position] = as_leaf(operand)

    @classmethod
    def of_variables(cls, variables: Sequence[Variable]) -> Operands:
        """The operands of an operation of which all operands are Variables, with or without arrays."""
        operation = cls((), always)
        operation.values = [variable._array for variable in variables]
        operation.entries = [variable._node for variable in variables]
        operation.positions = [k for k, variable in enumerate(variables) if variable._node._requires_grad]
        operation.needs = bool(operation.positions)
        operation.rank = max((variable._node.order for variable in variables), default=0)
        return operation

    def keep(self, link: Link) -> None:
        """The nodes whose arrays the rules of the link need keep them from now on."""
        for kept in (-1,) if link.runs_again else link.kept:
            for position in range(len(self.values)) if kept < 0 else (kept,):
                if type(self.entries[position]) is VariableNode:
                    self.entries[position].data = self.values[position]

    def differentiated(self) -> Any:
        nodes = [self.entries[position] for position in self.positions]
        return nodes[0] if len(nodes) == 1 else tuple(nodes)

    def shown(self, kept: Sequence[int]) -> tuple[Any, ...]:
        """The operands for those who look at the graph, without arrays that no rule needs."""
        if -1 in kept:
            return tuple(self.entries)
        return tuple(
            entry
            if type(entry) is VariableNode or isinstance(entry, NUMBERS) or position in kept
            else shown_spec(entry)
            for position, entry in enumerate(self.entries)
        )


def always(value: Any, position: int) -> bool:
    """Every operand is differentiated."""
    return True


def shown_spec(operand: Any) -> Spec | None:
    """The spec of an operand, None if it has none."""
    try:
        return spec_of(operand)
    except LeafError:
        return None


def newest_trace(operands: Sequence[Any]) -> int:
    """The level of the newest trace: of the body that is recorded, or of a traced value among the operands."""
    body = innermost_body() if bodies else None
    newest = 0 if body is None else body.level
    for operand in operands:
        value = operand._array if isinstance(operand, Variable) else operand
        if isinstance(value, Tracer) and value.level > newest:
            newest = value.level
    return newest


def root_result(out: Any, level: int, needs: bool) -> Variable:
    """A Variable for a result, not linked to anything yet."""
    if type(out) is not np.ndarray and isinstance(out, NUMBERS):
        out = np.asarray(out)
    variable: Variable = new(Variable)
    variable._array = out
    variable._node = new_node(VariableNode, variable)
    variable._node.fill_as_root(UNINITIALISED if out is None else spec_of(out), level, needs)
    return variable


def recorded(operation: Operands) -> bool:
    """Whether this thread builds the graph of an operation."""
    return not deviations or builds_graph(operation.entries)


def unlinked(operation: Operands, out: Any, level: int) -> Any:
    """The result, or the results, as Variables that come from nowhere."""
    needs = operation.needs
    several = type(out) is tuple
    results: Any
    results = tuple([root_result(part, level, needs) for part in out]) if several else root_result(out, level, needs)
    if deviations:
        inherit(results if several else (results,), operation.entries)
    return results


def connected(
    operation: Operands,
    link: Any,
    residuals: Any,
    out: Any,
    level: int,
    function: Any = None,
) -> Any:
    """The result, or the tuple of results, as Variables that are linked to the operands.

    Args:
        operation: the operands.
        link: the link of the operation.
        residuals: what the link needs; a function that gives it from the node that will keep it.
        out: an array, or a tuple of arrays.
        level: when the newest of the operands was made.
        function: the object that shows the operation to those who look at the graph, if it is there already.
    """
    variables = unlinked(operation, out, level)
    rank = operation.rank
    keeper: Any
    if type(out) is tuple:
        keeper = Whole()
        keeper.order = rank + 0.5  # between the operands' and the results'
        keeper.spec = tuple(variable._node.spec for variable in variables)
        keeper.level = level
        keeper.results = [weakref.ref(variable._node) for variable in variables]
        for index, variable in enumerate(variables):
            node = variable._node
            node.link, node.operands, node.order = Result(index), keeper, rank + 1
    else:
        keeper = variables._node
        keeper.order = rank + 1
    keeper.link = link
    keeper.operands = operation.differentiated()
    keeper.others = operation.shown(link.kept)
    keeper.residuals = residuals(keeper) if callable(residuals) else residuals
    if function is not None:
        keeper._function = function
        function.shows(keeper)
    return variables


Variable.record = record  # type: ignore[method-assign, assignment]
