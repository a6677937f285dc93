"""The kernel of a whole program as a function of Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from autodiff.backends.idle import SMALL, Idle
from autodiff.backends.kernels.call import NUMBERS, KernelPrimitive, fitting, kernel_specs, out_of_range, refuse
from autodiff.backends.kernels.launching import ArrayArgument, KernelLaunch, NumberArgument, bits
from autodiff.backends.kernels.programs.calling_out import Hook
from autodiff.backends.kernels.programs.emitter import BLOCK
from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.trace.memory.aligned import room
from autodiff.trace.memory.recycling import maker
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Tape

PARTS = 8
"""Rows are handed to threads in so many parts, whatever the number of threads: so results repeat."""

SHARED = "reals", "integers", "memory", "status"
"""What comes after inputs and results in the block of a kernel."""

LONG = 20_000
"""Operations from which on other Python threads may run meanwhile."""


@dataclass(frozen=True)
class OnMemory:
    """A kernel on memory that stays.

    Attributes:
        run: runs it, and looks at nothing.
        results: the arrays that it writes to; without axes where results are numbers.
        memory: what else it reads and writes, which must live as long as it is run.
    """

    run: Callable[[], object]
    results: tuple[np.ndarray[Any, Any], ...]
    memory: tuple[Any, ...]


class WholeCall:
    """The kernel of a whole program, as a function of its inputs.

    Args:
        tape: the program.

    Attributes:
        kernel: what it runs.
        source: the text of the Python function around it.
    """

    def __init__(self, tape: Tape, rows: int | None = None) -> None:
        self.tape = tape
        self.kernel = whole_kernel(tape, rows)
        self.hook = Hook(self.kernel.called_out, self.kernel.memory) if self.kernel.called_out else None
        self.chunk = 1 if rows is None else max(BLOCK, -(-rows // (PARTS * BLOCK)) * BLOCK)
        self.parts = 1 if rows is None else -(-rows // self.chunk)
        outs = tape.output_specs
        self.arrays = [k for k, s in enumerate(outs) if s.kind == "array"]
        self.reals = [k for k, s in enumerate(outs) if s.kind != "array" and s.dtype.kind == "f"]
        self.integers = [k for k, s in enumerate(outs) if s.kind != "array" and s.dtype.kind != "f"]
        self.scope: dict[str, Any] = {"fitting": fitting, "refuse": refuse, "specs": tape.inputs}
        self.source = "\n".join(self.lines()) + "\n"
        words = [0] * (len(tape.inputs) + len(self.arrays) + 4) + [self.chunk] + [0] * (self.hook is not None)
        self.kernel_launch = KernelLaunch(
            self.kernel.text,
            words,
            self.arguments(),
            rows=rows or 1,
            chunk=self.chunk,
            parallel=self.parts > 1,
            release=self.parts > 1 or self.work() > LONG,
            name="a kernel of a whole program",
            rooms=self.kernel.rooms,
        )
        self.scope["launch"] = self.kernel_launch.bound()
        exec(self.source, self.scope)
        self.call: Callable[..., Any] = self.scope["call"]

    def work(self) -> int:
        return len(self.kernel.text) + self.kernel.memory

    def arguments(self) -> list[ArrayArgument | NumberArgument]:
        found: list[ArrayArgument | NumberArgument] = []
        for place, s in enumerate(self.tape.inputs):
            if s.kind == "array":
                found.append(ArrayArgument(place, s.dtype, shape=s.shape))
            else:
                found.append(NumberArgument(place, NUMBERS.get(s.dtype.name, "int")))
        place = len(found)
        for k in self.arrays:
            own = self.tape.output_specs[k]
            found.append(ArrayArgument(place, own.dtype, True, size=own.size))
            place += 1
        sizes = (
            len(self.reals) * self.parts,
            len(self.integers),
            self.kernel.memory * self.parts,
            int(self.kernel.checks),
        )
        for name, dtype, size in zip(SHARED, ("f8", "i8", "u1", "i8"), sizes, strict=True):
            if size:
                found.append(
                    ArrayArgument(
                        place, np.dtype(dtype), True, size=size, scratch=name == "memory", met=name == "status"
                    )
                )
            place += 1
        if self.hook is not None:
            found.append(NumberArgument(place + 1, "int"))
        return found

    def on_memory(self, values: Sequence[Any]) -> OnMemory:
        """The kernel on memory that stays.

        Args:
            values: the inputs; of arrays, which are in C order, the kernel reads what they hold when it runs.
        """
        specs = self.tape.output_specs
        outs = [np.zeros(s.shape, s.dtype) for s in specs]
        shared = {name: make() for name, make in self.shared().items()}
        copies: list[tuple[np.ndarray[Any, Any], Any]] = []
        for name, places in (("reals", self.reals), ("integers", self.integers)):
            for place, k in enumerate(places):
                found = shared[name][place :: len(places)]
                if self.parts == 1 and specs[k].dtype == found.dtype:
                    outs[k] = found.reshape(())  # nothing need be moved
                else:
                    copies.append((outs[k], found))
        words = [
            address_of(value) if own.kind == "array" else bits(fitting(value, own))
            for value, own in zip(values, self.tape.inputs, strict=True)
        ]
        words += [address_of(outs[k]) for k in self.arrays]
        words += [address_of(shared[name]) if name in shared else 0 for name in SHARED]
        hook = self.hook
        launch = self.kernel_launch.on_words((*words, self.chunk, *(() if hook is None else (hook.address,))))
        status, memory = shared.get("status"), (*values, *shared.values())
        if status is None and hook is None and not copies:
            return OnMemory(launch, tuple(outs), memory)

        def run() -> None:
            launch()
            if hook is not None and hook.errors:
                hook.raise_error(address_of(shared["memory"]))
            if status is not None and status[0]:
                raise_noted(status, self.kernel.notes)
            for target, parts in copies:
                target[()] = parts.sum()

        return OnMemory(run, tuple(outs), memory)

    def lines(self) -> list[str]:
        """The function: it makes what is returned, and takes the memory to work in from those who are done."""
        inputs = [f"in{k}" for k in range(len(self.tape.inputs))]
        own = [f"out{k}" for k in self.arrays]
        head = []
        for k in self.arrays:
            self.scope[f"new{k}"] = maker(self.tape.output_specs[k])
            head.append(f"out{k} = new{k}()")
        shared = self.shared()
        names = ", ".join((*inputs, *own, *shared, *(() if self.hook is None else ("hook",))))
        body = [f"if launch({names}) is NotImplemented:"]
        body += [f"    in{k} = fitting(in{k}, specs[{k}])" for k in range(len(inputs))]
        body += [f"    if launch({names}) is NotImplemented:", f"        refuse({', '.join(inputs)})"]
        if self.hook is not None:
            self.scope.update(hook=self.hook.address, errors=self.hook.errors, raise_error=self.hook.raise_error)
            self.scope["address_of"] = address_of
            body += ["if errors:", "    raise_error(address_of(memory))"]
        if self.kernel.checks:
            self.scope["raise_noted"] = partial(raise_noted, notes=self.kernel.notes)
            body += ["if status[0]:", "    raise_noted(status)"]
        returned = "".join(f"{self.result(k, s)}, " for k, s in enumerate(self.tape.output_specs))
        body.append(f"return ({returned})")
        if shared:
            small = self.kernel.memory * self.parts <= SMALL
            self.scope.update(idle=[] if small else Idle(), made=lambda: tuple([make() for make in shared.values()]))
            head += [
                "try:",
                "    own = idle.pop()",
                "except IndexError:",
                "    own = made()",
                f"{', '.join(shared)}, = own",
            ]
            body = ["try:", *(f"    {line}" for line in body), "finally:", "    idle.append(own)"]
        return [f"def call({', '.join(inputs)}):", *(f"    {line}" for line in (*head, *body))]

    def shared(self) -> dict[str, Callable[[], Any]]:
        """What calls hand to each other: where numbers go, memory to work in, and whether an index was wrong."""
        found: dict[str, Callable[[], Any]] = {}
        if self.reals:
            found["reals"] = partial(np.empty, len(self.reals) * self.parts)
        if self.integers:
            found["integers"] = partial(np.empty, len(self.integers), np.int64)
        if self.kernel.memory:
            found["memory"] = partial(room, self.kernel.memory * self.parts)
        if self.kernel.checks:
            found["status"] = partial(np.zeros, 1, np.int64)
        return found

    def result(self, k: int, spec: Spec) -> str:
        """What is returned: an array, or a number of the kind that NumPy's function returns."""
        if k in self.arrays:
            return f"out{k}"
        places, name = (self.reals, "reals") if k in self.reals else (self.integers, "integers")
        place = places.index(k)
        if self.parts > 1:
            self.scope[f"type{k}"] = float if spec.kind == "python" else spec.dtype.type
            return f"type{k}(reals[{place}::{len(self.reals)}].sum())"
        if spec.kind == "python":
            self.scope["bool"] = bool
            found = f"{name}.item({place})"
            return f"bool({found})" if spec.dtype.kind == "b" else found
        if spec.dtype in (np.float64, np.int64):
            return f"{name}[{place}]"
        self.scope[f"type{k}"] = spec.dtype.type
        return f"type{k}({name}[{place}])"


