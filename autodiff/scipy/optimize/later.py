"""Solutions that are found when a program runs, as functions of what their equations close over.

Their derivatives are those of the implicit function theorem: where ``residual(x, p) = 0`` a change of p that changes
the residual by dr changes x by dx with ``J dx = -dr``, J being the Jacobian by x. The rule contains the solution
itself, so that it has derivatives of any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS
from autodiff.ops.elementwise import where
from autodiff.scipy.called_back import ClosedFunction, Result, call_back
from autodiff.trace.spec import spec_of
from autodiff.transforms.custom.jvp import custom_jvp
from autodiff.transforms.jacobian import jacobian
from autodiff.transforms.jvp import jvp

Function = Callable[..., Any]


def solve_later(
    find: Function,
    start: Any,
    functions: Mapping[str, tuple[Any, ...]],
    residual: Function,
    shape: tuple[int, ...],
    *,
    attribute: str = "x",
    facts: Mapping[str, Any] | None = None,
    free: Function | None = None,
    elementwise: bool = False,
) -> Result:
    """What SciPy will find, as traced values.

    Args:
        find: ``find(start, **functions)`` calls SciPy with plain values and returns its result.
        start: where the search begins, a tree; no derivative goes through it.
        functions: what SciPy asks, each with examples of its arguments.
        residual: a function of the solution that is zero there: a vector function of a vector, unless ``elementwise``.
        shape: of the solution.
        attribute: what SciPy's result calls the solution.
        facts: other entries of SciPy's result, with examples of their values.
        free: which elements are determined by the residual, as a function of the solution.
        elementwise: whether each element has an equation of its own.
    """
    closed = {name: ClosedFunction(*own) for name, own in functions.items()}
    equation = ClosedFunction(residual, np.zeros(shape))
    declared = {name: np.asarray(value) for name, value in {attribute: np.zeros(shape), **(facts or {})}.items()}

    def entries(start: Any, **asked: Function) -> Any:
        found = find(start, **asked)
        return {name: np.asarray(found[name]).astype(its.dtype).reshape(its.shape) for name, its in declared.items()}

    @custom_jvp
    def solution(equation_captures: Any, captures: Any, start: Any) -> Any:
        return call_back(entries, declared, start, closed, captures)

    @solution.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        found = solution(*primals)
        tangent = implicit_tangent(equation, found[attribute], primals[0], tangents[0], free, elementwise)
        return found, {name: tangent if name == attribute else None for name in found}

    return Result(solution(equation.captures, {name: own.captures for name, own in closed.items()}, start))


def implicit_tangent(
    equation: ClosedFunction, x: Any, captures: Any, tangents: Any, free: Function | None, elementwise: bool
) -> Any:
    """The tangent of a solution, from those of what its equation closes over; None for zero."""
    moving = [k for k, tangent in enumerate(tangents) if tangent is not None]
    if not moving:
        return None

    def residual(*own: Any) -> Any:
        values = list(captures)
        for k, value in zip(moving, own, strict=True):
            values[k] = value
        return equation((x,), values)

    _, change = jvp(residual, tuple(captures[k] for k in moving), tuple(tangents[k] for k in moving))

    def of_x(x: Any) -> Any:
        return equation((x,), captures)

    if elementwise:
        return -change / jvp(of_x, (x,), (np.ones(spec_of(x).shape),))[1]
    slope = jacobian(of_x)(x)
    if free is not None:
        inside = free(x)
        slope = where(inside[:, None] & inside, slope, np.eye(spec_of(x).shape[0]))
        change = where(inside, change, 0.0)
    return -FUNCTIONS[np.linalg.solve](slope, change)
