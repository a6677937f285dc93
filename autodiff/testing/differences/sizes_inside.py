"""How large the numbers are of which a function is made: where they cancel, its values move in units of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.testing.lawbook.agreement import scale_of
from autodiff.testing.problem import Problem
from autodiff.trace.primitive import Primitive
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.forward import Forward, unpaired


class Measuring(Forward):
    """A forward recording that takes note of the largest finite value and tangent on the way.

    Attributes:
        largest: the value's magnitude, at least one: constants are of that size.
        fastest: the tangent's magnitude.
    """

    __slots__ = ("fastest", "largest")

    def __init__(self) -> None:
        super().__init__()
        self.largest = 1.0
        self.fastest = 0.0

    def record(
        self,
        primitive: Primitive,
        operands: Sequence[Any],
        params: Mapping[str, Any],
        apply: Callable[..., Any] | None = None,
    ) -> Any:
        out = super().record(primitive, operands, params, apply)
        pairs = [unpaired(one, self) for one in flatten(out)[0]]
        self.largest = max(self.largest, scale_of(*plain(value for value, _ in pairs)))
        self.fastest = max(self.fastest, scale_of(*plain(tangent for _, tangent in pairs)))
        return out


def plain(values: Iterable[Any]) -> list[Any]:
    """Those values that are numbers and arrays of them."""
    return [value for value in values if isinstance(value, np.ndarray | np.generic | float | complex)]


def largest_inside(problem: Problem) -> float:
    """The largest number that the function computes on its way, at least one."""
    return measured(problem).largest


def measured(problem: Problem) -> Measuring:
    """The largest numbers of the function at the arguments, and of its derivative along `problem.tangents`."""
    measuring = Measuring()
    try:
        with np.errstate(all="ignore"):
            problem.flat(*(Tracer(x, measuring, v) for x, v in zip(problem.primals, problem.tangents, strict=True)))
    finally:
        measuring.close()
    measuring.fastest = max(measuring.fastest, scale_of(*problem.tangents))
    return measuring