def address_of(array: np.ndarray[Any, Any]) -> int:
    """Where an array begins."""
    found: int = array.__array_interface__["data"][0]
    return found


def raise_noted(status: np.ndarray[Any, Any], notes: Sequence[str]) -> None:
    """Raise the error that a kernel asks for.

    Raises:
        IndexRangeError: if an index was out of range.
        LinAlgError: if a matrix had no inverse or factor.
    """
    number, status[0] = int(status[0]), 0
    if number == 1:
        out_of_range()
    error = np.linalg.LinAlgError(notes[number - 2])
    error.names_its_place = True  # type: ignore[attr-defined] # it stands in one of many operations
    raise error


def make_whole_call(*, tape: Tape, rows: int | None = None) -> Callable[..., Any]:
    """The function of a kernel."""
    return WholeCall(tape, rows).call


def notes_of(*, tape: Tape, rows: int | None = None) -> tuple[str, ...]:
    """The errors that a kernel may ask for, with the user's lines."""
    return whole_kernel(tape, rows).lines


whole = KernelPrimitive("kernel_of_all", make_whole_call, told=notes_of)


def whole_equation(tape: Tape, rows: int | None = None) -> Equation:
    """The operation that stands for a whole program."""
    inputs = tuple(range(len(tape.inputs)))
    specs = kernel_specs(tape)
    results = tuple(range(len(inputs), len(inputs) + len(specs)))
    params = (("tape", tape),) if rows is None else (("rows", rows), ("tape", tape))
    return Equation(whole, inputs, params, results, specs)
