"""A tape as one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from autodiff.backends.kernels.effort import (
    LONGEST,
    PROMISING,
    REPEATED,
    SOME_LOOPS,
    WORTH_A_LOOK,
    Repeats,
    estimated_cost,
    inner_statements,
    repeats_of,
    takes_too_long,
)
from autodiff.backends.kernels.programs import (
    control,
    drawing,
    filling,
    joining,
    ordering,
    picking,
    products,
    putting,
    reductions,
    running,
    sliding,
    structure,
)
from autodiff.backends.kernels.programs.calling_out import (
    CallOut,
    call_out,
    can_be_called,
    everything,
    may_call,
    without_form,
)
from autodiff.backends.kernels.programs.emitter import BLOCK, Emitter
from autodiff.backends.kernels.programs.linalg import gauge, matrices, numpy_loops
from autodiff.backends.kernels.programs.scope import HANDLERS, Scope, refuse_mixed_rows
from autodiff.backends.kernels.programs.storage import (
    Buffer,
    Impossible,
    Registers,
    numbers,
    objects,
    steps,
    text,
)
from autodiff.backends.kernels.programs.values import Value
from autodiff.backends.kernels.rows.values import number
from autodiff.backends.kernels.scalars import DTYPES, WORD, cast
from autodiff.backends.native.checks import Rooms
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Tape

HOOK_WORD = 5
"""Where the function is that a kernel calls out to, behind its inputs and outputs: after four arrays and a number."""

TRIALS = ((64, 32), (16, 16), (4, 4), (1, 1))
"""How many elements live in variables, and how many are unrolled in loops; the cheapest to compile is taken."""

CHEAPER = 0.8
"""Loops over a few elements run longer than variables: they are taken only if they cost less than such a part."""

MANY_EQUATIONS, SHORT_TRIAL = 200, (4, 4)
"""Programs of so many operations begin with what makes a short text: the others need not be written to their end."""

MODULES = (
    control,
    drawing,
    filling,
    gauge,
    joining,
    matrices,
    numpy_loops,
    ordering,
    picking,
    products,
    putting,
    reductions,
    running,
    sliding,
    structure,
)


@dataclass(frozen=True)
class WholeKernel:
    """The kernel of a whole program.

    Its block holds the inputs, the outputs that are arrays, the array of outputs that are floating-point numbers,
    that of outputs that are other numbers, the memory that it works in, and where it notes errors.

    Attributes:
        tape: the program.
        text: of the kernel.
        memory: the bytes that it works in; for each part of the rows where it takes rows.
        checks: whether it may note an index out of range.
        cost: estimated milliseconds of compiling it.
        repeats: how much of it is in loops that do the same, if somebody looked.
        rows: the length of the axis of which it takes a part at a time, if it does.
        notes: the errors that it may ask for, by numbers from 2 on.
        called_out: the operations that it calls out for, by their numbers.
        of_numpy: the operations that are loops of NumPy's, which it calls by address.
        rooms: the parts of its memory, by the names of their addresses.
    """

    tape: Tape
    text: str
    memory: int
    checks: bool
    cost: float
    repeats: Repeats | None = None
    rows: int | None = None
    notes: tuple[str, ...] = ()
    called_out: tuple[CallOut, ...] = ()
    of_numpy: tuple[Equation, ...] = ()
    rooms: Rooms = field(default_factory=dict)

    @property
    def lines(self) -> tuple[str, ...]:
        """What errors say that it may raise, with the user's lines."""
        return *self.notes, *map(str, self.called_out)

    @property
    def calls(self) -> tuple[str, ...]:
        """The operations that it calls out for whatever happens, with the user's lines."""
        return tuple(str(call) for call in self.called_out if not call.seldom)


def whole_kernel(tape: Tape, rows: int | None = None) -> WholeKernel:
    """The kernel of a whole program.

    Args:
        tape: the program.
        rows: the length of an axis along which the program does the same to every row: then parts of the rows can be
            done by themselves.

    Raises:
        Impossible: if one of its operations has no form in kernels, or it would take too long to compile.
    """
    found = kernel_or_refusal(tape, rows)
    if isinstance(found, Refusal):
        raise found.error()
    if found.lines and found.tape is not tape:  # of a tape that is equal: errors name the lines of this one
        found = kernel_or_refusal.__wrapped__(tape, rows)
        assert isinstance(found, WholeKernel)
    return found


