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


OPTIONS: dict[str, Any] = {}
"""Options of ``jit``, such as its backend: the command line may set them."""


def jit(f: Function) -> Function:
    """The compiled function."""
    return autodiff.jit(f, **OPTIONS)


def tape(f: Function) -> Function:
    """The function by way of its tape."""
    return lambda *args: autodiff.eval_tape(autodiff.make_tape(f)(*args), *args)


@dataclass(frozen=True)
class Mode:
    """What is compared with what.

    Attributes:
        text: how the compiled function reads, with ``f`` for the program.
        eager: the transformation without compiler.
        compiled: what should give the same.
        weight: how often it is chosen; 0 for the value, which every draw is tried on.
    """

    text: str
    eager: Transformation
    compiled: Transformation
    weight: int

    @property
    def eager_text(self) -> str:
        """How the function without compiler reads."""
        return "f" if self.eager is plain else f"{self.eager.__name__}(f)"

    @property
    def batched(self) -> bool:
        """Whether it takes two examples."""
        return self.eager is one_by_one

    @property
    def derivative(self) -> bool:
        """Whether it differentiates."""
        return self.eager not in (plain, one_by_one)

    def prepared(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments as this mode wants them."""
        return tuple(map(pair, args)) if self.batched else args


def pair(arg: Any) -> Any:
    """An argument and another one with the same elements, as a batch."""
    if not isinstance(arg, np.ndarray | np.generic):
        return arg
    return np.stack([arg, np.roll(arg, 1)])


# fmt: off
COMPILED: dict[str, Mode] = {
    "value":              Mode("jit(f)",                plain,         jit,                              0),
    "gradient":           Mode("gradient(jit(f))",      gradient,      lambda f: gradient(jit(f)),       6),
    "compiled gradient":  Mode("jit(gradient(f))",      gradient,      lambda f: jit(gradient(f)),       4),
    "compiled loss":      Mode("jit(loss_gradient(f))", loss_gradient, lambda f: jit(loss_gradient(f)),  3),
    "gradient inside":    Mode("jit(gradient(jit(f)))", gradient,      lambda f: jit(gradient(jit(f))),  1),
    "tangent":            Mode("tangent(jit(f))",       tangent,       lambda f: tangent(jit(f)),        1),
    "compiled tangent":   Mode("jit(tangent(f))",       tangent,       lambda f: jit(tangent(f)),        1),
    "batch":              Mode("batch(jit(f))",         one_by_one,    lambda f: batch(jit(f)),          1),
    "compiled batch":     Mode("jit(batch(f))",         one_by_one,    lambda f: jit(batch(f)),          1),
    "curvature":          Mode("curvature(jit(f))",     curvature,     lambda f: curvature(jit(f)),      1),
    "compiled curvature": Mode("jit(curvature(f))",     curvature,     lambda f: jit(curvature(f)),      1),
}
RECORDED: dict[str, Mode] = {
    "value":              Mode("tape(f)",               plain,         tape,                             0),
    "gradient":           Mode("tape(gradient(f))",     gradient,      lambda f: tape(gradient(f)),      3),
    "tangent":            Mode("tape(tangent(f))",      tangent,       lambda f: tape(tangent(f)),       1),
    "batch":              Mode("batch(f)",              one_by_one,    batch,                            1),
}
# fmt: on
