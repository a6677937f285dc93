"""Least squares by products with the Jacobian, which is never made: Gauss-Newton and Levenberg-Marquardt.

They minimize ``sum(|r(p)|**2) / 2`` of a function r from parameters to residuals. Each update solves a linear system by
conjugate gradients, with one product by the Jacobian and one by its transpose in each of their steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff.optimize.transformation import EmptyState, GradientTransformation, require_params
from autodiff.transforms.control.while_loop import while_loop
from autodiff.transforms.gradient import vjp
from autodiff.transforms.linearize import linearize
from autodiff.tree import ravel

Residuals = Callable[..., Any]


class LevenbergMarquardtState(NamedTuple):
    """The damping, what it is multiplied by after the next failure, and half the sum of squares at the parameters."""

    damping: Any
    growth: Any
    value: Any


class Local(NamedTuple):
    """A least-squares problem at a point.

    Attributes:
        value: half the sum of the squares of residuals.
        gradient: of that, ``J^T r``.
        push: the product with the Jacobian.
        pull: the product with its transpose.
    """

    value: Any
    gradient: Any
    push: Callable[[Any], Any]
    pull: Callable[[Any], Any]


def local_problem(residuals: Callable[[Any], Any], x: Any) -> Local:
    """The problem at a vector of parameters."""
    found, back = vjp(residuals, x)
    _, push = linearize(residuals, x)
    return Local(found @ found / 2, back(found)[0], push, lambda v: back(v)[0])


def gauss_newton(
    residuals: Residuals,
    learning_rate: float = 1.0,
    damping: float = 0.0,
    cg_steps: int | None = None,
    cg_tol: float = 1e-12,
) -> GradientTransformation:
    """Gauss-Newton: ``p += learning_rate * d`` with ``(J^T J + damping) d = -J^T r``.

    ``update(gradients, state, params, args=())`` computes its own gradients: the given ones may be None.

    Args:
        residuals: a function of parameters, and of ``args``, that returns a tree of real residuals.
        learning_rate: the part of the step that is taken.
        damping: what is added to the diagonal.
        cg_steps: how many steps conjugate gradients may take; as many as there are parameters if None.
        cg_tol: they end where the norm of what is left is that part of the gradient's.

    >>> from autodiff import optimize
    >>> def residuals(p, t, y):
    ...     return p["a"] * np.exp(p["b"] * t) - y
    >>> t = np.linspace(0.0, 1.0, 20)
    >>> y = 2.0 * np.exp(-1.5 * t)
    >>> optimizer = gauss_newton(residuals)
    >>> params = {"a": 1.0, "b": -1.0}
    >>> state = optimizer.init(params)
    >>> for _ in range(8):
    ...     updates, state = optimizer.update(None, state, params, args=(t, y))
    ...     params = optimize.apply_updates(params, updates)
    >>> {name: round(float(value), 6) for name, value in params.items()}
    {'a': 2.0, 'b': -1.5}
    """

    def update(updates: Any, state: Any, params: Any = None, *, args: tuple[Any, ...] = ()) -> tuple[Any, EmptyState]:
        require_params("gauss_newton", params)
        x, unravel = ravel(params)
        at = local_problem(of_vector(residuals, unravel, args), x)
        step = conjugate_gradients(at, damping, steps_of(cg_steps, x), cg_tol)
        return unravel(learning_rate * step), EmptyState()

    return GradientTransformation(lambda params: EmptyState(), update)


def levenberg_marquardt(
    residuals: Residuals, damping: float = 1e-3, cg_steps: int | None = None, cg_tol: float = 1e-12
) -> GradientTransformation:
    """Levenberg-Marquardt: ``(J^T J + damping) d = -J^T r``, where the damping follows how well d was foreseen.

    A step that does not decrease the sum of squares is not taken: its update is zero, and the damping grows two, four,
    eight times. After one that does it is multiplied by ``max(1/3, 1 - (2 rho - 1)**3)``, where rho is the decrease as
    a part of what the linear model promised. ``update(gradients, state, params, args=())`` computes its own gradients:
    the given ones may be None.

    Args:
        residuals: a function of parameters, and of ``args``, that returns a tree of real residuals.
        damping: the first damping.
        cg_steps: how many steps conjugate gradients may take; as many as there are parameters if None.
        cg_tol: they end where the norm of what is left is that part of the gradient's.

    H. Nielsen, Damping Parameter in Marquardt's Method, 1999.

    >>> from autodiff import optimize
    >>> optimizer = levenberg_marquardt(lambda p: np.stack([10 * (p[1] - p[0] ** 2), 1 - p[0]]))
    >>> p = np.array([-1.2, 1.0])
    >>> state = optimizer.init(p)
    >>> for _ in range(40):
    ...     updates, state = optimizer.update(None, state, p)
    ...     p = optimize.apply_updates(p, updates)
    >>> p.round(6)
    array([1., 1.])
    """

    def init(params: Any) -> LevenbergMarquardtState:
        dtype = ravel(params)[0].dtype
        return LevenbergMarquardtState(dtype.type(damping), dtype.type(2), dtype.type(np.inf))

    def update(
        updates: Any, state: Any, params: Any = None, *, args: tuple[Any, ...] = ()
    ) -> tuple[Any, LevenbergMarquardtState]:
        require_params("levenberg_marquardt", params)
        x, unravel = ravel(params)
        function = of_vector(residuals, unravel, args)
        at = local_problem(function, x)
        step = conjugate_gradients(at, state.damping, steps_of(cg_steps, x), cg_tol)
        ahead, tangent = function(x + step), at.push(step)
        value = ahead @ ahead / 2
        promised = -(at.gradient @ step + tangent @ tangent / 2)
        gain = (at.value - value) / np.where(promised > 0, promised, np.inf)
        taken = (gain > 0) & np.isfinite(value)
        less = state.damping * np.maximum(1 / 3, 1 - (2 * gain - 1) ** 3)
        following = LevenbergMarquardtState(
            like(np.where(taken, less, state.damping * state.growth), state.damping),
            like(np.where(taken, 2, 2 * state.growth), state.growth),
            like(np.where(taken, value, at.value), state.value),
        )
        return unravel(np.where(taken, step, 0)), following

    return GradientTransformation(init, update)


def of_vector(residuals: Residuals, unravel: Callable[[Any], Any], args: tuple[Any, ...]) -> Callable[[Any], Any]:
    """Residuals as a function from vector to vector."""
    return lambda x: ravel(residuals(unravel(x), *args))[0]


def steps_of(cg_steps: int | None, x: Any) -> int:
    """How many steps conjugate gradients may take."""
    return int(np.shape(x)[0]) if cg_steps is None else cg_steps


def like(value: Any, before: Any) -> Any:
    """The next number of a state, in the dtype of the one before."""
    return value[()].astype(before.dtype)


def conjugate_gradients(at: Local, damping: Any, steps: int, tolerance: float) -> Any:
    """d of ``(J^T J + damping) d = -gradient``."""
    start = at.gradient @ at.gradient
    enough = tolerance**2 * start

    def unfinished(carry: Any) -> Any:
        count, _, _, _, square = carry
        return (count < steps) & (square > enough)

    def step(carry: Any) -> Any:
        count, d, rest, direction, square = carry
        image = at.pull(at.push(direction)) + damping * direction
        curvature = direction @ image
        flat = curvature <= 0
        length = np.where(flat, 0, square / np.where(flat, 1, curvature))
        d, rest = d + length * direction, rest - length * image
        following = np.where(flat, 0, rest @ rest)[()]
        return count + 1, d, rest, rest + following / square * direction, following

    begin = (np.int64(0), np.zeros_like(at.gradient), -at.gradient, -at.gradient, start)
    return while_loop(unfinished, step, begin, steps + 1)[1]
