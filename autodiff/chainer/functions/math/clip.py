"""Numbers kept within bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import direct
from autodiff.chainer.functions.function_class import closed_over, function_class, residual
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


def clip(x: Any, x_min: float | None, x_max: float | None) -> Variable:
    """The number between both bounds that is next to x.

    Args:
        x: floating-point numbers of any shape.
        x_min: the lower bound, None for none.
        x_max: the upper bound, None for none.

    Returns:
        an array of that shape. The derivative on a bound is 1.

    Raises:
        ValueError: if the lower bound is above the upper one, or there is none.
        InvalidType: if the numbers are no floating-point numbers.

    >>> clip(np.array([-2.0, 0.5, 3.0]), 0.0, 1.0)
    variable([0. , 0.5, 1. ])
    """
    if x_min is None and x_max is None:
        raise ValueError(f"clip() needs x_min or x_max{at_user_line()}")
    if x_min is not None and x_max is not None and x_min > x_max:
        raise ValueError(f"x_min must be less than x_max, got {x_min!r} and {x_max!r}{at_user_line()}")
    x_min, x_max = (None if bound is None else float(bound) for bound in (x_min, x_max))
    return direct("Clip", lambda x: np.clip(x, x_min, x_max), x)


def bound(place: int) -> Callable[[Any], Any]:
    """What computes a bound: the operand at a place, also for hooks."""
    return lambda self: residual(self, place) if self.kept else closed_over(self.fun)["values"][place]


Clip = function_class(
    "Clip",
    clip,
    "x_min, x_max",
    computed={"x_min": bound(1), "x_max": bound(2)},
)
