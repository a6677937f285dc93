"""Minima under constraints, as functions of what the objective and the constraints depend on.

SciPy finds the minimum with plain values. Conditions that hold there as equations, each with a multiplier of its own,
make it a function of everything else: the gradient of the Lagrange function is zero, and so are these conditions
(Karush, Kuhn, Tucker). Conditions that do not bind leave it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.numpy.namespace import array
from autodiff.scipy.optimize.implicit import on_values, solution
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.transforms.gradient import grad
from autodiff.transforms.jacobian import jacobian
from autodiff.transforms.stop_gradient import stop_gradient

Function = Callable[..., Any]

TOUCHES = 1e-5
"""What counts as zero: of a condition's distance in proportion to the solution, and of its force to the gradient."""

STRAYS = 1e-2
"""How far from the exact minimum SciPy's may be, in proportion to it; a barrier leaves a distance, for example."""


class Condition(NamedTuple):
    """Numbers that are zero, or at least zero, at a solution.

    Attributes:
        fun: a function of the unknown that returns a vector.
        equal: for each number whether it has to be zero.
    """

    fun: Function
    equal: Any


def listed(constraints: Any) -> list[Any]:
    """Constraints of SciPy's, of which there may be one alone."""
    alone = isinstance(constraints, (dict, scipy.optimize.LinearConstraint, scipy.optimize.NonlinearConstraint))
    return [constraints] if alone else list(constraints)


def vector_of(fun: Function) -> Function:
    """A function that returns a vector, from one that may return a number or a list."""

    def call(*args: Any) -> Any:
        return FUNCTIONS[np.reshape](array(as_operand(fun(*args))), (-1,))

    return call


def on_plain(constraint: Any) -> Any:
    """A constraint as SciPy takes it: its functions return plain values, whatever they close over."""
    if isinstance(constraint, dict):
        args = constraint.get("args", ())
        own = {key: value for key, value in constraint.items() if key != "args"}
        for key in ("fun", "jac"):
            if callable(own.get(key)):
                own[key] = on_values(with_arguments(own[key], args), "minimize")
        return own
    if isinstance(constraint, scipy.optimize.NonlinearConstraint):
        again = scipy.optimize.NonlinearConstraint(
            on_values(constraint.fun, "minimize"), constraint.lb, constraint.ub, constraint.jac, constraint.hess
        )
        again.keep_feasible = constraint.keep_feasible
        again.finite_diff_rel_step = constraint.finite_diff_rel_step
        again.finite_diff_jac_sparsity = constraint.finite_diff_jac_sparsity
        return again
    return constraint


def with_arguments(fun: Function, args: Any) -> Function:
    """A function of the unknown alone."""
    return lambda x: fun(x, *args)


def conditions(constraints: Any, x: Any) -> Iterator[Condition]:
    """Constraints as numbers that are zero or more; what has no bound is left out.

    Args:
        constraints: SciPy's.
        x: a solution, of plain values.
    """
    for constraint in listed(constraints):
        if isinstance(constraint, dict):
            fun = vector_of(with_arguments(constraint["fun"], constraint.get("args", ())))
            size = np.size(peeled(fun(x), "minimize"))
            yield Condition(fun, np.full(size, constraint["type"].lower() == "eq"))
            continue
        if isinstance(constraint, scipy.optimize.LinearConstraint):
            matrix = constraint.A.toarray() if hasattr(constraint.A, "toarray") else np.atleast_2d(constraint.A)
            fun = vector_of(lambda x, matrix=matrix: matrix @ x)
        else:
            fun = vector_of(constraint.fun)
        size = np.size(peeled(fun(x), "minimize"))
        low, high = (np.broadcast_to(np.asarray(end, float), (size,)) for end in (constraint.lb, constraint.ub))
        equal = low == high
        for chosen, sign, end in ((np.isfinite(low), 1.0, low), (np.isfinite(high) & ~equal, -1.0, high)):
            places = np.flatnonzero(chosen)
            yield Condition(
                lambda x, fun=fun, places=places, sign=sign, end=end: sign * (fun(x)[places] - end[places]),
                equal[places],
            )


