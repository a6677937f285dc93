"""A tape as one kernel."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from autodiff.backends.kernels.programs import control, products, reductions, structure
from autodiff.backends.kernels.programs.emitter import Emitter, Scope
from autodiff.backends.kernels.programs.values import Buffer, Impossible, Registers, Value, numbers, objects, steps, text
from autodiff.backends.kernels.rows import number
from autodiff.backends.kernels.scalars import DTYPES, cast
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Tape

TRIALS = ((64, 32), (16, 16), (4, 4), (1, 1))
"""How many elements live in variables, and how many are unrolled in loops; the cheapest to compile is taken."""

STATEMENT, LOOP, LONGEST = 1.0, 30.0, 4000.0
"""Estimated milliseconds of compiling, and the longest that is worth it."""

MODULES = (control, products, reductions, structure)  # they enter what they can do


@dataclass(frozen=True)
class WholeKernel:
    """The kernel of a whole program.

    Its block holds the inputs, the outputs that are arrays, the array of outputs that are floating-point numbers,
    that of outputs that are other numbers, the memory that it works in, and where it notes errors.

    Attributes:
        tape: the program.
        text: of the kernel.
        memory: the bytes that it works in.
        checks: whether it may note an index out of range.
        cost: estimated milliseconds of compiling it.
    """

    tape: Tape
    text: str
    memory: int
    checks: bool
    cost: float


def whole_kernel(tape: Tape) -> WholeKernel:
    """The kernel of a whole program.

    Raises:
        Impossible: if one of its operations has no form in kernels, or it would take too long to compile.
    """
    found = [attempt(tape, *sizes) for sizes in TRIALS]
    best = min(found, key=lambda kernel: kernel.cost)
    if best.cost > LONGEST:
        raise Impossible(f"it would take about {best.cost / 1000:.0f} s to compile")
    return best


def attempt(tape: Tape, registers: int, unrolled: int) -> WholeKernel:
    """The kernel with small values of so many elements in variables."""
    emitter = Emitter(registers, unrolled)
    head: list[str] = ["def kernel(block, lo, hi):"]
    values: list[Value] = []
    for place, spec in enumerate(tape.inputs):
        if spec.dtype not in DTYPES:
            raise Impossible(f"an argument of {spec.dtype.name}, which kernels do not know")
        if 0 in spec.shape:
            raise Impossible("an array without elements")
        head.append(f"    in{place} = {read(place, spec)}")
        values.append(value(place, spec))
    arrays = [k for k, s in enumerate(tape.output_specs) if s.kind == "array"]
    first = len(tape.inputs)
    for place, k in enumerate(arrays, first):
        head.append(f"    out{k} = pointer(block, {place})")
    for place, name in enumerate(("reals", "integers", "memory", "status"), first + len(arrays)):
        head.append(f"    {name} = pointer(block, {place})")
    targets: dict[int, Buffer] = {}
    for k in arrays:
        out, s = tape.outputs[k], tape.output_specs[k]
        if isinstance(out, int) and out >= len(tape.inputs):
            targets.setdefault(out, Buffer(f"out{k}", s.shape, steps(s.shape), 0, s.dtype))
    scope = Scope(emitter, tape, values, targets)
    scope.run()
    finish(scope, arrays)
    statements = len(emitter.lines)
    cost = 60 + STATEMENT * statements + LOOP * emitter.loops
    written = "\n".join((*head, *emitter.lines)) + "\n"
    return WholeKernel(tape, written, emitter.memory, emitter.checks, cost)


def read(place: int, spec: Spec) -> str:
    """An input as the kernel gets it: an address, or a number."""
    return f"pointer(block, {place})" if spec.kind == "array" else number(place, spec)


def value(place: int, spec: Spec) -> Value:
    """An input as a value."""
    if spec.kind == "array":
        return Buffer(f"in{place}", spec.shape, steps(spec.shape), 0, spec.dtype)
    elements = objects(())
    elements[()] = f"in{place}"
    return Registers(elements, spec.dtype)


def finish(scope: Scope, arrays: list[int]) -> None:
    """Write what is returned to where the caller looks for it."""
    emitter, tape = scope.emitter, scope.tape
    emitter.flush()
    reals = integers = 0
    for k, (out, s) in enumerate(zip(tape.outputs, tape.output_specs, strict=True)):
        if k in arrays:
            target = Buffer(f"out{k}", s.shape, steps(s.shape), 0, s.dtype)
            found = scope.settled(out)
            if not (isinstance(found, Buffer) and found.base == target.base and found.contiguous):
                scope.copied(target, out)
            continue
        found = scope.registers(out)
        (element,) = [found.elements[index] for index in product(*map(range, found.shape))]
        if s.dtype.kind == "f":
            emitter.line(f"store_float64(reals, {reals}, {cast(text(element, s.dtype), s.dtype, F8)})")
            reals += 1
        else:
            emitter.line(f"store_int64(integers, {integers}, {cast(text(element, s.dtype), s.dtype, I8)})")
            integers += 1
    emitter.flush()


F8, I8 = (next(d for d, code in DTYPES.items() if code == name) for name in ("f8", "i8"))

__all__ = ["WholeKernel", "numbers", "whole_kernel"]
