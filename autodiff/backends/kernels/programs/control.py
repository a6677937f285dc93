"""Loops and branches: the bodies' operations inside of a loop or branch of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.axes import Names, Step
from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import (
    Buffer,
    Impossible,
    Registers,
    objects,
    text,
)
from autodiff.backends.kernels.programs.values import Parts, Value
from autodiff.backends.kernels.scalars import cast
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape


def placed(scope: Scope, operand: Operand) -> Value:
    """A value as bodies see it: in variables if it is small, else in memory."""
    found = scope.settled(operand)
    if isinstance(found, Buffer) and not scope.emitter.split(found.shape):
        return scope.registers(operand)
    return found


class Carry:
    """What goes round a loop: variables that are assigned again, or memory that is written again."""

    def __init__(self, scope: Scope, operand: Operand, spec: Spec) -> None:
        self.scope, self.spec = scope, spec
        emitter = scope.emitter
        self.place: Registers | Buffer
        if emitter.split(spec.shape):
            target = emitter.allocate(spec.shape, spec.dtype)
            scope.copied(target, operand)
            self.place = target
            return
        given = scope.registers(operand)
        names = objects(spec.shape)
        for index in product(*map(range, spec.shape)):
            names[index] = emitter.name("c")
            emitter.line(f"{names[index]} = {self.converted(given, index)}")
        self.place = Registers(names, spec.dtype)

    def converted(self, given: Registers, index: Any) -> str:
        elements = np.broadcast_to(given.elements, self.spec.shape)
        return cast(text(elements[index], given.dtype), given.dtype, self.spec.dtype)


def go_round(carries: Sequence[Carry], scope: Scope, outs: Sequence[Operand]) -> None:
    """Assign the new carries at once: none of them may see another one's new value."""
    emitter = scope.emitter
    emitter.flush()
    left: list[str] = []
    right: list[str] = []
    moved: list[tuple[Buffer, Operand]] = []
    grown: list[tuple[Buffer, Parts]] = []
    for carry, out in zip(carries, outs, strict=True):
        if isinstance(carry.place, Registers):
            given = scope.registers(out)
            for index in product(*map(range, carry.spec.shape)):
                name, value = carry.place.elements[index], carry.converted(given, index)
                if name != value:
                    left.append(name)
                    right.append(value)
            continue
        parts = scope.values.get(out) if isinstance(out, int) else None
        if isinstance(parts, Parts) and parts.base is not None and scope.values.get(parts.base) is carry.place:
            grown.append((carry.place, parts))
        else:
            moved.append((carry.place, out))
    bases = memory_of(carries)
    settled: list[tuple[Buffer, Registers | Buffer]] = []
    for target, out in moved:
        found: Registers | Buffer = scope.settled(out)
        if isinstance(found, Buffer):
            emitter.ready(found)
            same = found.base == target.base and found.strides == target.strides and found.offset == target.offset
            if same:
                continue
            if found.base in bases:
                again = emitter.allocate(target.shape, target.dtype)
                copy_between(scope, again, found)
                found = again
        settled.append((target, found))
    read_before_growing(scope, grown)
    emitter.flush()
    for target, parts in grown:  # before other carries have their new values, which parts may be pieces of
        scope.add_parts(target, parts)
    emitter.flush()
    for target, found in settled:
        copy_between(scope, target, found)
    emitter.flush()
    if left:
        emitter.line(f"{', '.join(left)} = {', '.join(right)}")


def read_before_growing(scope: Scope, grown: Sequence[tuple[Buffer, Parts]]) -> None:
    """Copy what is added to carries in place and lies in one of them itself."""
    bases = {target.base for target, _ in grown}
    for _, parts in grown:
        for _, piece in parts.pieces:
            found = scope.settled(piece)
            if isinstance(found, Buffer) and found.base in bases:
                again = scope.emitter.allocate(found.shape, found.dtype)
                copy_between(scope, again, found)
                scope.values[piece] = again


def copy_between(scope: Scope, target: Buffer, value: Registers | Buffer) -> None:
    """Copy a value that has no slot."""
    free = -1
    scope.values[free], scope.extra = value, Spec(value.shape, value.dtype)
    scope.copied(target, free)
    del scope.values[free]


