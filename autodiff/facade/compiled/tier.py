"""The calls of compositions, counted under their labels, and the programs of those that are called often.

Before a composition is compiled a call costs one look into a dictionary and one subtraction more than without all
this. One call in so many (:data:`~autodiff.facade.compiled.costs.STRIDES`) is looked at closely: the function's
identity, the shapes and dtypes, what holds around the call. The estimated cost of all of them is added to what calls of
this kind have cost; where the sum is more than compiling costs it is compiled.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.facade.compiled import costs
from autodiff.facade.compiled.identity import Identity
from autodiff.facade.compiled.kinds import Kind, drop_programs, forget_kinds, kind_of
from autodiff.facade.compiled.program import CompiledComposition, CompositionProgram
from autodiff.facade.compiled.purity import UnknowableError
from autodiff.facade.graph.known_operands import Operands
from autodiff.facade.settings.configuration import compile_eager_changed, config
from autodiff.trace.forking import lock_of
from autodiff.trace.recording import bodies
from autodiff.trace.tracer import Tracer

LABELS = 4096
"""So many labels are kept."""

LOUD = frozenset({"raise", "call", "print", "log"})
"""With these NumPy tells of infinities and NaN where they arise; programs do not."""


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
        found = self.program_of_call(fun, operation.values, operation.values, positions, noted)
        if found is None:
            return None
        program, kind, arrays = found
        ran = outcome_of(kind, lambda: program.run((*operation.values, *arrays)))
        if ran is None:
            return None
        outs, kept = ran
        results = program.recorded.results_of(outs, noted)
        return results, CompiledComposition(fun, operation, program, kept)

    def attempt_traced(self, fun: Callable[..., Any], values: Sequence[Any], noted: list[Any] | None) -> Any:
        """Run a composition of traced values as a program, which is one operation to those who record them.

        Args:
            fun: the function.
            values: its operands: arrays, and arrays that one recording of a derivative traces.
            noted: the list that the function fills with arrays for its caller, or None.

        Returns:
            the results; None where the function is to be called.
        """
        positions = tuple([k for k, value in enumerate(values) if type(value) is Tracer])
        plain = [value.primal if type(value) is Tracer else value for value in values]
        found = self.program_of_call(fun, values, plain, positions, noted)
        if found is None:
            return None
        program, kind, arrays = found
        outs = outcome_of(kind, lambda: program.run_traced((*values, *arrays)))
        return None if outs is None else program.recorded.results_of(outs, noted)

    def program_of_call(
        self,
        fun: Callable[..., Any],
        values: Sequence[Any],
        plain: Sequence[Any],
        positions: tuple[int, ...],
        noted: list[Any] | None,
    ) -> tuple[CompositionProgram, Kind, list[Any]] | None:
        """The program of a composition, the kind of the call, and the arrays that the function closes over.

        Args:
            fun: the function.
            values: its operands.
            plain: the same, not traced: programs run on arrays of NumPy alone.
            positions: which of them are differentiated.
            noted: the list that the function fills with arrays for its caller, or None.

        Returns:
            None where there is no program: calls have not cost enough yet, or it could not be one.
        """
        setting = config.compile_eager
        weight = self.stride
        self.looks += 1
        self.wait(setting is True)
        if setting is False or bodies or not all(type(value) is np.ndarray for value in plain):
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
            if kind.never or not (setting is True or kind.ripe()):
                return None
            if not compiling.acquire(blocking=False):
                return None  # another thread compiles; this one goes on
            try:
                if kind.program is None:
                    kind.advance(self.label, fun, positions, len(values), noted, setting is True)
                if kind.program is not None:
                    drop_programs()
            finally:
                compiling.release()
        program = kind.program
        if program is None:
            return None
        if program.broken:
            kind.give_up(program.broken)
            return None
        if not self.active:
            self.active = True
            self.wait(True)
        return program, kind, arrays


def outcome_of(kind: Kind, run: Callable[[], Any]) -> Any:
    """What a program gives; None where the composition's conditions do not hold, or something is wrong."""
    if not LOUD.isdisjoint(np.geterr().values()):
        return None
    try:
        found = run()
    except Exception as error:  # the function itself is called then, and says what is wrong
        kind.failed(error)
        return None
    if found is None:
        kind.failed(None)
    return found


tiers: dict[str, Tier] = {}
compiling = lock_of(sys.modules[__name__], "compiling")
changing = lock_of(sys.modules[__name__], "changing")


def tier_of(label: str) -> Tier:
    """The tier of a label that has none yet."""
    with changing:
        if len(tiers) >= LABELS:
            tiers.clear()
        return tiers.setdefault(label, Tier(label))


def look_again() -> None:
    """The setting has changed: the next call under each label sees what it is."""
    for tier in list(tiers.values()):
        tier.stride -= tier.left  # so many have gone by
        tier.left = 0


def clear() -> None:
    """Forget all calls and programs."""
    with changing:
        tiers.clear()
    forget_kinds()


compile_eager_changed.append(look_again)
