"""Programs of a range of seeds, each on some draws, in modes that take turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from autodiff.backends import checked
from autodiff.backends.llvm.statements import repeats
from autodiff.testing.fuzz.checking import Compiled, check, quiet
from autodiff.testing.fuzz.comparing import Finding
from autodiff.testing.fuzz.cutting import without_dead_lines
from autodiff.testing.fuzz.drawing import FLAVOURS, Draw, draw
from autodiff.testing.fuzz.generate import generate
from autodiff.testing.fuzz.modes import COMPILED, OPERATIONS, OPTIONS, RECORDED, Mode
from autodiff.testing.fuzz.operations import Operation
from autodiff.testing.fuzz.program import Program
from autodiff.testing.fuzz.report import Mismatch, Report, script
from autodiff.testing.fuzz.shrinking import TRIALS, shrink


@dataclass(frozen=True)
class Plan:
    """What is tried with each program.

    Attributes:
        draws: how many draws of arguments.
        size: how long axes are: "small", "edges" or "large".
        compiled: whether programs are compiled; otherwise their tapes are run.
        trials: how many smaller programs are tried after a mismatch.
        backend: that of ``jit``, if another one than its own choice.
        operations: functions of users, by the names that programs call them by.
        skip: the names of modes that are left out.
        checked: programs whose numbers are multiples of it run with ``AUTODIFF_CHECK_KERNELS``; 0 for none.
        repeats: in kernels of programs whose numbers are multiples of it, loops that are there twice are functions,
            however short the kernel is; 0 for none.
    """

    draws: int = 10
    size: str = "small"
    compiled: bool = True
    trials: int = TRIALS
    backend: str = ""
    operations: Mapping[str, Operation] = field(default_factory=dict)
    skip: tuple[str, ...] = ()
    checked: int = 0
    repeats: int = 0

    @property
    def modes(self) -> Mapping[str, Mode]:
        found = OPERATIONS if self.operations else COMPILED if self.compiled else RECORDED
        return {name: mode for name, mode in found.items() if name not in self.skip}


def fuzz_one(seed: int, plan: Plan) -> Report:
    """Check the program of a seed; of each kind of finding the first mismatch is reported."""
    chosen = [every > 0 and seed % every == 0 for every in (plan.checked, plan.repeats)]
    with checking_kernels(chosen[0]), calling_repeats(chosen[1]), compiled_by(plan.backend):
        return fuzz_program(seed, plan)


@contextmanager
def checking_kernels(chosen: bool) -> Iterator[None]:
    """Let kernels that are made here check each access to memory; also where the environment says so."""
    before = checked.CHECKED
    checked.CHECKED = before or chosen
    try:
        yield
    finally:
        checked.CHECKED = before


@contextmanager
def calling_repeats(chosen: bool) -> Iterator[None]:
    """Let loops that are there twice be functions in kernels that are made here: random programs are no long ones."""
    before = repeats.LONG, repeats.OFTEN
    if chosen:
        repeats.LONG, repeats.OFTEN = 1, 2
    try:
        yield
    finally:
        repeats.LONG, repeats.OFTEN = before


@contextmanager
def compiled_by(backend: str) -> Iterator[None]:
    """Let ``jit`` compile for a backend here; for its own choice if it is empty."""
    before = dict(OPTIONS)
    OPTIONS.update({"backend": backend} if backend else {})
    try:
        yield
    finally:
        OPTIONS.clear()
        OPTIONS.update(before)


def fuzz_program(seed: int, plan: Plan) -> Report:
    """The same, by kernels as they are made now."""
    program, report = generate(seed, plan.operations), Report(programs=1)
    if plan.size != "small":  # nobody may compute what is found too large only where it is needed
        program = replace(program, main=without_dead_lines(program.main))
    compiled, others = Compiled(program), chosen_modes(seed, plan)
    first = first_draw(seed, plan)
    for number in range(first, first + plan.draws):
        with quiet():
            drawn = draw(program, number, plan.size)
        for name in dict.fromkeys(("value", others[number % len(others)])):
            outcome = check(program, drawn, plan.modes[name], compiled)
            report.counts[name, outcome.word] += 1
            if outcome.finding and not known(report, outcome.finding):
                report.mismatches.append(told(program, drawn, number, name, outcome.finding, plan))
    return report


def first_draw(seed: int, plan: Plan) -> int:
    """The number of a program's first draw: where draws are few, every program has values of another flavour."""
    if plan.operations:
        return seed % len(FLAVOURS)
    few = plan.draws < len(FLAVOURS)
    return (seed + seed // len(FLAVOURS)) % len(FLAVOURS) if few else 0  # also of each tenth, whose kernels are checked


def chosen_modes(seed: int, plan: Plan) -> list[str]:
    """The modes that a program is tried in, beside its value: two by weight, since each has kernels to compile.

    Where operations of users are tried, there are as many as draws.
    """
    names = [name for name, mode in plan.modes.items() if mode.weight]
    weights = np.array([plan.modes[name].weight for name in names], dtype=float)
    random = np.random.default_rng((seed, 2))
    count = min(plan.draws if plan.operations else 2, len(names))
    return [str(name) for name in random.choice(names, count, replace=False, p=weights / weights.sum())]


def known(report: Report, finding: Finding) -> bool:
    """Whether a mismatch of the same kind was reported before."""
    return any(one.finding.kind == finding.kind for one in report.mismatches)


def told(program: Program, drawn: Draw, number: int, name: str, finding: Finding, plan: Plan) -> Mismatch:
    """The mismatch, shrunk."""
    mode = plan.modes[name]
    small, least, outcome = shrink(program, drawn, mode, finding.kind, plan.trials)
    return Mismatch(program.seed, number, name, outcome.finding or finding, script(small, least, mode))
