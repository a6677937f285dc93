"""A small program that is run on a device only to see whether it is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.compiled_programs.program import Function

TOLERANCE = {"float64": 1e-10, "float32": 2e-5, "float16": 5e-3}


@dataclass(frozen=True)
class Check:
    """A function of arrays, whose results and whose gradients of a number made from them are compared.

    Attributes:
        of: arrays to an array or a tuple of them.
        makers: of the arguments; those of floats are differentiated, and come first.
        dtype: in which the floats are given.
        slack: times the tolerance of the dtype.
    """

    of: Function
    makers: tuple[Callable[[np.random.Generator], Any], ...]
    dtype: str = "float32"
    slack: float = 1.0

    @property
    def tolerance(self) -> float:
        """The largest difference, in proportion to the largest element."""
        return TOLERANCE[self.dtype] * self.slack

    def arguments(self, random: np.random.Generator) -> tuple[Any, ...]:
        """As arrays of NumPy."""
        made = [maker(random) for maker in self.makers]
        return tuple(array.astype(self.dtype) if array.dtype.kind == "f" else array for array in made)

    @property
    def differentiated(self) -> tuple[int, ...]:
        """Positions of the floats."""
        made = self.arguments(np.random.default_rng(0))
        return tuple(n for n, array in enumerate(made) if array.dtype.kind == "f")

    def loss(self, *arguments: Any) -> tuple[Any, Any]:
        """A number whose cotangents differ from element to element, and the results."""
        results = self.of(*arguments)
        parts = results if isinstance(results, (list, tuple)) else (results,)
        return sum(np.sum(part * part) / 2 + np.sum(part) for part in parts), results


def check(of: Function, *makers: Callable[[np.random.Generator], Any], **changes: Any) -> Check:
    """A row of the list."""
    return Check(of, makers, **changes)


def normal(*shape: int) -> Callable[[np.random.Generator], Any]:
    """Normal numbers."""
    return lambda random: random.standard_normal(shape)


def between(low: float, high: float, *shape: int) -> Callable[[np.random.Generator], Any]:
    """Numbers of a range."""
    return lambda random: random.uniform(low, high, shape)


def integers(high: int, *shape: int) -> Callable[[np.random.Generator], Any]:
    """Whole numbers from 0, of which some come again."""
    return lambda random: random.integers(0, high, shape)


def positive_definite(*shape: int) -> Callable[[np.random.Generator], Any]:
    """Symmetric matrices far from singular ones."""

    def made(random: np.random.Generator) -> Any:
        matrices = random.standard_normal(shape)
        return matrices @ np.swapaxes(matrices, -1, -2) / shape[-1] + 2 * np.eye(shape[-1])

    return made