@dataclass(frozen=True)
class Refusal:
    """Why a program is no kernel, and which of its operations is to blame, if it is one of them."""

    reason: str
    position: int | None = None

    def error(self) -> Impossible:
        error = Impossible(self.reason)
        error.position = self.position
        return error


@lru_cache(maxsize=256)
def kernel_or_refusal(tape: Tape, rows: int | None) -> WholeKernel | Refusal:
    """The kernel of a whole program, or why there is none: asked for to decide, to compile and to show."""
    if rows is not None:
        try:
            refuse_mixed_rows(tape, rows)
        except Impossible as reason:
            return Refusal(str(reason))
    best: WholeKernel | None = None
    longest, too_long = LONGEST, False
    outside = without_form(tape, frozenset(HANDLERS)) if rows is None else set()
    tried: list[Emitter] = []
    trials, taken = list(TRIALS), SHORT_TRIAL
    repeats: Repeats | None = None
    if len(everything(tape)) >= MANY_EQUATIONS:
        tried.append(Emitter(*SHORT_TRIAL, rows, outside, call_out))
        with suppress(Impossible):  # then it is not the cheapest one
            best = attempt(tape, tried[-1])
            longest, repeats = best.cost, best.repeats
    while trials:
        sizes = trials.pop(0)
        if any(emitter.like(*sizes) for emitter in tried):
            continue
        tried.append(Emitter(*sizes, rows, outside, call_out))
        limit = longest if best is None or sizes > taken else CHEAPER * longest
        try:
            kernel = attempt(tape, tried[-1], limit, repeats)
        except TooLong:
            too_long = True
            continue
        except Impossible as found:
            if best is not None or too_long:
                continue  # what moves in variables alone needs that they are small
            if rows is not None or not found.looped or found.equation is None or id(found.equation) in outside:
                return Refusal(str(found), found.position)
            if not can_be_called(found.equation):
                return Refusal(str(found), found.position)
            outside.add(id(found.equation))
            trials.insert(0, sizes)
            tried.pop()
            continue
        repeats = repeats or kernel.repeats
        if best is None or kernel.cost < limit:
            best, longest, taken = kernel, kernel.cost, sizes
    return best or Refusal(f"it would take more than {LONGEST / 1000:.0f} s to compile")


class TooLong(Impossible):
    """What was written already takes longer to compile than is worth it."""


def attempt(tape: Tape, emitter: Emitter, longest: float = LONGEST, repeats: Repeats | None = None) -> WholeKernel:
    """The kernel as an emitter writes it that knows nothing yet.

    Args:
        tape: the program.
        emitter: where its lines go.
        longest: milliseconds.
        repeats: how much of it is in loops that do the same, if somebody looked.

    Raises:
        TooLong: as soon as what is written is estimated to take longer than so many milliseconds to compile.
        Impossible: if an operation has no form in kernels.
    """

    def within_reason() -> None:
        lines, loops = len(emitter.lines), emitter.loops
        if loops < SOME_LOOPS:
            too_long = takes_too_long(estimated_cost(lines, 0, loops), loops, longest)
        elif repeats is not None:
            cost, left = repeats.least_cost(lines, loops)
            too_long = takes_too_long(cost, left, longest)
        else:  # all of them may do the same
            too_long = REPEATED * lines > (longest if longest == LONGEST else PROMISING * longest)
        if too_long:
            raise TooLong

    rows = emitter.rows
    head: list[str] = ["def kernel(block, lo, hi):"]
    values: list[Value] = []
    for place, spec in enumerate(tape.inputs):
        if spec.dtype not in DTYPES and not (spec.dtype == WORD and spec.kind == "array"):
            raise Impossible(f"an argument of {spec.dtype.name}, which kernels do not know")
        if 0 in spec.shape:
            raise Impossible(f"an argument of shape {spec.shape}")
        head.append(f"    in{place} = {read(place, spec)}")
        values.append(value(place, spec))
    arrays = [k for k, s in enumerate(tape.output_specs) if s.kind == "array"]
    first = len(tape.inputs)
    for place, k in enumerate(arrays, first):
        head.append(f"    out{k} = pointer(block, {place})")
    names = ("reals", "integers", "memory", "status", "chunk")
    for place, name in enumerate(names if rows else names[:-1], first + len(arrays)):
        head.append(f"    {name} = {'word' if name == 'chunk' else 'pointer'}(block, {place})")
    targets: dict[int, Buffer] = {}
    for k in arrays:
        out, s = tape.outputs[k], tape.output_specs[k]
        if isinstance(out, int) and out >= len(tape.inputs):
            targets.setdefault(out, Buffer(f"out{k}", s.shape, steps(s.shape), 0, s.dtype))
    if rows:
        emitter.depth += 1
    if emitter.outside or may_call(tape):
        failed = emitter.allocate((1,), I8)  # the first word of the memory, where a call out notes an error
        emitter.line(f"store_int64({failed.base}, 0, i8(0))")
    scope = Scope(emitter, tape, values, targets)
    scope.run(within_reason)
    stores = finish(scope, arrays)
    within_reason()
    if rows:
        if any(rows not in s.shape for k, s in enumerate(tape.output_specs) if k in arrays):
            raise Impossible("an output that is not made of rows")
        body = in_blocks(emitter, scope, stores)
    else:
        body = [*emitter.lines, *(f"    {store.text('')}" for store in stores)]
    if emitter.called_out:
        head.append(f"    hook = word(block, {first + len(arrays) + HOOK_WORD})")
    written = "\n".join((*head, *body)) + "\n"
    loops, inner = emitter.loops, inner_statements(body)
    cost = estimated_cost(len(body), inner, loops)
    if cost > WORTH_A_LOOK or takes_too_long(cost, loops, longest):
        if loops >= SOME_LOOPS:
            repeats = repeats_of(written, inner, loops) if repeats is None else repeats
            cost, loops = repeats.cost(len(body), inner, loops)
        if takes_too_long(cost, loops, longest):
            raise TooLong
    known = tuple(emitter.notes), tuple(emitter.called_out), tuple(emitter.of_numpy), emitter.rooms
    return WholeKernel(tape, written, emitter.memory, emitter.checks, cost, repeats, rows, *known)


