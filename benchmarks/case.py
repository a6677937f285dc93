"""A case: one program at one length, with the same inputs for every subject and every interpreter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.programs import PROGRAMS, Program

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

DISTINCT_PAIRS = 500


@dataclass(frozen=True)
class Case:
    """`program` by name, elements of each array, how often the loop runs, rounds to measure, dtype."""

    program: str
    length: int
    steps: int
    rounds: int
    dtype: str = "float32"

    @property
    def definition(self) -> Program:
        """The program itself."""
        return PROGRAMS[self.program]

    @property
    def operations(self) -> int:
        """Operations that one sample records."""
        return self.steps * self.definition.operations_per_step

    def limited(self, most_operations: int | None) -> Case:
        """The same case with at most so many operations, for a subject that needs milliseconds for each."""
        if most_operations is None or self.operations <= most_operations:
            return self
        return replace(self, steps=max(1, most_operations // self.definition.operations_per_step))

    def leaves(self) -> list[Array]:
        """The arrays that gradients are taken with respect to; long products of them stay near one."""
        source = np.random.default_rng(1)
        bounds = ((0.5, 1.5), (0.995, 1.005), (-0.01, 0.01))[: self.definition.leaves]
        return [source.uniform(low, high, self.length).astype(self.dtype) for low, high in bounds]

    def pairs(self) -> list[tuple[Array, Array]]:
        """`(factor, offset)` for every step: all distinct for 500 steps; longer loops go round them again."""
        source = np.random.default_rng(2)

        def array(low: float, high: float) -> Array:
            return source.uniform(low, high, self.length).astype(self.dtype)

        distinct = [(array(0.995, 1.005), array(-0.01, 0.01)) for _ in range(min(self.steps, DISTINCT_PAIRS))]
        return [distinct[step % len(distinct)] for step in range(self.steps)]
