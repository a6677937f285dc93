"""A subject at work on one case: prepare, verify, and one timed sample after the other."""

from __future__ import annotations

import gc
from dataclasses import replace
from importlib import metadata
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.interruptions import interruptions
from benchmarks.verify import verify

if TYPE_CHECKING:
    from benchmarks.case import Case
    from benchmarks.subjects.subject import Subject

SHORT = 120  # operations of the check in double precision
ATTEMPTS = 3  # at one sample
LONG = 0.1  # seconds; in a longer sample a few milliseconds do not matter


class Entrant:
    """Takes turns with the others; the same calls work through a pipe (see `remote.py`)."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.name = subject.name
        self._case: Any = None
        self._program: Any = None
        self._seed: Any = None

    def describe(self) -> dict[str, Any]:
        """Version and settings of the library."""
        return {"version": version(self.subject.distribution), **self.subject.settings()}

    def prepare(self, case: Case) -> int | None:
        """Make the inputs; the operations of one sample, or None where the subject leaves the case out."""
        if case.program == "long" and not self.subject.long_chains:
            return None
        self._case = case.limited(self.subject.most_operations)
        self._program, self._seed = self._inputs(self._case)
        gc.collect()
        gc.freeze()  # modules and inputs of all subjects are nobody's garbage: each pays for its own graph
        return int(self._case.operations)

    def verify(self) -> None:
        """Check the gradient of the prepared case, and of a short one in double precision."""
        if not self.subject.has_gradients:
            return
        self._verify(self._case, self._program, self._seed, self.subject.keeps_dtype)
        if "float64" in self.subject.dtypes:
            double = replace(self._case.limited(SHORT), dtype="float64")
            self._verify(double, *self._inputs(double), keeps_dtype=True)

    def sample(self) -> tuple[float, float, bool]:
        """Seconds forward; seconds of forward, backward and freeing the graph together; was it interrupted.

        A short sample that the system interrupted for another process is taken again.
        """
        for _ in range(ATTEMPTS):
            before = interruptions()
            forward, total = self._sample()
            interrupted = interruptions() != before
            if not interrupted or total > LONG:
                break
        return forward, total, interrupted

    def _sample(self) -> tuple[float, float]:
        subject, program, seed = self.subject, self._program, self._seed
        leaves = [subject.leaf(array) for array in self._case.leaves()]
        gc.collect()
        start = perf_counter()
        state = subject.forward(program, leaves)
        middle = perf_counter()
        gradients = subject.backward(state, leaves, seed) if subject.has_gradients else None
        del state
        end = perf_counter()
        del gradients
        return middle - start, end - start

    def release(self) -> None:
        """Let go of the inputs."""
        self._case = self._program = self._seed = None
        gc.unfreeze()

    def _inputs(self, case: Case) -> tuple[Any, Any]:
        constant = self.subject.constant
        pairs = case.pairs()
        converted = {id(array): constant(array) for pair in pairs for array in pair}
        native = [(converted[id(factor)], converted[id(offset)]) for factor, offset in pairs]
        return case.definition.build(self.subject, native), constant(np.ones(case.length, case.dtype))

    def _verify(self, case: Case, program: Any, seed: Any, keeps_dtype: bool) -> None:
        leaves = [self.subject.leaf(array) for array in case.leaves()]
        state = self.subject.forward(program, leaves)
        value = self.subject.plain(self.subject.value(state))
        gradients = [self.subject.plain(each) for each in self.subject.backward(state, leaves, seed)]
        verify(self.name, case, [value, *gradients], keeps_dtype)


def version(distribution: str) -> str:
    """What is installed; a checkout that is not installed says so."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed, run from its checkout"
