"""How a tape is run: as one kernel, as kernels and NumPy's functions, or as NumPy's functions alone."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff.backends.choice import numba_is_there
from autodiff.backends.kernels.programs.call import whole_equation
from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.backends.kernels.programs.values import Impossible
from autodiff.backends.passes.cost import calls, work
from autodiff.backends.passes.expand import EXPANSIONS
from autodiff.backends.passes.fuse import fuse
from autodiff.backends.passes.rewriting import rewrite
from autodiff.backends.passes.simplify import simplify
from autodiff.trace.tape import Tape

THREADS = 2.0
"""How much faster kernels of rows are taken to be than one thread, where their work is large."""

LARGE = 50_000.0
"""Nanoseconds of work that threads share."""


@dataclass(frozen=True)
class Schedule:
    """How a tape is run.

    Attributes:
        tape: with kernels in the places of what they do.
        reason: why it is not one kernel; empty where it is.
    """

    tape: Tape
    reason: str


def schedule(tape: Tape, backend: str = "auto") -> Schedule:
    """How a tape without constants is run."""
    if backend == "numpy" or not numba_is_there():
        why = "backend='numpy'" if backend == "numpy" else "Numba is not installed: pip install autodiff[numba]"
        return Schedule(simplify(tape), why)
    simple = simplify(rewrite(simplify(tape), EXPANSIONS, merge=True), stable=False)
    fused = fuse(simple)
    effort = work(simple)
    spread = calls(fused) + (effort / THREADS if effort > LARGE else effort)
    if effort + 600 >= spread:
        return Schedule(fused, "kernels of rows share the work among threads")
    try:
        whole_kernel(simple)
    except Impossible as reason:
        return Schedule(fused, str(reason))
    return Schedule(one_kernel(simple), "")


def one_kernel(tape: Tape) -> Tape:
    """A tape whose one operation does all that another one does."""
    equation = whole_equation(tape)
    return Tape(tape.inputs, (equation,), equation.results, (), tape.arguments, tape.results)