def forces(rows: Any, values: Any, equal: Any, slope: Any) -> Any:
    """The multipliers of conditions that explain a gradient, those of what is far from binding being small."""
    if not rows.size:
        return np.zeros(len(values))
    system = np.vstack([rows.T, np.diag(np.where(equal, 0.0, values))])
    right = np.concatenate([slope, np.zeros(len(values))])
    return scipy.optimize.lsq_linear(system, right, (np.where(equal, -np.inf, 0.0), np.inf), tol=1e-14).x


def plain(value: Any) -> Any:
    """The numbers behind a traced array."""
    return np.asarray(peeled(value, "minimize"))


def binding(value: Function, constraints: Any, x: Any, inside: Any) -> Function:
    """The conditions that hold as equations at a minimum, as one function: those that push against it."""
    each = list(conditions(constraints, x))

    def all_of(x: Any) -> Any:
        return FUNCTIONS[np.concatenate]([np.zeros(0), *(condition.fun(x) for condition in each)])

    equal = np.concatenate([np.zeros(0, bool), *(condition.equal for condition in each)])
    values, rows, slope = plain(all_of(x)), plain(jacobian(all_of)(x))[:, inside], plain(grad(value)(x))[inside]
    lengths = 1e-300 + np.linalg.norm(rows, axis=1)
    distance = np.maximum(values, 0.0) / lengths / (1 + np.max(np.abs(x)))
    force = forces(rows, values, equal, slope) * lengths / (1e-300 + np.linalg.norm(slope))
    if np.any(~equal & (distance < TOUCHES) & (force < TOUCHES)):
        raise refused("a condition touches the minimum without binding", "there is a kink; move the point")
    places = np.flatnonzero(equal | (force > distance))
    if np.linalg.matrix_rank(rows[places]) < len(places):
        raise refused("the conditions that bind depend on each other", "leave out those that follow from others")
    return lambda x: all_of(x)[places]


def exact(residual: Function, z: Any, free: Any) -> Any:
    """A solution to all digits, near one of few."""
    for _ in range(6):
        slope, value = plain(jacobian(residual)(z)), plain(residual(z))
        slope = np.where(free[:, None] & free, slope, np.eye(z.size))
        if np.linalg.matrix_rank(slope) < z.size:
            raise refused("the conditions that bind do not determine it", "it may not be the only one")
        z = z - np.linalg.solve(slope, np.where(free, value, 0.0))
    return z


def constrained_solution(value: Function, constraints: Any, x: Any, free: Any) -> Any:
    """The minimum as a function of what the objective and the constraints close over.

    Args:
        value: the objective.
        constraints: SciPy's.
        x: the minimum as SciPy has found it, of plain values.
        free: which elements lie inside of their bounds; None if there are no bounds.

    Raises:
        DifferentiationError: where conditions that bind depend on each other, or one does no more than touch, so that
            the minimum has a kink; and where SciPy has stopped far from it.
    """
    x = np.asarray(x, float)
    inside = np.ones(x.size, bool) if free is None else free
    equations = binding(value, constraints, x, inside)
    rows = plain(jacobian(equations)(x))[:, inside]
    multipliers = np.linalg.lstsq(rows.T, plain(grad(value)(x))[inside], rcond=None)[0]

    def residual(z: Any) -> Any:
        place, own = z[: x.size], z[x.size :]
        stationary = grad(lambda x: value(x) - FUNCTIONS[np.sum](own * equations(x)))(place)
        return FUNCTIONS[np.concatenate]([stationary, equations(place)])

    whole = np.concatenate([inside, np.ones(len(multipliers), bool)])
    better = exact(residual, np.concatenate([x, multipliers]), whole)
    if np.max(np.abs(better[: x.size] - x)) > STRAYS * (1 + np.max(np.abs(x))):
        raise refused("the conditions for one do not hold", "let SciPy go on, with a smaller tol")
    found = solution(residual, better, whole)[: x.size]
    return x + (found - stop_gradient(found))


def refused(reason: str, remedy: str) -> DifferentiationError:
    """The error of a minimum under constraints that is no smooth function."""
    return DifferentiationError(f"minimize found a minimum where {reason}{at_user_line()}: {remedy}")
