"""Extensions that report a value of the trainer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.chainer.training.extension import PRIORITY_WRITER, make_extension


def observe_value(observation_key: str, target_func: Callable[[Any], Any]) -> Callable[[Any], None]:
    """An extension that reports a function of the trainer, once in an epoch by default.

    Args:
        observation_key: the name of the value.
        target_func: computes it of the trainer.
    """

    @make_extension(trigger=(1, "epoch"), priority=PRIORITY_WRITER)
    def _observe_value(trainer: Any) -> None:
        trainer.observation[observation_key] = target_func(trainer)

    return _observe_value


def observe_lr(optimizer_name: str = "main", observation_key: str = "lr") -> Callable[[Any], None]:
    """An extension that reports the learning rate, once in an epoch by default.

    Args:
        optimizer_name: the name of the optimizer in the trainer.
        observation_key: the name of the value.
    """
    return observe_value(observation_key, lambda trainer: trainer.updater.get_optimizer(optimizer_name).lr)
