"""L-BFGS: directions by an inverse Hessian that is remembered as the last few steps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff.optimize.line_search import scale_by_zoom_linesearch
from autodiff.optimize.numbers import ZERO
from autodiff.optimize.scaling import LearningRate, scale, scale_by_learning_rate
from autodiff.optimize.transformation import GradientTransformation, chain, require_params
from autodiff.trace.source import at_user_line
from autodiff.tree import ravel

USUAL = scale_by_zoom_linesearch(max_linesearch_steps=20)


class ScaleByLBFGSState(NamedTuple):
    """How many updates there were, the last parameters and gradients as vectors, and the last steps of both.

    Rows of the two memories are steps, the latest one last; weights are ``1 / <s, y>``, and 0 of what is not there yet.
    """

    count: Any
    params: Any
    updates: Any
    diff_params_memory: Any
    diff_updates_memory: Any
    weights_memory: Any


def scale_by_lbfgs(memory_size: int = 10, scale_init_precond: bool = True) -> GradientTransformation:
    """Gradients times an approximation of the inverse Hessian, by the two loops over the last steps.

    Args:
        memory_size: how many steps are remembered.
        scale_init_precond: whether the approximation begins with ``<s, y> / <y, y>`` of the last step in place of 1,
            and the first direction has a norm of 1 at most.

    Raises:
        ValueError: if the memory has no room; when it updates, if there are no parameters.

    J. Nocedal, S. Wright, Numerical Optimization, algorithm 7.4.
    """
    if memory_size < 1:
        raise ValueError(
            f"scale_by_lbfgs: the memory has room for one step at least, not {memory_size}{at_user_line()}"
        )

    def init(params: Any) -> ScaleByLBFGSState:
        vector = np.zeros_like(ravel(params)[0])
        rows = np.zeros((memory_size, *np.shape(vector)), vector.dtype)
        return ScaleByLBFGSState(ZERO, vector, vector, rows, rows, np.zeros(memory_size, vector.dtype))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, ScaleByLBFGSState]:
        require_params("scale_by_lbfgs", params)
        (x, _), (g, unravel) = ravel(params), ravel(updates)
        first = state.count == 0
        s, y = np.where(first, 0, x - state.params), np.where(first, 0, g - state.updates)
        product = y @ s
        none = product == 0
        weight = np.where(none, 0, 1 / np.where(none, 1, product)).astype(x.dtype)
        steps, changes = pushed(state.diff_params_memory, s), pushed(state.diff_updates_memory, y)
        weights = pushed(state.weights_memory, weight)
        start = beginning(g, y, product, first) if scale_init_precond else 1.0
        direction = two_loops(g, steps, changes, weights, start)
        return unravel(direction), ScaleByLBFGSState(state.count + 1, x, g, steps, changes, weights)

    return GradientTransformation(init, update)


def pushed(memory: Any, row: Any) -> Any:
    """A memory with one row more, without its oldest one."""
    return np.concatenate([memory[1:], row[None]])


def beginning(g: Any, y: Any, product: Any, first: Any) -> Any:
    """The number with which the approximation begins."""
    square = y @ y
    none = square <= 0
    by_step = np.where(none, 1, product / np.where(none, 1, square))
    norm = np.sqrt(g @ g)
    capped = np.minimum(1, 1 / np.where(norm == 0, 1, norm))
    return np.where(first, capped, by_step).astype(g.dtype)


def two_loops(g: Any, steps: Any, changes: Any, weights: Any, start: Any) -> Any:
    """The approximation of the inverse Hessian times a vector."""
    count = np.shape(weights)[0]
    parts = {}
    for k in reversed(range(count)):
        parts[k] = weights[k] * (steps[k] @ g)
        g = g - parts[k] * changes[k]
    g = start * g
    for k in range(count):
        g = g + (parts[k] - weights[k] * (changes[k] @ g)) * steps[k]
    return g


def lbfgs(
    learning_rate: LearningRate | None = None,
    memory_size: int = 10,
    scale_init_precond: bool = True,
    linesearch: Any = USUAL,
) -> GradientTransformation:
    """L-BFGS, by default with a line search for the strong Wolfe conditions.

    ``update`` takes what the line search needs besides: ``update(gradients, state, params, value=value,
    grad=gradients, value_fn=f)``.

    Args:
        learning_rate: a number or schedule by which directions are multiplied; 1 if None.
        memory_size: how many steps are remembered.
        scale_init_precond: whether the approximation begins in the scale of the last step.
        linesearch: a transformation that scales directions; None for none.

    >>> import autodiff
    >>> from autodiff import optimize
    >>> def rosenbrock(x):
    ...     return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    >>> optimizer = lbfgs()
    >>> x = np.zeros(3)
    >>> state = optimizer.init(x)
    >>> for _ in range(30):
    ...     value, gradient = autodiff.value_and_grad(rosenbrock)(x)
    ...     updates, state = optimizer.update(gradient, state, x, value=value, grad=gradient, value_fn=rosenbrock)
    ...     x = optimize.apply_updates(x, updates)
    >>> x.round(6)
    array([1., 1., 1.])
    """
    parts = [
        scale_by_lbfgs(memory_size, scale_init_precond),
        scale(-1.0) if learning_rate is None else scale_by_learning_rate(learning_rate),
    ]
    return chain(*parts) if linesearch is None else chain(*parts, linesearch)
