"""The ways in which a program is run twice: as it is, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import autodiff
from autodiff import checkpoint
from autodiff.testing.fuzz.calling import bound, donating, saved, several, treed, written
from autodiff.testing.fuzz.transformations import (
    Function,
    along_last,
    batch,
    columns,
    curvature,
    gradient,
    gradients_one_by_one,
    linear,
    loss_gradient,
    one_by_one,
    plain,
    rows,
    second,
    tangent,
)
from autodiff.testing.fuzz.variables import array_gradient, variable_gradient

Transformation = Callable[[Function], Function]


OPTIONS: dict[str, Any] = {}
"""Options of ``jit``, such as its backend: the command line may set them."""


def jit(f: Function, **options: Any) -> Any:
    """The compiled function."""
    return autodiff.jit(f, **OPTIONS, **options)


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
        laws: the laws of derivatives that are checked of the program, in place of a comparison.
    """

    text: str
    eager: Transformation
    compiled: Transformation
    weight: float
    laws: tuple[str, ...] = ()

    @property
    def eager_text(self) -> str:
        """How the function without compiler reads."""
        return "f" if self.eager is plain else f"{self.eager.__name__}(f)"

    @property
    def batched(self) -> bool:
        """Whether it takes two examples."""
        return self.eager in (one_by_one, gradients_one_by_one, gradient_of_each)

    @property
    def of_variables(self) -> bool:
        """Whether it runs the program on Variables, which are arrays where others are numbers."""
        return self.compiled is variable_gradient

    @property
    def by_tape(self) -> bool:
        """Whether it runs a tape operation by operation, so that results may be arguments where a program copies."""
        return self.compiled in (tape, saved, written)

    @property
    def derivative(self) -> bool:
        """Whether it differentiates."""
        return self.eager not in (plain, one_by_one, several, treed)

    def prepared(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments as this mode wants them."""
        return tuple(map(pair, args)) if self.batched else args


def pair(arg: Any) -> Any:
    """An argument and another one with the same elements, as a batch."""
    if not isinstance(arg, np.ndarray | np.generic):
        return arg
    return np.stack([arg, np.roll(arg, 1)])


def gradient_of_trees(f: Function) -> Function:
    """The gradients of a function of trees."""
    return gradient(treed(f))


def gradient_of_each(f: Function) -> Function:
    """What the gradient of a batch means."""
    return gradient(one_by_one(f))


TREED = "treed(f, autodiff.jit)"
BOUND, DONATING = "bound(f, autodiff.jit)", "donating(f, autodiff.jit)"
CHECKPOINTED = "gradient(autodiff.checkpoint(f))"
FIRST = ("forward", "reverse", "adjoint")
SECOND = ("forward over reverse", "reverse over reverse")

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
    "linear":             Mode("linear(jit(f))",        linear,        lambda f: linear(jit(f)),         1),
    "columns":            Mode("columns(jit(f))",       columns,       lambda f: columns(jit(f)),        1),
    "compiled columns":   Mode("jit(columns(jit(f)))",  columns,       lambda f: jit(columns(jit(f))),   0.5),
    "rows":               Mode("rows(jit(f))",          rows,          lambda f: rows(jit(f)),           0.5),
    "second":             Mode("second(jit(f))",        second,        lambda f: second(jit(f)),         0.5),
    "batch inside":       Mode("jit(batch(jit(f)))",    one_by_one,    lambda f: jit(batch(jit(f))),     0.5),
    "several":            Mode("several(jit(f))",       several,       lambda f: several(jit(f)),        2),
    "trees":              Mode(TREED,                   treed,         lambda f: treed(f, jit),          1),
    "gradient of trees":  Mode(f"gradient({TREED})",    gradient_of_trees, lambda f: gradient(treed(f, jit)), 1),
    "checkpoint":         Mode(f"jit({CHECKPOINTED})",  gradient,      lambda f: jit(gradient(checkpoint(f))), 1),
    "last axes":          Mode("along_last(jit(f))",    one_by_one,    lambda f: along_last(jit(f)),     0.5),
    "batch of gradient":  Mode("jit(batch(gradient(f)))", gradients_one_by_one, lambda f: jit(batch(gradient(f))), 1),
    "gradient of batch":  Mode("jit(gradient(batch(f)))", gradient_of_each, lambda f: jit(gradient(batch(f))), 1),
    "bound":              Mode(BOUND,                   plain,         lambda f: bound(f, jit),          1),
    "donated":            Mode(DONATING,                plain,         lambda f: donating(f, jit),       1),
    "saved":              Mode("saved(f)",              plain,         saved,                            0.5),
    "written":            Mode("written(f)",            plain,         written,                          0.5),
}
RECORDED: dict[str, Mode] = {
    "value":              Mode("tape(f)",               plain,         tape,                             0),
    "gradient":           Mode("tape(gradient(f))",     gradient,      lambda f: tape(gradient(f)),      3),
    "tangent":            Mode("tape(tangent(f))",      tangent,       lambda f: tape(tangent(f)),       1),
    "batch":              Mode("batch(f)",              one_by_one,    batch,                            1),
}
OPERATIONS: dict[str, Mode] = {
    "value":              COMPILED["value"],
    "gradient":           Mode("gradient(jit(f))",      gradient,             lambda f: gradient(jit(f)),           3),
    "compiled gradient":  Mode("jit(gradient(f))",      gradient,             lambda f: jit(gradient(f)),           3),
    "tangent":            Mode("tangent(jit(f))",       tangent,              lambda f: tangent(jit(f)),            2),
    "compiled tangent":   Mode("jit(tangent(f))",       tangent,              lambda f: jit(tangent(f)),            1),
    "batch":              Mode("batch(f)",              one_by_one,           batch,                                3),
    "compiled batch":     Mode("jit(batch(f))",         one_by_one,           lambda f: jit(batch(f)),              2),
    "batch of gradient":  Mode("batch(gradient(f))",    gradients_one_by_one, lambda f: batch(gradient(f)),         3),
    "curvature":          Mode("curvature(jit(f))",     curvature,            lambda f: curvature(jit(f)),          2),
    "tape":               Mode("tape(f)",               plain,                tape,                                 3),
    "checkpoint":         Mode(CHECKPOINTED,            gradient,             lambda f: gradient(checkpoint(f)),    2),
    "variables":          Mode("variable_gradient(f)",  array_gradient,       variable_gradient,                    5),
    "differences":        Mode("f",                     plain,                plain, 6, FIRST),
    "second differences": Mode("f",                     plain,                plain, 4, SECOND),
}
"""What programs with operations of users are tried in."""
# fmt: on
