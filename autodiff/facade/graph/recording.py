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
from autodiff.facade.graph.creator import Operation
from autodiff.facade.graph.known_operands import NUMBERS, Operands
from autodiff.facade.graph.labels import operation_label
from autodiff.facade.graph.node import VariableNode, Whole, new_node
from autodiff.facade.graph.observing import announced, observed, of_shown, shown_positions
from autodiff.facade.graph.replacing import replacement
from autodiff.facade.graph.residuals import without_itself
from autodiff.facade.settings.configuration import deviations
from autodiff.facade.settings.current import on_gpu_of
from autodiff.facade.settings.volatility import builds_graph, inherit
from autodiff.facade.variables.variable import UNINITIALISED, Variable
from autodiff.trace.failures.operations import explained
from autodiff.trace.live import EXPLAINED, Result
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import spec_of
from autodiff.trace.values.arrays import check_places

new = object.__new__


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
        label = operation_label(primitive, operation.entries)
        own = replacement(label)
        if own is not None:
            inputs = [operands[k] for k in shown_positions(operation.values, primitive.name)]
            return own(label, of_shown(run, operation.values, params, primitive.name), inputs, None)
        sketch = announced(label, operation.rank)
    with on_gpu_of(primitive.name, operation.values):
        if sketch is None:
            out = explained_call(primitive, run, operation.values, params)
        else:
            out = watched_call(sketch, primitive, run, operation.values, params)
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


def explained_call(
    primitive: Primitive, run: Callable[..., Any], values: Sequence[Any], params: Mapping[str, Any]
) -> Any:
    """What the operation gives; its errors name it and its operands."""
    try:
        return run(*values, **params)
    except EXPLAINED as error:
        check_places(primitive.name, values)
        raise explained(error, primitive.name, values) from None


def watched_call(
    sketch: Operation, primitive: Primitive, run: Callable[..., Any], values: Sequence[Any], params: Mapping[str, Any]
) -> Any:
    """The same, with hooks called around it, whose own errors stay as they are."""
    sketch.fun = of_shown(run, values, params, primitive.name)
    call = observed(sketch, lambda *values, **params: explained_call(primitive, run, values, params), primitive.name)
    return call(*values, **params)


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