def body_scope(
    scope: Scope, tape: Tape, values: Sequence[Value], looped: bool = True, carries: Sequence[Carry] = ()
) -> Scope:
    """The values of a body whose operations are emitted where the lines are now."""
    inner = Scope(scope.emitter, tape, values, looped=looped)
    inner.own = memory_of(carries)
    inner.run()
    return inner


def memory_of(carries: Sequence[Carry]) -> set[str]:
    """The addresses of the memory that a body may write over, where it has read it."""
    return {carry.place.base for carry in carries if isinstance(carry.place, Buffer)}


def carried_axes(step: Step, count: int, body: Tape, inputs: Sequence[Names]) -> list[Names]:
    """What goes round a loop goes along with what begins it and with what is left of it; the axes of all outputs."""
    outs = step.axes.follow(body, inputs)
    for own, out, result in zip(inputs[:count], outs, step.results, strict=False):
        step.aligned(out, own)
        step.aligned(own, result)
    return outs


def scanned_axes(step: Step) -> None:
    """A loop goes through the first axes of its slices and stacks; their others go along."""
    params = dict(step.equation.params)
    count, slices, body = params["carry"], params["slices"], params["tape"]
    inputs = [step.axes.new(s) for s in body.inputs]
    for number, (own, inner) in enumerate(zip(step.operands, inputs, strict=True)):
        step.aligned(own[1:] if count <= number < count + slices else own, inner)
    outs = carried_axes(step, count, body, inputs)
    for out, result in zip(outs[count:], step.results[count:], strict=True):
        step.aligned(out, result[1:])


@handles("scan", kin=scanned_axes)
def scan(scope: Scope, equation: Equation) -> None:
    """A loop over slices."""
    params = dict(equation.params)
    tape, count, length = params["tape"], params["carry"], params["length"]
    emitter = scope.emitter
    slices = params["slices"]
    given = equation.operands
    init, xs, outside = given[:count], given[count : count + slices], given[count + slices :]
    carries = [Carry(scope, o, s) for o, s in zip(init, tape.inputs, strict=False)]
    rows = [scope.buffer(x) for x in xs]
    around = [placed(scope, o) for o in outside]
    stacks = [
        scope.target(slot, s.shape, s.dtype)
        for slot, s in zip(equation.results[count:], equation.specs[count:], strict=True)
    ]
    step = emitter.name("t")
    order = f"range({length - 1}, -1, -1)" if params["reverse"] else f"range({length})"
    emitter.loop(f"for {step} in {order}:")
    inputs: list[Value] = [carry.place for carry in carries]
    for row, s in zip(rows, tape.inputs[count:], strict=False):
        if row.dtype != s.dtype:
            raise Impossible("slices of another dtype than their body takes")
        base = emitter.define(f"shifted({row.base}, {step} * {row.strides[0] * row.dtype.itemsize})")
        slice_ = Buffer(base, row.shape[1:], row.strides[1:], row.offset, row.dtype)
        inputs.append(slice_)
    inner = Scope(emitter, tape, [*inputs, *around], looped=True)
    inner.own = memory_of(carries)
    targets = []
    for stack, out in zip(stacks, tape.outputs[count:], strict=True):
        base = emitter.define(f"shifted({stack.base}, {step} * {stack.strides[0] * stack.dtype.itemsize})")
        target = Buffer(base, stack.shape[1:], stack.strides[1:], stack.offset, stack.dtype)
        targets.append((target, out))
        if isinstance(out, int) and out >= len(tape.inputs) and inner.specs[out].dtype == stack.dtype:
            inner.targets.setdefault(out, target)
    inner.run()
    for target, out in targets:
        found = inner.settled(out)
        if not (isinstance(found, Buffer) and found.base == target.base):
            inner.copied(target, out)
    go_round(carries, inner, tape.outputs[:count])
    emitter.end()
    scope.keep(equation, *(carry.place for carry in carries), *stacks)


def repeated_axes(step: Step) -> None:
    """What a condition and a body see goes along with what they are given."""
    params = dict(step.equation.params)
    inputs = [step.axes.new(s) for s in params["body"].inputs]
    for own, inner in zip(step.operands, inputs, strict=True):
        step.aligned(own, inner)
    step.axes.follow(params["condition"], inputs)
    carried_axes(step, params["carry"], params["body"], inputs)


