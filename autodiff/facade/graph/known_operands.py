"""The operands of an operation as the graph sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.facade.graph.node import VariableNode
from autodiff.facade.variables.variable import UNINITIALISED, Variable
from autodiff.trace.errors import LeafError
from autodiff.trace.link import Link
from autodiff.trace.recording import bodies, innermost_body
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.leaves import COMMON, as_leaf

NUMBERS = (bool, int, float, complex, np.generic)


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
