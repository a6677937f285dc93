"""An operation on a tape as rules of dependence see it, and what most rules are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.ops.shape import without
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation
from autodiff.transforms.sparse.dependence import Dependence, met
from autodiff.transforms.sparse.values import Evidence, Known, Value

Found = Dependence | Sequence[Dependence] | None
"""What a rule gives for one result or several; None where it does not know."""

SMALL = 2**26
"""Products with constant matrices are looked into element by element if they take no more multiplications."""


class Operation:
    """One operation on a tape, with what is known of its operands.

    Attributes:
        primitive: the operation.
        params: its parameters.
        operands: its operands.
        specs: their specs.
        slots: where they stand on the tape; None for numbers.
        results: the specs of the results.
        evidence: what of constants was looked at.
    """

    def __init__(
        self, equation: Equation, operands: Sequence[Value], specs: Sequence[Spec], evidence: Evidence
    ) -> None:
        self.primitive = equation.primitive
        self.params: dict[str, Any] = dict(equation.params)
        self.operands = operands
        self.specs = specs
        self.slots = [o if isinstance(o, int) else None for o in equation.operands]
        self.results = equation.specs
        self.evidence = evidence

    @property
    def moving(self) -> list[Dependence]:
        """The operands that depend on the inputs."""
        return [operand for operand in self.operands if isinstance(operand, Dependence)]

    @property
    def one(self) -> Dependence | None:
        """The first operand, where it is the only one that depends on the inputs."""
        first = self.operands[0]
        return first if isinstance(first, Dependence) and len(self.moving) == 1 else None

    def value(self, position: int) -> Any:
        """The value of an operand; None where it is not known."""
        operand = self.operands[position]
        return self.evidence.value(operand) if isinstance(operand, Known) else None


def within_axes(operation: Operation, axes: tuple[int, ...]) -> Found:
    """What mixes elements along axes alone: results have the shape of the operands, or lack these axes.

    All operands that take part have the axes, which are negative; their other axes broadcast.
    """
    shapes = [part.numbers.shape for part in operation.moving]
    if len({len(own) for own in shapes}) > 1 or any(not -len(shapes[0]) <= axis < 0 for axis in axes):
        return None
    full = np.broadcast_shapes(*shapes)
    found = []
    for one in operation.results:
        rest = without(full, axes)
        lead = one.shape[: len(full) - len(axes)] if axes == tuple(range(-len(axes), 0)) else None
        if one.shape == rest:
            found.append(met([part.along(axes, False) for part in operation.moving], one.shape))
        elif (lead == rest and len(one.shape) == len(full)) or without(one.shape, axes) == rest:
            found.append(met([part.along(axes, True) for part in operation.moving], one.shape))
        else:
            return None
    return found


def summed_along(operation: Operation) -> Found:
    """Sums along axes; a mask, or a first summand, may be among the operands."""
    parts = []
    for position, operand in enumerate(operation.operands):
        if isinstance(operand, Dependence):
            parts.append(operand.along(operation.params["axes"], False) if position == 0 else operand.everywhere(()))
    return met(parts, operation.results[0].shape)
