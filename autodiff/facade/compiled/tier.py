"""The calls of compositions, counted under their labels, and the programs of those that are called often.

Before a composition is compiled a call costs one look into a dictionary and one subtraction more than without all
this. One call in so many (:data:`~autodiff.facade.compiled.costs.STRIDES`) is looked at closely: the function's
identity, the shapes and dtypes, what holds around the call. The estimated cost of all of them is added to what calls of
this kind have cost; where the sum is more than compiling costs it is compiled.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from autodiff.backends.choice import numba_is_there
from autodiff.facade.compiled import costs
from autodiff.facade.compiled.identity import Identity
from autodiff.facade.compiled.program import CompiledComposition, CompositionProgram
from autodiff.facade.compiled.purity import UnknowableError
from autodiff.facade.compiled.recorder import RecordedComposition, recorded_composition
from autodiff.facade.configuration import compile_eager_changed, config
from autodiff.facade.recording import Operands
from autodiff.trace.recording import bodies
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.surroundings import State, surrounding_state

LABELS, KINDS, PROGRAMS = 4096, 1024, 256
"""How many labels, how many kinds of calls under all of them, and how many programs are kept."""

PATIENCE = 3
"""So many times an assumption may fail before the composition is recorded without it; or a program before it goes."""

LOUD = frozenset({"raise", "call", "print", "log"})
"""With these NumPy tells of infinities and NaN where they arise; programs do not."""

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
            tape = self.recorded.tape
            self.each = costs.estimate(tape)
            self.needed = costs.cost_of_compiling(tape, not started)
            if not at_once:
                self.never = costs.reason_against(tape)
        if not self.never and (at_once or self.spent >= self.needed):
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
            self.never = f"{type(error).__name__}: {error}"
            self.program = None


class Tier:
    """The calls under one label.

    Attributes:
        left: how many calls are not looked at closely before the next one that is.
        stride: how many calls there are for that one.
        looks: how many were looked at.
        active: whether there is a program for some of them: then all are looked at.
    """

    __slots__ = ("active", "label", "left", "looks", "stride")

    def __init__(self, label: str) -> None:
        self.label = label
        self.looks = 0
        self.active = False
        self.wait(config.compile_eager is True)

    def wait(self, at_once: bool) -> None:
        """Let calls go by until the next one is looked at."""
        self.stride = 1 if self.active or at_once else costs.STRIDES[min(self.looks, len(costs.STRIDES) - 1)]
        self.left = self.stride - 1

    def attempt(
        self, fun: Callable[..., Any], operation: Operands, positions: tuple[int, ...], noted: list[Any] | None
    ) -> tuple[Any, CompiledComposition] | None:
        """Run a composition as a program.

        Args:
            fun: the function.
            operation: its operands.
            positions: which of them are differentiated.
            noted: the list that the function fills with arrays for its caller, or None.

        Returns:
            the results and what the node keeps; None where the function is to be called.
        """
        setting = config.compile_eager
        weight = self.stride
        self.looks += 1
        self.wait(setting is True)
        values = operation.values
        if setting is False or bodies or not all(type(value) is np.ndarray for value in values):
            return None
        identity = Identity(noted)
        try:
            identity.add(fun)
        except UnknowableError:
            return None
        arrays = identity.arrays
        kind = kind_of(self.label, positions, (*values, *arrays), identity)
        if kind.program is None:
            kind.spent += weight * kind.each
            if kind.never or not (setting is True or kind.spent >= kind.needed):
                return None
            if not compiling.acquire(blocking=False):
                return None  # another thread compiles; this one goes on
            try:
                if kind.program is None:
                    kind.advance(self.label, fun, positions, len(values), noted, setting is True)
                if kind.program is not None:
                    self.active = True
                    self.wait(True)
                    drop_programs()
                return self.run(kind, fun, operation, arrays, noted)
            finally:
                compiling.release()
        return self.run(kind, fun, operation, arrays, noted)

    def run(
        self, kind: Kind, fun: Callable[..., Any], operation: Operands, arrays: list[Any], noted: list[Any] | None
    ) -> tuple[Any, CompiledComposition] | None:
        program = kind.program
        if program is None or not LOUD.isdisjoint(np.geterr().values()):
            return None
        try:
            found = program.run((*operation.values, *arrays))
        except Exception as error:  # the function itself is called then, and says what is wrong
            kind.failed(error)
            return None
        if found is None:
            kind.failed(None)
            return None
        outs, kept = found
        recorded = program.recorded
        results = recorded.results
        if noted is not None:
            noted[:] = outs[results : results + recorded.noted]
        composition = CompiledComposition(fun, operation, program, kept)
        return (outs[:results] if recorded.several else outs[0]), composition


tiers: dict[str, Tier] = {}
kinds: dict[tuple[Any, ...], Kind] = {}
compiling = threading.RLock()
changing = threading.RLock()


def tier_of(label: str) -> Tier:
    """The tier of a label that has none yet."""
    with changing:
        if len(tiers) >= LABELS:
            tiers.clear()
        return tiers.setdefault(label, Tier(label))


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


def look_again() -> None:
    """The setting has changed: the next call under each label sees what it is."""
    for tier in list(tiers.values()):
        tier.stride -= tier.left  # so many have gone by
        tier.left = 0


def clear() -> None:
    """Forget all calls and programs."""
    with changing:
        tiers.clear()
        kinds.clear()


def renew_locks() -> None:
    """In a new process the threads are gone that held locks."""
    global compiling, changing
    compiling, changing = threading.RLock(), threading.RLock()
    for kind in kinds.values():
        if kind.program is not None:
            kind.program.lock = threading.Lock()


compile_eager_changed.append(look_again)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_locks)
