"""The program of a composition, and what a node keeps of one that ran as a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from autodiff.backends.choice import CHOICES
from autodiff.facade.compiled.recorder import RecordedComposition
from autodiff.facade.graph.composition import Composition
from autodiff.facade.graph.known_operands import Operands
from autodiff.trace.forking import lock_of
from autodiff.trace.tape import Tape
from autodiff.trace.tracer import concrete
from autodiff.transforms.jit.constants import with_known_values
from autodiff.transforms.jit.program import Passes, Program
from autodiff.transforms.masking import unmasked


class CompositionProgram:
    """A composition that runs as kernels.

    Args:
        label: of its nodes.
        recorded: what it does.
        positions: the operands that are differentiated.

    Attributes:
        whole: the same as a program of ``jit``.
        connected: which results depend on one of them.
        scalars: which are NumPy scalars.
        lock: held while a backward pass runs for the first time, which compiles it.
        broken: why a backward pass could not be compiled; empty if none failed.
    """

    def __init__(self, label: str, recorded: RecordedComposition, positions: tuple[int, ...]) -> None:
        tape = with_known_values(recorded.tape)
        self.recorded, self.positions = recorded, positions
        self.constants = tape.constants
        self.whole = program = Program(replace(tape, constants=(), arguments=None, results=None), label)
        self.passes = program.passes(positions) if positions else None
        self.program = self.passes.forward.program if self.passes else program
        self.residual_constants = self.passes.forward.constants.arrays if self.passes else ()
        self.outputs = len(tape.outputs)
        self.connected = connected(tape, positions)[: recorded.results]
        self.scalars = [s.kind == "scalar" for s in tape.output_specs[: recorded.results]]
        self.pulled: set[tuple[bool, ...]] = set()
        self.lock = lock_of(self, "lock")
        self.label, self.broken = label, ""

    def has_kernels(self) -> bool:
        """Whether something of it is compiled."""
        from autodiff.backends.kernels.primitive import KernelPrimitive  # noqa: PLC0415 - the compiler is loaded when something is compiled

        return any(isinstance(e.primitive, KernelPrimitive) for e in self.program.schedule.tape.equations)

    def run(self, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
        """The outputs and all that backward passes may take; None where the composition's conditions do not hold.

        Args:
            values: the operands, and the arrays that the function closes over.
        """
        values = (*values, *self.constants)
        outs = self.program.evaluate((*values, *self.residual_constants))
        if self.recorded.guarded and not outs[self.outputs - 1]:
            return None
        return outs, (*values, *outs[self.outputs :])

    def run_traced(self, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The outputs, traced as the values are; None where the composition's conditions do not hold."""
        outs = self.whole(*values, *self.constants)
        return None if self.recorded.guarded and not concrete(outs[-1]) else outs

    def pull(self, available: tuple[Any, ...], parts: Sequence[Any]) -> tuple[Any, ...]:
        """The cotangents of the operands from those of the results, which may be missing."""
        assert self.passes is not None
        cts: list[Any] = [None] * self.outputs
        for k, part in enumerate(parts):
            if part is not None:
                ct = unmasked(part)
                cts[k] = ct[()] if self.scalars[k] else ct
        pattern = tuple([part is None for part in parts])
        if pattern in self.pulled:
            return self.passes.pull(available, cts)
        with self.lock:
            try:
                found = self.passes.pull(available, cts)
                self.pulled.add(pattern)
            except Exception as error:  # the results are there already: NumPy runs the same tape
                self.broken = f"{type(error).__name__}: {error}"
                found = Passes(self.passes.mode, self.label, CHOICES["numpy"]).pull(available, cts)
        return found


def connected(tape: Tape, positions: Sequence[int]) -> list[bool]:
    """Which outputs have a derivative with respect to some inputs."""
    found = set(positions)
    for equation in tape.equations:
        rule = equation.primitive.rule
        if any(o in found and rule(k) is not None for k, o in enumerate(equation.operands) if isinstance(o, int)):
            found.update(
                slot for slot, spec in zip(equation.results, equation.specs, strict=True) if spec.dtype.kind in "fc"
            )
    return [out in found for out in tape.outputs]


class CompiledComposition(Composition):
    """A composition that ran as a program: what the program keeps takes the place of a recording."""

    __slots__ = ("available", "program")

    def __init__(
        self, fun: Callable[..., Any], operation: Operands, program: CompositionProgram, available: tuple[Any, ...]
    ) -> None:
        super().__init__(fun, operation)
        self.program, self.available = program, available
        self.outs = [True if own else None for own in program.connected]

    def pull(self, g: Any) -> Any:
        """The cotangents of the operands, as arrays."""
        cts = self.program.pull(self.available, g if type(g) is list else (g,))
        return cts[0] if len(cts) == 1 else list(cts)
