"""Running means of parameters or updates."""

from __future__ import annotations

from typing import Any, NamedTuple

from autodiff.optimize.numbers import ZERO, as_dtype, beside, copied, like_state, mean_toward, without_bias, zeros_tree
from autodiff.optimize.transformation import GradientTransformation
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import map_tree


class EmaState(NamedTuple):
    """How many values there were, and their running means, which began at zero."""

    count: Any
    ema: Any


def ema(decay: float, debias: bool = True, accumulator_dtype: Any = None) -> GradientTransformation:
    """Exponential moving averages: ``m = (1 - decay) * x + decay * m``.

    In a chain it averages updates. For averages of parameters keep its state beside the optimizer's and give it the
    parameters after each step: ``averages, state = ema(0.999).update(params, state)``.

    Args:
        decay: how much of the mean is kept.
        debias: whether means are divided by their weight, since they begin at zero.
        accumulator_dtype: the dtype of the means; that of the parameters if None.

    >>> average = ema(0.9)
    >>> state = average.init({"w": 0.0})
    >>> for w in (1.0, 2.0):
    ...     found, state = average.update({"w": w}, state)
    >>> round(float(found["w"]), 4)
    1.5263
    """

    def init(params: Any) -> EmaState:
        return EmaState(ZERO, zeros_tree(params, accumulator_dtype))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, EmaState]:
        means, count = mean_toward(updates, state.ema, decay), state.count + 1
        found = without_bias(means, decay, count) if debias else map_tree(copied, means)
        return found, EmaState(count, map_tree(like_state, means, state.ema))

    return GradientTransformation(init, update)


def incremental_update(new_tensors: Any, old_tensors: Any, step_size: Any) -> Any:
    """``step_size * new + (1 - step_size) * old``, in the dtypes of the old.

    >>> incremental_update({"w": 2.0}, {"w": 1.0}, 0.25)
    {'w': 1.25}
    """
    return map_tree(
        lambda new, old: as_dtype(beside(step_size, old) * new + beside(1 - step_size, old) * old, spec_of(old).dtype),
        new_tensors,
        old_tensors,
    )
