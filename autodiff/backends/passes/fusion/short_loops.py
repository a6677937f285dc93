"""Loops of a few small steps inside of others are written out: their steps join what is around them."""

from __future__ import annotations

from dataclasses import replace

from autodiff.backends.passes.fusion.loop_invariants import loop_of
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules, holds_tapes, in_bodies, rewrite
from autodiff.ops.index import slice_of
from autodiff.ops.join import stack
from autodiff.trace.tape import Equation, Operand, Tape, ordered

STEPS, OPERATIONS, SMALL = 8, 64, 64
"""So many steps are written out, if they are so many operations together, on values of so many elements."""


def written_out(builder: Builder, equation: Equation) -> tuple[Operand, ...] | None:
    """The steps of a short scan one after the other."""
    loop, params = loop_of(equation), dict(equation.params)
    if loop is None or loop.length > STEPS or loop.length * len(loop.tape.equations) > OPERATIONS:
        return None
    tape, last = loop.tape, loop.carry + loop.slices
    if any(s.size > SMALL for s in tape.specs) or any(map(ordered, tape.equations)):
        return None
    if any(holds_tapes(value) for each in tape.equations for _, value in each.params):
        return None
    if tape.output_specs[: loop.carry] != tape.inputs[: loop.carry]:
        return None  # converted from step to step
    carry: list[Operand] = list(equation.operands[: loop.carry])
    rows: list[dict[int, Operand]] = [{} for _ in tape.outputs[loop.carry :]]
    outer = builder.source
    for k in range(loop.length - 1, -1, -1) if params["reverse"] else range(loop.length):
        slices = [row_of(builder, x, k) for x in equation.operands[loop.carry : last]]
        now: list[Operand] = [*carry, *slices, *equation.operands[last:]]
        if tuple(map(builder.spec, now)) != tape.inputs:
            builder.source = outer
            return None
        for each in tape.equations:
            builder.source = each.source or outer
            operands = tuple(now[o] if isinstance(o, int) else o for o in each.operands)
            now.extend(builder.place(replace(each, operands=operands, source=builder.source)))
        outs = [now[o] if isinstance(o, int) else o for o in tape.outputs]
        carry = outs[: loop.carry]
        for row, out in zip(rows, outs[loop.carry :], strict=True):
            row[k] = out
    builder.source = outer
    every = range(loop.length)
    places = [-len(s.shape) for s in equation.specs[loop.carry :]]
    stacks = [builder.emit(stack, *(row[n] for n in every), axis=k) for row, k in zip(rows, places, strict=True)]
    return (*carry, *stacks)


def row_of(builder: Builder, x: Operand, k: int) -> Operand:
    """A slice of a stack."""
    rest = ((None, None, None),) * (builder.spec(x).ndim - 1)
    return builder.emit(slice_of, x, key=(k, *rest))


SHORT_LOOPS: Rules = {"scan": (written_out,)}


def short_loops_written_out(tape: Tape) -> Tape:
    """The tape without short loops inside of the bodies of its operations."""
    return in_bodies(tape, lambda body: rewrite(short_loops_written_out(body), SHORT_LOOPS))
