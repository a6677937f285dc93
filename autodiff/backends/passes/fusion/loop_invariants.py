"""Products move out of loops: many narrow ones become one.

A step of a scan has few rows. A product of them with a large matrix reads the matrix in every step, and a sum of
products that is carried along is read and written in every step. Where a product depends on slices alone, it is made of
all slices before the loop; where products are only added up, their factors are stacked and multiplied after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.elementwise import add
from autodiff.ops.matrices.products import matmul
from autodiff.ops.shape import reshape, transpose
from autodiff.trace.spec import Spec, spec
from autodiff.trace.tape import Equation, Operand, Tape

LARGE = 1 << 14
"""Elements from which on a matrix is not at hand in every step."""

NARROW = 64
"""Rows of a step that are few: a product with more of them takes longer than reading the other matrix."""


@dataclass(frozen=True)
class Loop:
    """A scan taken apart.

    Attributes:
        tape: of its body, whose inputs are the carry, then slices, then what stays the same.
        carry: how many values are carried.
        slices: how many operands come in by slices.
        length: steps.
        made: the operation of the body that fills a slot.
        reads: how often the body reads a slot; its outputs count.
    """

    tape: Tape
    carry: int
    slices: int
    length: int
    made: Mapping[int, Equation]
    reads: Mapping[int, int]

    def is_slice(self, slot: Operand) -> bool:
        return isinstance(slot, int) and self.carry <= slot < self.carry + self.slices

    def is_fixed(self, slot: Operand) -> bool:
        return isinstance(slot, int) and self.carry + self.slices <= slot < len(self.tape.inputs)


def loop_of(equation: Equation) -> Loop | None:
    """The scan of an operation; None if its body does not have the form that is taken apart here."""
    params = dict(equation.params)
    tape: Tape = params["tape"]
    if tape.constants or not params["length"]:
        return None
    made = {slot: each for each in tape.equations for slot in each.results}
    reads: dict[int, int] = {}
    for slot in (*(o for each in tape.equations for o in each.operands), *tape.outputs):
        if isinstance(slot, int):
            reads[slot] = reads.get(slot, 0) + 1
    return Loop(tape, params["carry"], params["slices"], params["length"], made, reads)


def products_before(builder: Builder, equation: Equation) -> tuple[Operand, ...] | None:
    """A product of a slice and a matrix that stays the same is made of all slices at once."""
    loop = loop_of(equation)
    found = None if loop is None else next((e for e in loop.tape.equations if narrow_product(loop, e)), None)
    if loop is None or found is None:
        return None
    rows, matrix = (equation.operands[o] for o in found.operands if isinstance(o, int))
    flat = under_each_other(builder, rows)
    shape = (loop.length, *found.specs[0].shape)
    whole = builder.emit(reshape, builder.emit(matmul, flat, matrix), shape=shape)
    place = loop.carry + loop.slices
    inputs = [*range(place), found.results[0], *range(place, len(loop.tape.inputs))]
    operands = (*equation.operands[:place], whole, *equation.operands[place:])
    body = body_of(loop.tape, inputs, loop.tape.outputs)
    return again(builder, equation, body, operands, loop.carry, loop.slices + 1)


def narrow_product(loop: Loop, equation: Equation) -> bool:
    """Whether an operation of a body is a product of some rows of a slice and a large matrix that stays the same."""
    if equation.primitive.name != "matmul" or not loop.is_slice(equation.operands[0]):
        return False
    rows, matrix = (loop.tape.specs[o] for o in equation.operands if isinstance(o, int))
    if not loop.is_fixed(equation.operands[1]) or rows.ndim != 2 or matrix.ndim != 2:
        return False
    return matrix.size >= LARGE and rows.shape[0] <= NARROW


def products_after(builder: Builder, equation: Equation) -> tuple[Operand, ...] | None:
    """A carried sum of products that nothing else reads is one product of all their factors."""
    loop = loop_of(equation)
    if loop is None:
        return None
    tape = loop.tape
    for place in range(loop.carry):
        factors = carried_product(loop, place)
        if factors is None:
            continue
        others = [k for k in range(loop.carry) if k != place]
        stacked = [slot for slot in dict.fromkeys(factors) if not loop.is_slice(slot)]
        inputs = [k for k in range(len(tape.inputs)) if k != place]
        operands = tuple(equation.operands[k] for k in inputs)
        body = body_of(tape, inputs, [*(tape.outputs[k] for k in others), *tape.outputs[loop.carry :], *stacked])
        outs = again(builder, equation, body, operands, loop.carry - 1, loop.slices)
        stacks = dict(zip(stacked, outs[len(outs) - len(stacked) :], strict=True))
        rows = [stacks[slot] if slot in stacks else equation.operands[slot] for slot in factors]
        first, second = (under_each_other(builder, x) for x in rows)
        product = builder.emit(matmul, builder.emit(transpose, first, axes=(-1, -2)), second)
        total = builder.emit(add, equation.operands[place], product)
        return (*outs[:place], total, *outs[place : len(outs) - len(stacked)])
    return None


def carried_product(loop: Loop, place: int) -> tuple[int, int] | None:
    """The P and Q of a carried sum of P^T Q that is large beside them; None where the carry is something else."""
    total = loop.tape.outputs[place]
    added = loop.made.get(total) if isinstance(total, int) else None
    if (
        added is None
        or added.primitive.name != "add"
        or loop.reads[added.results[0]] != 1
        or place not in added.operands
    ):
        return None
    if loop.reads[place] != 1:
        return None
    product = made_by(loop, next((o for o in added.operands if o != place), None), "matmul")
    turned = made_by(loop, product.operands[0], "transpose") if product is not None else None
    if product is None or turned is None or dict(turned.params)["axes"] not in ((-1, -2), (1, 0)):
        return None
    specs = loop.tape.specs
    first, second = turned.operands[0], product.operands[1]
    if not isinstance(first, int) or not isinstance(second, int) or loop.is_fixed(first) or loop.is_fixed(second):
        return None
    if specs[first].ndim != 2 or specs[second].ndim != 2 or not specs[place] == product.specs[0] == added.specs[0]:
        return None
    large = product.specs[0].size >= max(LARGE, specs[first].size + specs[second].size)
    return (first, second) if large and specs[first].shape[0] <= NARROW else None


def under_each_other(builder: Builder, stack: Operand) -> Operand:
    """The rows of all matrices of a stack as one matrix."""
    shape = builder.spec(stack).shape
    return builder.emit(reshape, stack, shape=(prod(shape[:-1]), shape[-1]))


def made_by(loop: Loop, slot: Operand | None, name: str) -> Equation | None:
    """The operation of the body that fills a slot, if it has this name."""
    found = loop.made.get(slot) if isinstance(slot, int) else None
    return found if found is not None and found.primitive.name == name else None


def body_of(tape: Tape, inputs: Sequence[int], outputs: Sequence[Operand]) -> Tape:
    """The body with other inputs, of which some are results of its operations, and other outputs."""
    number = {slot: k for k, slot in enumerate(inputs)}
    equations: list[Equation] = []
    free = len(inputs)
    for each in tape.equations:
        if any(isinstance(o, int) and o not in number for o in each.operands):
            continue  # it waits for a carry that is gone, and gives nothing else
        results = tuple(range(free, free + len(each.results)))
        free += len(results)
        operands = tuple(number[o] if isinstance(o, int) else o for o in each.operands)
        equations.append(replace(each, operands=operands, results=results))
        for old, new in zip(each.results, results, strict=True):
            number.setdefault(old, new)
    wanted = tuple(number[o] if isinstance(o, int) else o for o in outputs)
    return drop_dead(Tape(tuple(tape.specs[slot] for slot in inputs), tuple(equations), wanted))


def again(
    builder: Builder, equation: Equation, body: Tape, operands: tuple[Operand, ...], carry: int, slices: int
) -> tuple[Operand, ...]:
    """The results of a scan with another body."""
    params = {**dict(equation.params), "tape": body, "carry": carry, "slices": slices}
    rows = [stacked_spec(s, params["length"]) for s in body.output_specs[carry:]]
    specs = (*body.inputs[:carry], *rows)
    return builder.place(replace(equation, operands=operands, params=tuple(sorted(params.items())), specs=specs))


def stacked_spec(one: Spec, length: int) -> Spec:
    """The spec of the values of all steps."""
    return spec((length, *one.shape), one.dtype)


LOOPS: Rules = {"scan": (products_before, products_after)}
