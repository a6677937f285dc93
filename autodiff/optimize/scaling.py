"""Updates times a number: the learning rate, fixed or by a schedule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from autodiff.optimize.numbers import ZERO, beside
from autodiff.optimize.transformation import GradientTransformation, stateless
from autodiff.trace.errors import described
from autodiff.trace.source import at_user_line
from autodiff.trace.trees.tree import map_tree
from autodiff.trace.values.leaves import is_leaf

LearningRate = float | Callable[[Any], Any]
"""A number, or a schedule: a function of how many updates there were."""


class ScaleByScheduleState(NamedTuple):
    """How many updates there were."""

    count: Any


def scale(step_size: Any) -> GradientTransformation:
    """``step_size * u``.

    >>> double = scale(2.0)
    >>> double.update({"w": 3.0}, double.init({"w": 0.0}))[0]
    {'w': 6.0}
    """
    return stateless(lambda updates, params: map_tree(lambda u: beside(step_size, u) * u, updates))


def scale_by_schedule(step_size_fn: Callable[[Any], Any]) -> GradientTransformation:
    """``step_size_fn(n) * u`` in update n = 0, 1, 2, ..."""

    def init(params: Any) -> ScaleByScheduleState:
        return ScaleByScheduleState(ZERO)

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, ScaleByScheduleState]:
        step_size = step_size_fn(state.count)
        updates = map_tree(lambda u: beside(step_size, u) * u, updates)
        return updates, ScaleByScheduleState(state.count + 1)

    return GradientTransformation(init, update)


def scale_by_learning_rate(learning_rate: LearningRate, *, flip_sign: bool = True) -> GradientTransformation:
    """``-learning_rate * u``: what makes a descent of gradients.

    Args:
        learning_rate: a number or schedule.
        flip_sign: whether the sign is turned.

    Raises:
        TypeError: if the rate is neither a number nor a function.
    """
    if not callable(learning_rate) and not is_leaf(learning_rate):
        raise TypeError(
            f"a learning rate is a number or a schedule, not {described(learning_rate)}{at_user_line()}; convert it"
        )
    sign = -1 if flip_sign else 1
    if callable(learning_rate):
        return scale_by_schedule(lambda count: sign * learning_rate(count))
    return scale(sign * learning_rate)
