"""How large the numbers are of which a function is made: where they cancel, its values move in units of theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.testing.lawbook.agreement import scale_of
from autodiff.testing.problem import Problem
from autodiff.trace.primitive import Primitive
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.forward import Forward, unpaired


class Measuring(Forward):
    """A forward recording that takes note of the largest finite value on the way.

    Attributes:
        largest: its magnitude, at least one: constants are of that size.
    """

    __slots__ = ("largest",)

    def __init__(self) -> None:
        super().__init__()
        self.largest = 1.0

    def record(
        self,
        primitive: Primitive,
        operands: Sequence[Any],
        params: Mapping[str, Any],
        apply: Callable[..., Any] | None = None,
    ) -> Any:
        out = super().record(primitive, operands, params, apply)
        values = [unpaired(one, self)[0] for one in flatten(out)[0]]
        known = [value for value in values if isinstance(value, np.ndarray | np.generic | float | complex)]
        self.largest = max(self.largest, scale_of(*known))
        return out


def largest_inside(problem: Problem) -> float:
    """The largest number that the function computes on its way, at least one."""
    measuring = Measuring()
    try:
        with np.errstate(all="ignore"):
            problem.flat(*(Tracer(x, measuring, v) for x, v in zip(problem.primals, problem.tangents, strict=True)))
    finally:
        measuring.close()
    return measuring.largest
