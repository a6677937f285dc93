"""Line searches: how far to go in the direction that other transformations have found."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from autodiff.optimize.numbers import as_dtype, beside
from autodiff.optimize.transformation import GradientTransformation, apply_updates, require_params
from autodiff.optimize.zoom import Point, strong_wolfe
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import flatten, map_tree
from autodiff.transforms.control.while_loop import while_loop
from autodiff.transforms.jvp import jvp


class LineSearchState(NamedTuple):
    """The learning rate that the last search has found, and the value of the function there."""

    learning_rate: Any
    value: Any


def scale_by_backtracking_linesearch(
    max_backtracking_steps: int,
    slope_rtol: float = 1e-4,
    decrease_factor: float = 0.8,
    increase_factor: float = 1.5,
    max_learning_rate: float | None = 1.0,
    atol: float = 0.0,
    rtol: float = 0.0,
) -> GradientTransformation:
    """The first of smaller and smaller rates t with ``f(p + t u) <= (1 + rtol) f(p) + slope_rtol * t * <g, u> + atol``.

    ``update`` needs keyword arguments: ``value``, ``grad`` and ``value_fn``, and those that ``value_fn`` takes besides.

    Args:
        max_backtracking_steps: how often the rate is made smaller at most; the last one is taken in any case.
        slope_rtol: which part of the decrease that the slope promises is asked for.
        decrease_factor: what a rate is multiplied by where the decrease is too small.
        increase_factor: what the last rate is multiplied by for the first one of the next search.
        max_learning_rate: the greatest rate; None for none.
        atol: how much the condition may be missed by.
        rtol: the same, as a part of the value.

    L. Armijo, Minimization of functions having Lipschitz continuous first partial derivatives, 1966.
    """

    def init(params: Any) -> LineSearchState:
        return before_all(params)

    def update(
        updates: Any,
        state: Any,
        params: Any = None,
        *,
        value: Any = None,
        grad: Any = None,
        value_fn: Any = None,
        **extra: Any,
    ) -> tuple[Any, LineSearchState]:
        check_given("scale_by_backtracking_linesearch", params, value, grad, value_fn)
        function = partial(value_fn, **known_to(value_fn, extra))
        slope = inner_product(grad, updates)
        start = increase_factor * state.learning_rate
        start = start if max_learning_rate is None else np.minimum(start, max_learning_rate)

        def at(rate: Any) -> tuple[Any, Any]:
            found = function(moved(params, updates, rate))
            missed = found - (1 + rtol) * value - slope_rtol * rate * slope
            return found, np.isnan(missed) | (missed > atol)

        def unfinished(carry: Any) -> Any:
            count, _, _, missed = carry
            return missed & (count <= max_backtracking_steps)

        def smaller(carry: Any) -> Any:
            count, rate, _, _ = carry
            rate = np.where(count > 0, decrease_factor * rate, rate)[()]
            found, missed = at(rate)
            return count + 1, rate, as_dtype(found, state.value.dtype), missed

        begin = (
            np.int64(0),
            as_dtype(start, state.learning_rate.dtype),
            as_dtype(state.value, state.value.dtype),
            np.True_,
        )
        _, rate, found, _ = while_loop(unfinished, smaller, begin, max_backtracking_steps + 2)
        return scaled(updates, rate), LineSearchState(rate, found)

    return GradientTransformation(init, update)


def scale_by_zoom_linesearch(
    max_linesearch_steps: int = 20,
    max_learning_rate: float | None = None,
    slope_rtol: float = 1e-4,
    curv_rtol: float = 0.9,
) -> GradientTransformation:
    """A rate t for the strong Wolfe conditions: enough decrease, and a slope that is small enough.

    ``f(p + t u) <= f(p) + slope_rtol * t * d`` and ``|d(t)| <= curv_rtol * |d|``, with the slopes d at 0 and ``d(t)``.
    The search begins at 1, brackets a rate by doubling, and narrows the bracket down by cubic interpolation. ``update``
    needs keyword arguments: ``value``, ``grad`` and ``value_fn``, and those that ``value_fn`` takes besides.

    Args:
        max_linesearch_steps: how many points are looked at; then the best one with enough decrease is taken, or 0.
        max_learning_rate: the greatest rate; None for none.
        slope_rtol: which part of the decrease that the slope promises is asked for.
        curv_rtol: which part of the slope may be left.

    J. Nocedal, S. Wright, Numerical Optimization, algorithms 3.5 and 3.6.
    """

    def init(params: Any) -> LineSearchState:
        return before_all(params)

    def update(
        updates: Any,
        state: Any,
        params: Any = None,
        *,
        value: Any = None,
        grad: Any = None,
        value_fn: Any = None,
        **extra: Any,
    ) -> tuple[Any, LineSearchState]:
        check_given("scale_by_zoom_linesearch", params, value, grad, value_fn)
        function = partial(value_fn, **known_to(value_fn, extra))
        dtype = state.value.dtype

        def along(rate: Any) -> Point:
            found, slope = jvp(lambda t: function(moved(params, updates, t)), (rate,), (dtype.type(1),))
            return Point(rate, as_dtype(found, dtype), as_dtype(slope, dtype))

        start = Point(dtype.type(0), as_dtype(np.asarray(value)[()] if isinstance(value, float) else value, dtype),
                      as_dtype(inner_product(grad, updates), dtype))  # fmt: skip
        found = strong_wolfe(along, start, max_linesearch_steps, max_learning_rate, slope_rtol, curv_rtol)
        return scaled(updates, found.rate), LineSearchState(found.rate, found.value)

    return GradientTransformation(init, update)


def before_all(params: Any) -> LineSearchState:
    """The state before the first search: a rate of 1, in the precision of the parameters."""
    dtypes = [np.zeros((), spec_of(leaf).dtype).real.dtype for leaf in flatten(params)[0]]
    dtype = np.result_type(*dtypes) if dtypes else np.dtype(float)
    return LineSearchState(dtype.type(1), dtype.type(np.inf))


def check_given(name: str, params: Any, value: Any, grad: Any, value_fn: Any) -> None:
    """Refuse to search without a function and its value and gradient at the parameters.

    Raises:
        ValueError: naming what is missing.
    """
    require_params(name, params)
    given = {"value": value, "grad": grad, "value_fn": value_fn}
    missing = [what for what, own in given.items() if own is None]
    if missing:
        raise ValueError(
            f"{name} needs {', '.join(missing)}{at_user_line()}; call update(gradients, state, params, value=value, "
            "grad=gradients, value_fn=f)"
        )


def known_to(function: Callable[..., Any], extra: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments that a function takes."""
    parameters = inspect.signature(function).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return extra
    return {name: value for name, value in extra.items() if name in parameters}


def inner_product(a: Any, b: Any) -> Any:
    """``sum(a * b)`` over all numbers of two trees: the real part, where they are complex."""
    pairs = zip(flatten(a)[0], flatten(b)[0], strict=True)
    return sum(np.sum(np.real(x * y)) for x, y in pairs)


def moved(params: Any, updates: Any, rate: Any) -> Any:
    """Parameters that went in a direction as far as a rate says."""
    return apply_updates(params, scaled(updates, rate))


def scaled(updates: Any, rate: Any) -> Any:
    """Updates times a rate."""
    return map_tree(lambda u: beside(rate, u) * u, updates)
