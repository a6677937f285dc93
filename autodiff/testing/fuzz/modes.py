"""The ways in which a program is run twice: as it is, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import autodiff
from autodiff.testing.fuzz.transformations import (
    Function,
    batch,
    curvature,
    gradient,
    loss_gradient,
    one_by_one,
    plain,
    tangent,
)

Transformation = Callable[[Function], Function]


@dataclass(frozen=True)
class Mode:
    """What is compared with what.

    Attributes:
        eager: the transformation without compiler.
        compiled: what should give the same.
        text: how it reads, with ``f`` for the program.
        eager_text: likewise.
        weight: how often it is tried, next to the value, which every draw is tried on.
        batched: whether it takes two examples.
    """

    eager: Transformation
    compiled: Transformation
    text: str
    eager_text: str
    weight: int
    batched: bool = False

    def prepared(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments as this mode wants them."""
        return tuple(map(pair, args)) if self.batched else args


def pair(arg: Any) -> Any:
    """An argument and another one with the same elements, as a batch."""
    if not isinstance(arg, np.ndarray | np.generic):
        return arg
    return np.stack([arg, np.roll(arg, 1)])


jit = autodiff.jit


def tape(f: Function) -> Function:
    """The function by way of its tape."""
    return lambda *args: autodiff.eval_tape(autodiff.make_tape(f)(*args), *args)


# fmt: off
COMPILED: dict[str, Mode] = {
    "value":              Mode(plain,         jit,                              "jit(f)",                "f",                0),
    "gradient":           Mode(gradient,      lambda f: gradient(jit(f)),       "gradient(jit(f))",      "gradient(f)",      6),
    "compiled gradient":  Mode(gradient,      lambda f: jit(gradient(f)),       "jit(gradient(f))",      "gradient(f)",      4),
    "compiled loss":      Mode(loss_gradient, lambda f: jit(loss_gradient(f)),  "jit(loss_gradient(f))", "loss_gradient(f)", 3),
    "gradient inside":    Mode(gradient,      lambda f: jit(gradient(jit(f))),  "jit(gradient(jit(f)))", "gradient(f)",      1),
    "tangent":            Mode(tangent,       lambda f: tangent(jit(f)),        "tangent(jit(f))",       "tangent(f)",       1),
    "compiled tangent":   Mode(tangent,       lambda f: jit(tangent(f)),        "jit(tangent(f))",       "tangent(f)",       1),
    "batch":              Mode(one_by_one,    lambda f: batch(jit(f)),          "batch(jit(f))",         "one_by_one(f)",    1, True),
    "compiled batch":     Mode(one_by_one,    lambda f: jit(batch(f)),          "jit(batch(f))",         "one_by_one(f)",    1, True),
    "curvature":          Mode(curvature,     lambda f: curvature(jit(f)),      "curvature(jit(f))",     "curvature(f)",     1),
    "compiled curvature": Mode(curvature,     lambda f: jit(curvature(f)),      "jit(curvature(f))",     "curvature(f)",     1),
}
RECORDED: dict[str, Mode] = {
    "value":              Mode(plain,         tape,                             "tape(f)",               "f",                0),
    "gradient":           Mode(gradient,      lambda f: tape(gradient(f)),      "tape(gradient(f))",     "gradient(f)",      3),
    "tangent":            Mode(tangent,       lambda f: tape(tangent(f)),       "tape(tangent(f))",      "tangent(f)",       1),
    "batch":              Mode(one_by_one,    batch,                            "batch(f)",              "one_by_one(f)",    1, True),
}
# fmt: on
