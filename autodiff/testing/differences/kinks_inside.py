"""The operations inside of a function that have a kink, or no finite slope, at the arguments that reach them.

The chain rule says nothing there: `abs(z) ** 2` is smooth at 0, and yet the derivative of `abs` is not. A forward
recording watches every operation and takes its one-sided slopes along the tangents that reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.testing.differences.central import first_step, scales_for, slopes_along
from autodiff.testing.differences.numerical import move
from autodiff.testing.differences.pieces import Pieces, pieces_near
from autodiff.testing.differences.slope import Slope
from autodiff.testing.lawbook.agreement import RELATIVE, ROUNDING, TRUSTED, scale_of
from autodiff.testing.problem import Problem
from autodiff.trace.primitive import Primitive
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.forward import Forward, unpaired
from autodiff.transforms.masking import unmasked


class Watching(Forward):
    """A forward recording that takes note of the operations at a kink.

    Attributes:
        kinks: the names of operations whose derivative is right for a kink.
        faults: the names of operations whose derivative is wrong even for a kink.
    """

    __slots__ = ("faults", "kinks")

    def __init__(self) -> None:
        super().__init__()
        self.kinks: list[str] = []
        self.faults: list[str] = []

    def record(
        self,
        primitive: Primitive,
        operands: Sequence[Any],
        params: Mapping[str, Any],
        apply: Callable[..., Any] | None = None,
    ) -> Any:
        out = super().record(primitive, operands, params, apply)
        places = [place for place, one in enumerate(operands) if self.moves(one)]
        if places:
            self.watch(primitive, operands, places, lambda *values: (apply or primitive)(*values, **params), out)
        return out

    def moves(self, operand: Any) -> bool:
        """Whether an operand is this recording's, and a plain array whose tangent is one."""
        mine = isinstance(operand, Tracer) and operand.recording is self
        return mine and not isinstance(operand.primal, Tracer) and operand.slot is not None

    def watch(
        self, primitive: Primitive, operands: Sequence[Any], places: list[int], run: Callable[..., Any], out: Any
    ) -> None:
        """Take the slopes of one operation along the tangents of its operands."""
        values = [one.primal if isinstance(one, Tracer) else one for one in operands]
        primals = [values[place] for place in places]
        tangents = [unmasked(operands[place].slot) for place in places]

        if not all(np.isfinite(unpaired(one, self)[1]).all() for one in flatten(out)[0]):
            tangents = [np.where(np.asarray(v) == 0, 1, v) for v in tangents]  # an infinite slope that met a zero

        def value_at(moved: Sequence[Any]) -> Any:
            known = dict(zip(places, moved, strict=True))
            return run(*(known.get(place, value) for place, value in enumerate(values)))

        def values_at(moved: Sequence[Any]) -> list[Any]:
            return flatten(value_at(moved))[0]

        def along(step: float) -> Any:
            return value_at([move(x, v, step) for x, v in zip(primals, tangents, strict=True)])

        slopes = slopes_along(along, first_step(primals, tangents), scales_for(primals))[0]
        pieces: list[Pieces] = []
        for place, (slope, one) in enumerate(zip(slopes, flatten(out)[0], strict=True)):
            value, tangent = unpaired(one, self)
            if smooth(slope, value):
                continue
            pieces = pieces or pieces_near(values_at, primals, tangents, flatten(run(*values))[0])
            widened = pieces[place].widen(slope, kinked=True)
            right = fits(widened, tangent, value)
            right = right or (not pieces[place].near.any() and fits(slope, tangent, value))
            (self.kinks if right else self.faults).append(primitive.name)


def smooth(slope: Slope, value: Any) -> bool:
    """Whether every element has a slope here."""
    return not (slope.kinked.any() or (slope.jump > 0).any() or singular(slope, value).any())


def singular(slope: Slope, value: Any) -> Any:
    """Where no finite slope is found although the value is finite."""
    scale = np.maximum(abs(slope.limit), scale_of(value))
    return np.isfinite(value) & ~(slope.error <= TRUSTED * scale)


def fits(slope: Slope, tangent: Any, value: Any) -> bool:
    """Whether a tangent lies between the one-sided slopes, wherever these are found."""
    known = slope.kinked
    allowed = slope.radius * (1 + RELATIVE) + slope.error + ROUNDING * scale_of(value, slope.limit)
    return bool((~known | (abs(tangent - slope.limit) <= allowed)).all())


def kinks_inside(problem: Problem) -> list[str]:
    """The names of the operations at a kink; none if the derivative of one is wrong even for a kink."""
    watching = Watching()
    try:
        with np.errstate(all="ignore"):
            problem.flat(*(Tracer(x, watching, v) for x, v in zip(problem.primals, problem.tangents, strict=True)))
    finally:
        watching.close()
    return [] if watching.faults else list(dict.fromkeys(watching.kinks))
