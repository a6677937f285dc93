"""What a loop does in a round, with types and places: what is left to printing is to choose instructions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autodiff.backends.language.tree import Expression
from autodiff.backends.language.types import Type


@dataclass(frozen=True, eq=False)
class Node:
    """An operation.

    Attributes:
        operation: ``number``, ``name``, ``load``, ``cast``, a sign, or the name of a function.
        type: of the result.
        operands: of one type, but for ``where`` and ``cast``; the index of a load.
        detail: the number, the name, or where a load reads: a `Place`.
        varying: whether the rounds of the loop have different results.
    """

    operation: str
    type: str
    operands: tuple[Node, ...] = ()
    detail: Any = None
    varying: bool = False


@dataclass(frozen=True)
class Place:
    """Where a load or store goes in memory.

    Attributes:
        base: the name of the address.
        stride: how many elements are between the places of two rounds; None if that differs.
    """

    base: str
    stride: int | None


@dataclass(frozen=True)
class Assign:
    """A name for a value."""

    name: str
    value: Node


@dataclass(frozen=True)
class Store:
    """A store of a value to memory."""

    place: Place
    type: str
    index: Node
    value: Node


@dataclass(frozen=True)
class Accumulate:
    """One more value for what a loop accumulates.

    Attributes:
        name: of the accumulator.
        kind: ``reduce_add``, ``reduce_multiply``, ``reduce_maximum``, ``reduce_minimum``, ``|`` or ``&``.
        value: of the accumulator's type.
    """

    name: str
    kind: str
    value: Node


Statement = Assign | Store | Accumulate


@dataclass(frozen=True)
class Plan:
    """A loop that can be printed.

    Attributes:
        variable: the name of the loop's variable.
        start: the first number of the loop's variable.
        stop: the number after the last one.
        length: how many rounds there are; None if that is not known.
        statements: of a round.
        given: the names that a round reads of what was before the loop, and their types.
        accumulators: the names that pass from round to round, and what they accumulate; all are among the given.
        results: the accumulators that are read after the loop.
        lines: of the kernel's text, one for each statement.
    """

    variable: str
    start: Expression
    stop: Expression
    length: int | None
    statements: tuple[Statement, ...]
    given: Mapping[str, Type]
    accumulators: Mapping[str, str]
    results: tuple[str, ...]
    lines: tuple[int, ...]


def strides(plan: Plan) -> set[int | None]:
    """The strides of all loads and stores."""
    found: set[int | None] = set()
    waiting: list[Node] = []
    for statement in plan.statements:
        waiting.append(statement.value)
        if isinstance(statement, Store):
            found.add(statement.place.stride)
    while waiting:
        node = waiting.pop()
        if isinstance(node.detail, Place):
            found.add(node.detail.stride)
        waiting.extend(node.operands)
    return found
