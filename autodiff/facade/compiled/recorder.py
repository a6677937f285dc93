"""Recording a composition, to be compiled.

Values decide what some functions do: whether all labels are classes, for example. While they are recorded such a
function may assume so, :func:`assumed`, or ask for it, :func:`required`. The condition becomes part of the program;
where it does not hold the program's results are dropped, and the function is called as it is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from autodiff.facade.compiled.identity import Rebuilding
from autodiff.facade.compiled.purity import UnknowableError
from autodiff.ops.elementwise import logical_and
from autodiff.trace.recording import bodies, innermost_body
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.staging import stage
from autodiff.trace.tape import Tape
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.jit.randomness import random_state
from autodiff.transforms.jit.recorder import Recorder
from autodiff.transforms.stop_gradient import stop_gradient


class CompositionRecorder(Recorder):
    """Records a composition.

    Args:
        label: of its node.
        assuming: whether the function may assume what values decide.

    Attributes:
        conditions: what it assumes and asks for, traced.
        assumptions: how many of them it only assumes.
    """

    __slots__ = ("assuming", "assumptions", "conditions")

    def __init__(self, label: str, assuming: bool) -> None:
        super().__init__(label)
        self.assuming = assuming
        self.assumptions = 0
        self.conditions: list[Any] = []


class RecordedComposition(NamedTuple):
    """A composition that was recorded.

    Attributes:
        tape: from the inputs and the arrays that the function closes over to its results, what it notes, and whether
            its conditions hold, if it has some.
        results: how many results it has.
        several: whether they are a tuple.
        noted: how many arrays it notes.
        guarded: whether it has conditions.
        assumes: whether some of them can be done without.
    """

    tape: Tape
    results: int
    several: bool
    noted: int
    guarded: bool
    assumes: bool

    def results_of(self, outs: Sequence[Any], noted: list[Any] | None) -> Any:
        """The results among the outputs of the tape; what it notes is put into the list."""
        if noted is not None:
            noted[:] = outs[self.results : self.results + self.noted]
        return tuple(outs[: self.results]) if self.several else outs[0]


def assumed(condition: Callable[[], Any]) -> bool:
    """Whether a condition, which depends on values, may be taken to hold.

    Args:
        condition: gives it, traced. It is called while a composition is recorded to be compiled, and the result is
            True; elsewhere it is False.
    """
    recorder = innermost_body() if bodies else None
    if type(recorder) is not CompositionRecorder or not recorder.assuming:
        return False
    recorder.assumptions += 1
    recorder.conditions.append(condition())
    return True


def required(condition: Callable[[], Any]) -> None:
    """Ask for a condition while a composition is recorded to be compiled: where it does not hold the function raises.

    Args:
        condition: gives it, traced.
    """
    recorder = innermost_body() if bodies else None
    if type(recorder) is CompositionRecorder:
        recorder.conditions.append(condition())


def recorded_composition(
    label: str, fun: Callable[..., Any], noted: list[Any] | None, specs: Sequence[Spec], count: int, assuming: bool
) -> RecordedComposition:
    """Record a function on the specs of its ``count`` inputs, and of the arrays that it closes over.

    Raises:
        UnknowableError: if it does something besides computing its results.
        Exception: whatever it raises where values are not known.
    """
    recorder = CompositionRecorder(label, assuming)
    numbers: list[int] = []
    several = False

    def run(*values: Any) -> tuple[Any, ...]:
        nonlocal several
        slots = [value.slot for value in values]
        again = Rebuilding(iter(values[count:]), noted)
        out = again.rebuilt(fun)(*values[:count])
        several = type(out) is tuple
        results = out if several else (out,)
        if again.changed():
            raise UnknowableError("it changes a list or dictionary that it closes over")
        if [value.slot for value in values] != slots:
            raise UnknowableError("it writes to an operand, or to an array that it closes over")
        if not all(isinstance(part, Tracer) and part.recording is recorder for part in (*results, *again.noted_now)):
            raise UnknowableError("it returns something else than arrays that it computes")
        conditions = [reduce(logical_and, recorder.conditions)] if recorder.conditions else []
        numbers[:] = len(results), len(again.noted_now)
        return (*results, *map(stop_gradient, again.noted_now), *conditions)

    alone = threading.active_count() == 1  # others may draw random numbers rightly
    before = random_state()
    with np.errstate(all="ignore"):
        staged = stage(run, specs, flatten(tuple(specs))[1], body=recorder)
    if staged.captures:
        raise UnknowableError("it closes over a traced value")
    if alone and random_state() != before:
        raise UnknowableError("it draws random numbers")
    check_memory(staged.tape, numbers[0])
    return RecordedComposition(
        staged.tape, numbers[0], several, numbers[1], bool(recorder.conditions), bool(recorder.assumptions)
    )


def check_memory(tape: Tape, results: int) -> None:
    """See that results are new arrays: those that show an operand's memory must go on doing so.

    Raises:
        UnknowableError: if one is not, or if two are the same.
    """
    made = {slot: equation for equation in tape.equations for slot in equation.results}
    outs = tape.outputs[:results]
    for out in outs:
        source: Any = out
        while source in made and made[source].primitive.view:
            source = made[source].operands[0]
        if source not in made:
            raise UnknowableError("a result is an operand, or shows its memory")
    if len(set(outs)) < len(outs):
        raise UnknowableError("two results are one array")
    if any(spec_of(spec).kind == "python" for spec in tape.output_specs[:results]):
        raise UnknowableError("a result is a number")
