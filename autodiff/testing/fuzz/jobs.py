"""Many programs in several processes, in the order of their numbers; a process that crashes names its program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from autodiff.testing.fuzz.comparing import Finding
from autodiff.testing.fuzz.fuzzing import Plan, fuzz_one
from autodiff.testing.fuzz.generate import generate
from autodiff.testing.fuzz.printing import printed
from autodiff.testing.fuzz.report import Mismatch, Report

SHARE = 4
"""Programs that a process takes at once."""

LIFE = 64
"""Shares for each process of a pool, which is made anew then: kernels stay loaded, 2 GB after a thousand programs."""


def reports(numbers: Sequence[int], plan: Plan, jobs: int) -> Iterator[Report]:
    """A report for each share of the programs, in their order.

    Args:
        numbers: of the programs.
        plan: what is tried with each.
        jobs: how many processes; 1 for this one alone, where a crash is the end.
    """
    shares = [numbers[first : first + SHARE] for first in range(0, len(numbers), SHARE)]
    if jobs == 1:
        yield from (fuzz_share(share, plan) for share in shares)
        return
    pending = shares
    while pending:
        done, now = 0, pending[: LIFE * jobs]
        try:
            with executor(jobs) as pool:
                for report in pool.map(fuzz_share, now, [plan] * len(now)):
                    yield report
                    done += 1
        except BrokenProcessPool:
            for number in pending[done]:
                yield alone(number, plan)
            done += 1
        pending = pending[done:]


def fuzz_share(numbers: Sequence[int], plan: Plan) -> Report:
    """The report on some programs."""
    whole = Report()
    for number in numbers:
        whole.add(fuzz_one(number, plan))
    return whole


def alone(number: int, plan: Plan) -> Report:
    """The report on one program in a process of its own, which may crash."""
    try:
        with executor(1) as pool:
            return pool.submit(fuzz_one, number, plan).result()
    except BrokenProcessPool:
        finding = Finding("crash", "the process that ran it died; run it with --only and --jobs 1 under a debugger")
        return Report(mismatches=[Mismatch(number, 0, "any", finding, printed(generate(number)))], programs=1)


def executor(jobs: int) -> ProcessPoolExecutor:
    """Processes that begin afresh: forks of a process with threads may hang."""
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
