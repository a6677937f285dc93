"""What may be given as a trigger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.chainer.training.triggers.interval_trigger import IntervalTrigger
from autodiff.trace.source import at_user_line

Trigger = Callable[[Any], bool]
"""A function of the trainer that says whether it is time."""


def get_trigger(trigger: Any) -> Trigger:
    """The trigger that an argument stands for.

    Args:
        trigger: a function of the trainer; a pair such as ``(2, "epoch")`` for an ``IntervalTrigger``; or None for a
            trigger that never fires.

    Raises:
        TypeError: if it is none of these.

    >>> get_trigger((2, "epoch"))
    IntervalTrigger(2, 'epoch')
    >>> get_trigger(None)("any trainer")
    False
    """
    if trigger is None:
        return _never_fire_trigger
    if callable(trigger):
        return trigger  # type: ignore[no-any-return]
    try:
        period, unit = trigger
    except (TypeError, ValueError):
        raise TypeError(
            f"a trigger must be a function of the trainer or a pair such as (1, 'epoch'), got {trigger!r}"
            f"{at_user_line()}"
        ) from None
    return IntervalTrigger(period, unit)


def _never_fire_trigger(trainer: Any) -> bool:
    return False