@handles("while_loop", kin=repeated_axes)
def while_loop(scope: Scope, equation: Equation) -> None:
    """A loop with a condition."""
    params = dict(equation.params)
    if params["max_steps"] is not None:
        raise Impossible("a loop with a limit of steps")
    condition, body, count = params["condition"], params["body"], params["carry"]
    emitter = scope.emitter
    carries = [Carry(scope, o, s) for o, s in zip(equation.operands, body.inputs[:count], strict=False)]
    around = [placed(scope, o) for o in equation.operands[count:]]
    emitter.loop("while True:")
    inputs = [carry.place for carry in carries]
    holds = body_scope(scope, condition, [*inputs, *around])
    emitter.flush()
    found = text(holds.registers(condition.outputs[0]).elements.reshape(-1)[0], np.dtype(bool))
    emitter.line(f"if not {found}:")
    emitter.line("    break")
    inner = body_scope(scope, body, [*inputs, *around], carries=carries)
    go_round(carries, inner, body.outputs[:count])
    if emitter.called_out:  # after an error nobody knows whether the condition will ever fail
        emitter.line("if load_int64(memory, 0) != 0:")
        emitter.line("    break")
    emitter.end()
    scope.keep(equation, *(carry.place for carry in carries))


def branched_axes(step: Step) -> None:
    """What branches see and give goes along with operands and results."""
    for branch in dict(step.equation.params)["branches"]:
        inputs = [step.axes.new(s) for s in branch.inputs]
        for own, inner in zip(step.operands[1:], inputs, strict=True):
            step.aligned(own, inner)
        for out, result in zip(step.axes.follow(branch, inputs), step.results, strict=True):
            step.aligned(out, result)


@handles("switch", kin=branched_axes)
def switch(scope: Scope, equation: Equation) -> None:
    """A choice between bodies."""
    branches = dict(equation.params)["branches"]
    emitter = scope.emitter
    index, *given = equation.operands
    found = scope.registers(index)
    chosen = text(found.elements.reshape(-1)[0], found.dtype)
    values = [placed(scope, o) for o in given]
    for value, s in zip(values, branches[0].inputs, strict=True):
        if value.dtype != s.dtype:
            raise Impossible("operands of another dtype than the branches take")
    number = emitter.define(cast(chosen, found.dtype, np.dtype(np.int64)))
    results: list[Registers | Buffer] = []
    for s in equation.specs:
        if emitter.split(s.shape):
            results.append(emitter.allocate(s.shape, s.dtype))
            continue
        names = objects(s.shape)
        for place in product(*map(range, s.shape)):
            names[place] = emitter.name("b")
        results.append(Registers(names, s.dtype))
    for k, branch in enumerate(branches):
        last = k == len(branches) - 1
        head = "else:" if last and k else "if True:" if last else f"{'el' if k else ''}if {number} == {k}:"
        emitter.loop(head)
        inner = body_scope(scope, branch, values, scope.looped)
        for result, out in zip(results, branch.outputs, strict=True):
            if isinstance(result, Buffer):
                inner.copied(result, out)
                continue
            own = inner.registers(out)
            for place in product(*map(range, result.shape)):
                element = text(np.broadcast_to(own.elements, result.shape)[place], own.dtype)
                emitter.line(f"{result.elements[place]} = {cast(element, own.dtype, result.dtype)}")
        emitter.end()
    scope.keep(equation, *results)


def called_axes(step: Step) -> None:
    """What a body sees and gives goes along with operands and results."""
    body = dict(step.equation.params)["tape"]
    inputs = [step.axes.new(s) for s in body.inputs]
    for own, inner in zip(step.operands, inputs, strict=True):
        step.aligned(own, inner)
    for out, result in zip(step.axes.follow(body, inputs), step.results, strict=True):
        step.aligned(out, result)


@handles("checkpoint", kin=called_axes)
def checkpoint(scope: Scope, equation: Equation) -> None:
    """What is computed again, by itself: a round of a loop keeps nothing of it that the next one could use."""
    if not scope.looped:
        raise Impossible("checkpoint, which does not keep what a kernel would")
    body = dict(equation.params)["tape"]
    inner = body_scope(scope, body, [placed(scope, o) for o in equation.operands])
    scope.keep(equation, *(inner.settled(out) for out in body.outputs))