class NumberStore(NamedTuple):
    """A number that is returned, and its place among those of its kind."""

    kind: str
    place: int
    value: str

    def text(self, first: str) -> str:
        """The statement that stores it; the places of its kind begin at ``first``."""
        words = "reals" if self.kind == "float64" else "integers"
        return f"store_{self.kind}({words}, {first}{self.place}, {self.value})"


def in_blocks(emitter: Emitter, scope: Scope, stores: Sequence[NumberStore]) -> list[str]:
    """The lines inside of a loop over blocks of rows, with sums over all rows around it."""
    totals = {name for name, _, _ in emitter.totals}
    numbers = [k for k, s in enumerate(scope.tape.output_specs) if s.kind != "array"]
    found = [scope.values[out] for k in numbers if isinstance(out := scope.tape.outputs[k], int)]
    if len(found) != len(numbers) or any(
        not isinstance(v, Registers) or v.elements.reshape(-1)[0] not in totals for v in found
    ):
        raise Impossible("a number that is no sum of rows")
    lines = ["    part = lo // chunk"]
    if emitter.memory:
        lines.append(f"    memory = shifted(memory, part * {emitter.memory})")
    lines += [f"    {name} = {start}" for name, start, _ in emitter.totals]
    lines += [f"    for first in range(lo, hi, {BLOCK}):", f"        last = min(first + {BLOCK}, hi)", *emitter.lines]
    return [*lines, *(f"    {store.text(f'part * {len(stores)} + ')}" for store in stores)]


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


def finish(scope: Scope, arrays: list[int]) -> list[NumberStore]:
    """Write arrays that are returned to where the caller looks for them; the numbers that are still to be stored."""
    emitter, tape = scope.emitter, scope.tape
    emitter.flush()
    stores: list[NumberStore] = []
    for k, (out, s) in enumerate(zip(tape.outputs, tape.output_specs, strict=True)):
        if k in arrays:
            target = Buffer(f"out{k}", s.shape, steps(s.shape), 0, s.dtype)
            found = scope.settled(out)
            if not (isinstance(found, Buffer) and found.base == target.base and found.contiguous):
                scope.copied(target, out)
            continue
        if s.dtype not in DTYPES:
            raise Impossible(f"a result of {s.dtype.name}, which kernels do not know")
        found = scope.registers(out)
        (element,) = [found.elements[index] for index in product(*map(range, found.shape))]
        wide = F8 if s.dtype.kind == "f" else I8
        place = sum(store.kind == wide.name for store in stores)
        stores.append(NumberStore(wide.name, place, cast(text(element, s.dtype), s.dtype, wide)))
    emitter.flush()
    return stores


F8, I8 = (next(d for d, code in DTYPES.items() if code == name) for name in ("f8", "i8"))

__all__ = ["WholeKernel", "numbers", "whole_kernel"]
