"""Inputs of cases: small arrays, the same on every machine.

Random values are multiples of 1/1024, so float32 and float64 hold exactly the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Draw = Callable[[np.random.RandomState], Any]


@dataclass(frozen=True)
class Input:
    """How to draw an input; a `differentiable` one is cast to the case's dtype and becomes a Variable."""

    draw: Draw
    differentiable: bool = True
    cast: bool = True

    def array(self, random: np.random.RandomState, dtype: str | None) -> np.ndarray:
        value = np.asarray(self.draw(random))
        return value.astype(dtype) if self.cast and dtype is not None else value


def rounded(values: Any) -> np.ndarray:
    return np.round(np.asarray(values) * 1024) / 1024


def normal(*shape: int, scale: float = 1.0) -> Input:
    return Input(lambda random: rounded(scale * random.randn(*shape)))


def uniform(low: float, high: float, *shape: int) -> Input:
    return Input(lambda random: rounded(random.uniform(low, high, shape)))


def positive(*shape: int) -> Input:
    return uniform(0.5, 2.0, *shape)


def distinct(*shape: int) -> Input:
    """Values at least 1/8 apart: no ties."""
    return Input(lambda random: (random.permutation(int(np.prod(shape))).reshape(shape) - np.prod(shape) // 2) / 8.0)


def definite(n: int, *batch: int) -> Input:
    """Symmetric positive definite matrices."""

    def draw(random: np.random.RandomState) -> np.ndarray:
        root = random.randn(*batch, n, n)
        return rounded(root @ np.swapaxes(root, -1, -2) + n * np.eye(n))

    return Input(draw)


def at(*values: Any) -> Input:
    """Literal points: kinks, ties, bounds."""
    return Input(lambda random: np.array(values, "d"))


def literal(values: Any) -> Input:
    return Input(lambda random: np.array(values, "d"))


def integers(high: int, *shape: int, low: int = 0, dtype: str = "i") -> Input:
    return Input(lambda random: random.randint(low, high, shape).astype(dtype), differentiable=False, cast=False)


def fixed(values: Any, dtype: str = "i") -> Input:
    """An array that is passed as it is, whatever the dtype of the case."""
    return Input(lambda random: np.array(values, dtype), differentiable=False, cast=False)


def constant(values: Any) -> Input:
    """An array of the case's dtype that is not a Variable (weights of classes, masks)."""
    return Input(lambda random: np.array(values, "d"), differentiable=False)
