"""Gradient descent, with and without momentum."""

from __future__ import annotations

from typing import Any, NamedTuple

from autodiff.optimize.numbers import copied, like_state, matched, zeros_tree
from autodiff.optimize.scaling import LearningRate, scale_by_learning_rate
from autodiff.optimize.transformation import GradientTransformation, chain
from autodiff.trace.trees.tree import map_tree


class TraceState(NamedTuple):
    """The decaying sums of updates."""

    trace: Any


def trace(decay: float, nesterov: bool = False, accumulator_dtype: Any = None) -> GradientTransformation:
    """Momentum: ``t = u + decay * t``, and the update is t, or ``u + decay * t`` after Nesterov.

    Args:
        decay: how much of the sum is kept, from 0 to 1.
        nesterov: whether to look one step ahead.
        accumulator_dtype: the dtype of the sums; that of the parameters if None.

    >>> import numpy as np
    >>> momentum = trace(0.9)
    >>> state = momentum.init({"w": np.zeros(1)})
    >>> for _ in range(2):
    ...     updates, state = momentum.update({"w": np.ones(1)}, state)
    >>> updates
    {'w': array([1.9])}
    """

    def init(params: Any) -> TraceState:
        return TraceState(zeros_tree(params, accumulator_dtype))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, TraceState]:
        sums = map_tree(lambda u, t: u + decay * t, matched(updates, state.trace), state.trace)
        ahead = map_tree(lambda u, t: u + decay * t, updates, sums) if nesterov else map_tree(copied, sums)
        return ahead, TraceState(map_tree(like_state, sums, state.trace))

    return GradientTransformation(init, update)


def sgd(
    learning_rate: LearningRate,
    momentum: float | None = None,
    nesterov: bool = False,
    accumulator_dtype: Any = None,
) -> GradientTransformation:
    """Gradient descent: ``p -= learning_rate * g``, or with momentum ``t = g + momentum * t; p -= learning_rate * t``.

    Args:
        learning_rate: a number or schedule.
        momentum: how much of the last sum of gradients is kept; None for none.
        nesterov: whether to look one step ahead.
        accumulator_dtype: the dtype of the sums; that of the parameters if None.

    >>> import autodiff
    >>> from autodiff import optimize
    >>> optimizer = sgd(0.1, momentum=0.9)
    >>> x, state = 4.0, optimizer.init(4.0)
    >>> for _ in range(200):
    ...     updates, state = optimizer.update(autodiff.grad(lambda x: (x - 1) ** 2)(x), state)
    ...     x = optimize.apply_updates(x, updates)
    >>> round(float(x), 3)
    1.0
    """
    from_rate = scale_by_learning_rate(learning_rate)
    return from_rate if momentum is None else chain(trace(momentum, nesterov, accumulator_dtype), from_rate)
