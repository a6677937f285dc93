"""Solutions of equations as functions of what the equations depend on.

SciPy finds the solution with plain values. That it solves the equation makes it a function of every traced value that
the equation was made of, whose derivatives Newton's method gives: a step from the solution, written with traced values,
changes nothing and has the right first derivatives; a second step has those up to the third order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, peeled
from autodiff.ops.elementwise import where
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.transforms.jacobian import jacobian
from autodiff.transforms.jvp import jvp
from autodiff.transforms.stop_gradient import stop_gradient

Function = Callable[..., Any]


def on_values(function: Function, name: str) -> Function:
    """A function of plain values that returns plain values, whatever traced values it closes over."""
    return lambda *args, **kwargs: peeled(function(*args, **kwargs), name)


def all_on_values(functions: Mapping[str, Function], name: str) -> dict[str, Function]:
    """Functions of plain values by the names under which SciPy takes them."""
    return {key: on_values(function, name) for key, function in functions.items()}


def plain_vector(value: Any, name: str) -> Any:
    """The plain numbers behind what a search begins with."""
    return np.asarray(peeled(value, name), float)


def nesting(value: Any) -> int:
    """How many derivatives may be taken of a traced value: how many recordings listen; of a Variable, two."""
    depth = 0
    while isinstance(value, Traced):
        depth += 1
        if not isinstance(value, Tracer):
            return depth + 1
        value = value.primal
    return depth


def unmoved(x: Any, step: Any) -> Any:
    """``x``, with the derivatives of ``x - step``."""
    return x - (step - stop_gradient(step))


def steps_for(residual: Any) -> int:
    """How many steps of Newton's method give all derivatives that may be taken."""
    depth = nesting(residual)
    return 0 if depth == 0 else 1 if depth == 1 else int(np.ceil(np.log2(depth + 1)))


def solution(residual: Function, x: Any, free: Any = None) -> Any:
    """The solution of ``residual(x) = 0`` as a function of what the residual closes over.

    Args:
        residual: a function of a vector that returns as many numbers.
        x: where it is zero.
        free: which elements are determined by it; the others, which lie at bounds, stay.
    """
    x = np.asarray(x, float)
    moving: Any = x
    for _ in range(steps_for(residual(x))):
        slope, value = jacobian(residual)(moving), residual(moving)
        if free is not None:
            slope = where(free[:, None] & free, slope, np.eye(x.size))
            value = where(free, value, 0.0)
        moving = unmoved(moving, FUNCTIONS[np.linalg.solve](slope, value))
    return moving


def elementwise_solution(residual: Function, x: Any) -> Any:
    """The same of equations that are independent of each other, or of a single one."""
    moving: Any = x
    for _ in range(steps_for(residual(x))):
        value, slope = jvp(residual, (moving,), (np.ones_like(np.asarray(x, float)),))
        moving = unmoved(moving, value / slope)
    return moving
