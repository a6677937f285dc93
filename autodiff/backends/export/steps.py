"""A program as steps, and where its arrays lie: in arguments, results, constants, and a workspace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autodiff.backends.export.stages import stages_of
from autodiff.backends.kernels.launching import KernelLaunch
from autodiff.backends.kernels.primitive import HostKernel, kernel_specs
from autodiff.backends.kernels.products.convolutions import convolution_kernel
from autodiff.backends.kernels.programs.call import whole
from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.backends.kernels.programs.storage import Impossible
from autodiff.backends.kernels.roles import STATUS
from autodiff.backends.kernels.windows import pooling as windows
from autodiff.backends.passes.fusion.fuse import sub_tape
from autodiff.backends.passes.memory.placement import Space, bytes_of
from autodiff.backends.passes.schedule import schedule
from autodiff.backends.reference import run_equation
from autodiff.trace.errors import AutodiffError
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape, operand_specs


class ExportError(AutodiffError, ValueError):
    """A program that cannot be written as object code."""


@dataclass(frozen=True)
class Place:
    """Where a value lies.

    Attributes:
        kind: ``input``, ``output``, ``constant`` or ``work``.
        number: which input, output or constant.
        offset: bytes from where that begins.
    """

    kind: str
    number: int
    offset: int = 0


@dataclass(frozen=True)
class Run:
    """A kernel that is run.

    Attributes:
        launch: the kernel.
        given: for each of its arguments the place and the spec; None for where it notes errors.
        notes: the errors that it may ask for, by numbers from 2 on.
    """

    launch: KernelLaunch
    given: tuple[tuple[Place, Spec] | None, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Copy:
    """Bytes that are copied."""

    source: Place
    target: Place
    size: int


@dataclass(frozen=True)
class Program:
    """What is exported.

    Attributes:
        inputs: their specs.
        outputs: their specs.
        constants: the bytes of arrays that the program brings.
        steps: in their order.
        work: the bytes of its workspace.
    """

    inputs: tuple[Spec, ...]
    outputs: tuple[Spec, ...]
    constants: tuple[bytes, ...]
    steps: tuple[Run | Copy, ...]
    work: int


def program_of(tape: Tape, constants: Sequence[Any], caller: str = "export") -> Program:
    """The steps of a tape.

    Args:
        tape: its last inputs are constants.
        constants: arrays.
        caller: what the user called, for error texts.

    Raises:
        ExportError: if it has operations that no kernel does.
    """
    given = len(tape.inputs) - len(constants)
    maker = Maker(opened(schedule(tape).tape), given, constants, caller)
    maker.run()
    return Program(tape.inputs[:given], tape.output_specs, tuple(maker.constants), tuple(maker.steps), maker.space.size)


def opened(tape: Tape) -> Tape:
    """A scheduled tape with the operations of checkpointed calls in their places: they are shared with no others."""
    equations: list[Equation] = []
    count = len(tape.inputs)

    def add(inner: Tape, operands: Sequence[Operand]) -> tuple[Operand, ...]:
        nonlocal count
        now = list(operands)
        for equation in inner.equations:
            given = tuple(now[o] if isinstance(o, int) else o for o in equation.operands)
            if equation.primitive.name == "checkpoint":
                now += add(schedule(dict(equation.params)["tape"]).tape, given)
            else:
                results = tuple(range(count, count + len(equation.results)))
                equations.append(replace(equation, operands=given, results=results))
                count += len(results)
                now += results
        return tuple(now[o] if isinstance(o, int) else o for o in inner.outputs)

    outputs = add(tape, range(count))
    return replace(tape, equations=tuple(equations), outputs=outputs)


@dataclass
class Maker:
    """Makes the steps of a scheduled tape.

    Attributes:
        tape: with kernels in the places of most operations.
        given: how many inputs come from outside; the others are constants.
        arrays: these.
        caller: what the user called, for error texts.
        places: of values, by slots.
        shown: of what only shows another value, that value and how many bytes further it begins.
    """

    tape: Tape
    given: int
    arrays: Sequence[Any]
    caller: str
    constants: list[bytes] = field(default_factory=list)
    steps: list[Run | Copy] = field(default_factory=list)
    places: dict[int, Place] = field(default_factory=dict)
    shown: dict[int, tuple[int, int]] = field(default_factory=dict)
    space: Space = field(default_factory=Space)

    def run(self) -> None:
        """Make all steps."""
        self.specs = self.tape.specs
        for slot in range(len(self.tape.inputs)):
            known = slot < self.given
            self.places[slot] = Place("input", slot) if known else self.constant(self.arrays[slot - self.given])
        equations = list(self.kernels())
        last = {self.root(o)[0]: n for n, e in enumerate(equations) for o in e.operands if isinstance(o, int)}
        direct = self.direct({slot for e in equations for slot in e.results})
        wanted = [self.root(out)[0] for out in self.tape.outputs if isinstance(out, int)]
        last.update(dict.fromkeys(wanted, len(equations)))
        leaving: dict[int, list[int]] = {}
        for number, equation in enumerate(equations):
            for slot in equation.results:
                self.places[slot] = direct.get(slot) or Place("work", 0, self.space.take(bytes_of(self.specs[slot])))
                if slot not in direct:
                    leaving.setdefault(last.get(slot, number), []).append(slot)
            self.add(equation)
            for slot in leaving.get(number, ()):
                self.space.give(self.places[slot].offset, bytes_of(self.specs[slot]))
        self.deliver()

    def root(self, slot: int) -> tuple[int, int]:
        """The value that a slot shows, and how many bytes further it begins."""
        offset = 0
        while slot in self.shown:
            slot, further = self.shown[slot]
            offset += further
        return slot, offset

    def place(self, slot: int) -> Place:
        """Where a value lies."""
        root, offset = self.root(slot)
        found = self.places[root]
        return Place(found.kind, found.number, found.offset + offset)

    def constant(self, value: Any) -> Place:
        """A place for an array or number that is known."""
        self.constants.append(np.ascontiguousarray(value).tobytes())
        return Place("constant", len(self.constants) - 1)

    # From operations to kernels.

    def kernels(self) -> Iterator[Equation]:
        """The operations as kernels: those that are none in groups of as many as follow each other."""
        loose: list[Equation] = []
        for equation in self.tape.equations:
            if isinstance(equation.primitive, HostKernel):
                yield from self.grouped(loose)
                loose = []
                yield equation
            elif not (self.is_empty(equation) or self.is_known(equation)):
                waits = any(not set(equation.operands).isdisjoint(other.results) for other in loose)
                if waits or not self.is_shown(equation):  # what a group makes is there when its kernel has run
                    loose.append(equation)
        yield from self.grouped(loose)

    def is_empty(self, equation: Equation) -> bool:
        """Whether the results have no elements; they are nowhere, then."""
        empty = all(0 in own.shape for own in equation.specs)
        if empty:
            self.places.update(dict.fromkeys(equation.results, Place("work", 0)))
        return empty

    def is_known(self, equation: Equation) -> bool:
        """Whether the results do not depend on any element; they are constants, then."""
        own = [self.specs[o] for o in equation.operands if isinstance(o, int)]
        if not own or len(own) < len(equation.operands) or any(one.size for one in own):
            return False
        found = run_equation(equation, [np.empty(one.shape, one.dtype) for one in own])
        values = found if isinstance(found, tuple) else (found,)
        for slot, value in zip(equation.results, values, strict=True):
            self.places[slot] = self.constant(value)
        return True

    def is_shown(self, equation: Equation) -> bool:
        """Whether an operation only shows a part of its operand that lies in a row, as reshaping does."""
        if not equation.primitive.view or len(equation.operands) != 1 or len(equation.results) != 1:
            return False
        (operand,), (result,) = equation.operands, equation.results
        if not isinstance(operand, int) or self.specs[operand].kind != "array":
            return False
        before = np.empty(self.specs[operand].shape, self.specs[operand].dtype)
        after = equation.primitive.evaluate(before, **dict(equation.params))
        if not (isinstance(after, np.ndarray) and after.flags.c_contiguous and np.may_share_memory(before, after)):
            return False
        start = after.__array_interface__["data"][0] - before.__array_interface__["data"][0]
        self.shown[result] = operand, start
        return True

    def grouped(self, loose: Sequence[Equation]) -> Iterator[Equation]:
        """Operations as one kernel, or each by itself where they cannot be one."""
        if loose:
            try:
                yield self.as_kernel(loose)
            except Impossible:
                refused = []
                for equation in loose:
                    if self.is_shown(equation):
                        continue
                    try:
                        yield self.of_its_kind(equation) or self.as_kernel([equation])
                    except Impossible as reason:
                        refused.append((equation, str(reason)))
                refuse(refused, self.caller)

    def of_its_kind(self, equation: Equation) -> Equation | None:
        """The kernel of a convolution, or of what has windows; None for others."""
        operands = operand_specs(equation.operands, self.specs)
        if windows.unsupported(equation, operands, any_size=True):
            return convolution_kernel(equation, operands, any_size=True)
        return windows.window_kernel([equation], self.specs)

    def as_kernel(self, equations: Sequence[Equation]) -> Equation:
        """The kernel of a whole program for some operations.

        Raises:
            Impossible: if there is none.
        """
        inside = {id(equation) for equation in equations}
        read = {o for e in self.tape.equations if id(e) not in inside for o in e.operands}.union(self.tape.outputs)
        wanted = tuple(slot for e in equations for slot in e.results if slot in read)
        tape, brought = sub_tape(equations, wanted, dict(enumerate(self.specs)))
        whole_kernel(tape)
        return Equation(whole, brought, (("tape", tape),), wanted, kernel_specs(tape), equations[-1].source)

    # From kernels to steps.

    def add(self, equation: Equation) -> None:
        """The steps of a kernel.

        Raises:
            ExportError: if it calls Python or NumPy.
        """
        if equation.primitive is whole:
            kernel = whole_kernel(**dict(equation.params))
            refuse([(each, "its kernel calls a loop of NumPy's") for each in kernel.of_numpy], self.caller)
            refuse([(call.equation, "it has no form in kernels") for call in kernel.called_out], self.caller)
        found = stages_of(equation)
        work = {role: self.space.take(size) for role, size in found.work.items()}
        for stage in found.stages:
            given: list[tuple[Place, Spec] | None] = []
            for role in stage.roles:
                kind, k = role
                if role == STATUS:
                    given.append(None)
                elif kind == "work":
                    given.append((Place("work", 0, work[role]), WORDS))
                else:
                    slot = (equation.operands if kind == "operand" else equation.results)[k]
                    given.append(self.given_as(slot, dict(equation.params)["tape"].inputs[k : k + 1]))
            self.steps.append(Run(stage.launch, tuple(given), tuple(stage.notes)))
        for role, size in found.work.items():
            self.space.give(work[role], size)

    def given_as(self, operand: Operand, own: Sequence[Spec]) -> tuple[Place, Spec]:
        """The place and spec of an operand or result; of a number that is known, those of the kernel's own input."""
        if isinstance(operand, int):
            return self.place(operand), self.specs[operand]
        return self.constant(np.asarray(operand.value, own[0].dtype)), own[0]

    def direct(self, made: set[int]) -> dict[int, Place]:
        """The values that are written where the caller wants them."""
        found: dict[int, Place] = {}
        for k, out in enumerate(self.tape.outputs):
            if isinstance(out, int):
                slot, offset = self.root(out)
                whole = offset == 0 and bytes_of(self.specs[slot]) == bytes_of(self.specs[out])
                if whole and slot in made and slot not in found:
                    found[slot] = Place("output", k)
        return found

    def deliver(self) -> None:
        """Copy what is not where the caller wants it."""
        for k, (out, own) in enumerate(zip(self.tape.outputs, self.tape.output_specs, strict=True)):
            target = Place("output", k)
            source = self.place(out) if isinstance(out, int) else self.constant(np.asarray(out.value, own.dtype))
            if source != target and own.size:
                self.steps.append(Copy(source, target, bytes_of(own)))


WORDS = Spec((), np.dtype(np.uint8))
"""Memory to work in: an array of whatever it is."""


def refuse(found: Sequence[tuple[Equation, str]], caller: str) -> None:
    """Refuse operations that no kernel does.

    Raises:
        ExportError: if there are any.
    """
    if found:
        lines = [f"  {e.primitive.name}{f' ({e.source})' if e.source else ''}: {reason}" for e, reason in found]
        raise ExportError(
            f"{caller}: some operations have no kernel, and would need Python where the program runs:\n"
            + "\n".join(lines)
            + "\nCompute their results outside and pass them as arguments, or write them in terms of others."
        )
