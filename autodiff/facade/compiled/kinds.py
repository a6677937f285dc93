"""Kinds of calls, each of which one program can serve: what they have cost, and when they are compiled."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from autodiff.backends.choice import numba_is_there
from autodiff.facade.compiled import costs
from autodiff.facade.compiled.identity import Identity
from autodiff.facade.compiled.program import CompositionProgram
from autodiff.facade.compiled.recorder import RecordedComposition, recorded_composition
from autodiff.trace.forking import lock_of
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.surroundings import State, surrounding_state

KINDS, PROGRAMS = 1024, 256
"""How many kinds of calls, and how many programs among them, are kept."""

PATIENCE = 3
"""So many times an assumption may fail before the composition is recorded without it; or a program before it goes."""

DTYPES = frozenset(map(np.dtype, ("f4", "f8", "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")))

tick = count().__next__
started = False


class Kind:
    """Calls that one program can serve.

    Attributes:
        specs: of the inputs and of the arrays that the function closes over.
        state: what holds around the calls.
        held: objects of which the key has the id.
        never: why it is not compiled, whatever happens; empty if it may be.
        spent: what its calls have cost, in estimated nanoseconds.
        each: what a call costs.
        needed: what calls must have cost before the next step: recording, or compiling.
        used: when it was looked at last, in calls.
    """

    __slots__ = (
        "assuming", "each", "failures", "held", "needed", "never", "program", "recorded", "specs", "spent", "state",
        "used",
    )  # fmt: skip

    def __init__(self, specs: list[Spec], state: State, held: list[Any]) -> None:
        self.specs, self.state, self.held = specs, state, held
        self.never = "" if DTYPES.issuperset(s.dtype for s in specs) else "a dtype has no kernels"
        self.spent, self.each, self.needed = 0.0, costs.first_estimate(specs), costs.RECORDING
        self.program: CompositionProgram | None = None
        self.recorded: RecordedComposition | None = None
        self.assuming = True
        self.failures = self.used = 0

    def ripe(self) -> bool:
        """Whether calls have cost as much as the next step."""
        first = self.recorded is not None and not started
        return self.spent >= self.needed + costs.FIRST * first

    def advance(
        self, label: str, fun: Callable[..., Any], positions: tuple[int, ...], inputs: int, noted: Any, at_once: bool
    ) -> None:
        """Record the composition, or compile it, if that pays by now."""
        if not numba_is_there():
            self.never = "Numba is not installed"
            return
        if self.recorded is None:
            try:
                self.recorded = recorded_composition(label, fun, noted, self.specs, inputs, self.assuming)
            except Exception as error:
                self.never = f"{type(error).__name__}: {error}"
                return
            from autodiff.facade.compiled import estimates  # noqa: PLC0415 - with the compiler

            tape = self.recorded.tape
            self.each = estimates.estimate(tape)
            self.needed = costs.cost_of_compiling(tape)
            if not at_once:
                self.never = estimates.reason_against(tape)
        if not self.never and (at_once or self.ripe()):
            self.compile(label, positions)

    def compile(self, label: str, positions: tuple[int, ...]) -> None:
        global started
        assert self.recorded is not None
        try:
            program = CompositionProgram(label, self.recorded, positions)
            if program.has_kernels():
                _ = program.program.straight
                self.program = program
                started = True
            else:
                self.never = "nothing of it becomes a kernel"
        except Exception as error:
            self.never = f"{type(error).__name__}: {error}"

    def failed(self, error: Exception | None) -> None:
        """The program raised an error, or a condition did not hold."""
        self.failures += 1
        if self.failures < PATIENCE:
            return
        self.failures = 0
        if self.assuming and self.recorded is not None and self.recorded.assumes:
            self.assuming = False
            self.program = self.recorded = None
        elif error is not None and not isinstance(error, IndexError):  # which is the caller's, of his labels
            self.give_up(f"{type(error).__name__}: {error}")

    def give_up(self, reason: str) -> None:
        """Never run as a program again."""
        self.never = reason
        self.program = self.recorded = None


kinds: dict[tuple[Any, ...], Kind] = {}
changing = lock_of(sys.modules[__name__], "changing")


def kind_of(label: str, positions: tuple[int, ...], values: tuple[Any, ...], identity: Identity) -> Kind:
    """The kind of a call."""
    state = surrounding_state()
    specs = [spec_of(value) for value in values]
    key = (label, positions, id(state), *map(id, specs), *identity.key)
    kind = kinds.get(key)
    if kind is None:
        with changing:
            if len(kinds) >= KINDS:
                drop_unused()
            kind = kinds.setdefault(key, Kind(specs, state, identity.held))
    kind.used = tick()
    return kind


def forget_kinds() -> None:
    """Forget all kinds and programs."""
    with changing:
        kinds.clear()


def drop_unused() -> None:
    """Forget the half of all kinds that was not used for longest."""
    for key, _ in sorted(kinds.items(), key=lambda item: item[1].used)[: KINDS // 2]:
        del kinds[key]


def drop_programs() -> None:
    """Forget the kinds whose programs were not used for longest, if there are too many."""
    with changing:
        compiled = [(kind.used, key) for key, kind in kinds.items() if kind.program is not None]
        if len(compiled) > PROGRAMS:
            for _, key in sorted(compiled, key=lambda pair: pair[0])[: PROGRAMS // 2]:
                del kinds[key]
