"""The dependence of a tape's outputs on some of its inputs, operation by operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.backends.reference import run_equation
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Literal, Tape, operand_specs
from autodiff.trace.tape_call import TapeCall
from autodiff.transforms.control.branch_call import BranchCall
from autodiff.transforms.control.rows import order
from autodiff.transforms.control.scan_call import ScanCall
from autodiff.transforms.control.scan_derivative import parts_of
from autodiff.transforms.sparse.dependence import Dependence, TooManyError, met, on_one_table
from autodiff.transforms.sparse.operation import Operation
from autodiff.transforms.sparse.rules import results_of
from autodiff.transforms.sparse.values import Evidence, Known, Unknown, Value

STEPS = 2**14
"""Loops of more operations than this are not taken step by step: all they give depends on all they get."""


def walk(tape: Tape, inputs: Sequence[Value], evidence: Evidence) -> list[Value]:
    """What is known of a tape's outputs, given what is known of its inputs, constants among them.

    Raises:
        DifferentiationError: if there would be too many entries, naming the user's line.
    """
    slots = list(inputs)
    known = list(tape.inputs)
    for equation in tape.equations:
        operands = [slots[o] if isinstance(o, int) else literal(o) for o in equation.operands]
        specs = operand_specs(equation.operands, known)
        try:
            slots.extend(through(equation, operands, specs, evidence))
        except TooManyError as error:
            where = f" ({equation.source})" if equation.source else ""
            raise error.refusal(f"{equation.primitive.name}{where}") from None
        known.extend(equation.specs)
    return [slots[o] if isinstance(o, int) else literal(o) for o in tape.outputs]


def literal(number: Literal) -> Value:
    """A number on a tape. Those that are no integers are different in each call, and no index."""
    return Known(number.value) if spec_of(number.value).dtype.kind in "biu" else Unknown(spec_of(number.value))


def through(
    equation: Equation, operands: Sequence[Value], specs: Sequence[Spec], evidence: Evidence
) -> Sequence[Value]:
    """What is known of the results of one operation."""
    if not any(isinstance(operand, Dependence) for operand in operands):
        return computed(equation, operands)
    primitive, params = equation.primitive, dict(equation.params)
    if isinstance(primitive, TapeCall):
        return depending(walk(params["tape"], operands, evidence), equation)
    if isinstance(primitive, BranchCall):
        return through_branches(params["branches"], operands, equation, evidence)
    if isinstance(primitive, ScanCall) and params["length"] * len(params["tape"].equations) <= STEPS:
        return through_scan(operands, specs, params, equation, evidence)
    return results_of(Operation(equation, operands, specs, evidence))


def computed(equation: Equation, operands: Sequence[Value]) -> list[Value]:
    """Results that do not depend on the inputs: values where those of the operands are known."""
    known = [operand for operand in operands if isinstance(operand, Known)]
    if len(known) < len(operands):
        return list(map(Unknown, equation.specs))
    with np.errstate(all="ignore"):
        out = run_equation(equation, [operand.value for operand in known])
    sources = frozenset().union(*(operand.sources for operand in known))
    return [Known(part, sources) for part in (out if isinstance(out, tuple) else (out,))]


def through_branches(
    branches: Sequence[Tape], operands: Sequence[Value], equation: Equation, evidence: Evidence
) -> Sequence[Value]:
    """Any of the branches may be taken, unless its number is known."""
    index, *rest = operands
    if isinstance(index, Known):
        number = int(evidence.value(index))
        branches = [branches[number if 0 <= number < len(branches) else -1]]
    found = [walk(tape, rest, evidence) for tape in branches]
    extra = [index] if isinstance(index, Dependence) else []
    return [
        united([*column, *extra], one) for column, one in zip(zip(*found, strict=True), equation.specs, strict=True)
    ]


def through_scan(
    operands: Sequence[Value], specs: Sequence[Spec], params: dict[str, Any], equation: Equation, evidence: Evidence
) -> Sequence[Value]:
    """A loop over slices, step by step."""
    count, tape = params["carry"], params["tape"]
    first, xs, outside = parts_of(operands, params)
    carry: list[Value] = list(first)
    rows: list[list[Value]] = [[Unknown(one)] * params["length"] for one in tape.output_specs[count:]]
    for k in order(params["length"], params["reverse"]):
        outs = walk(tape, [*carry, *(row_of(x, k) for x in xs), *outside], evidence)
        carry = outs[:count]
        for column, out in zip(rows, outs[count:], strict=True):
            column[k] = out
    stacked = [united_rows(column, one) for column, one in zip(rows, equation.specs[count:], strict=True)]
    return [*(united([c], one) for c, one in zip(carry, equation.specs, strict=False)), *stacked]


def row_of(value: Value, k: int) -> Value:
    """One slice of a value."""
    if isinstance(value, Dependence):
        return Dependence(value.numbers[k], value.sets)
    if isinstance(value, Known):
        return Known(value.value[k], value.sources)
    return Unknown(Spec(value.spec.shape[1:], value.spec.dtype))


def united_rows(rows: Sequence[Value], one: Spec) -> Value:
    """Slices, stacked."""
    moving = [row for row in rows if isinstance(row, Dependence)]
    if not moving:
        return Unknown(one)
    numbers, sets = on_one_table(moving)
    remaining = iter(numbers)
    shape = one.shape[1:]
    full = [np.broadcast_to(next(remaining) if isinstance(row, Dependence) else 0, shape) for row in rows]
    return Dependence(np.stack(full), sets)


def united(column: Sequence[Value], one: Spec) -> Value:
    """A value that may be any of several."""
    moving = [value for value in column if isinstance(value, Dependence)]
    if moving:
        return met(moving, one.shape)
    return column[0] if len(column) == 1 else Unknown(one)


def depending(found: Sequence[Value], equation: Equation) -> Sequence[Value]:
    """The outputs of a tape, as the results of an operation that calls it."""
    return [united([value], one) for value, one in zip(found, equation.specs, strict=True)]
