"""Trainers that train nothing."""

from __future__ import annotations

from typing import Any
from unittest import mock

from autodiff.chainer.training.trainer import Trainer


def is_available() -> bool:
    """Whether trainers of this kind can be made: always."""
    return True


def check_available() -> None:
    """See that they can; nothing is missing."""


def get_error() -> None:
    """Why they cannot be made: None."""


def get_trainer_with_mock_updater(
    stop_trigger: Any = (10, "iteration"), iter_per_epoch: float = 10, extensions: Any = None
) -> Trainer:
    """A trainer whose updater only counts.

    Args:
        stop_trigger: when it ends.
        iter_per_epoch: how many iterations make an epoch, also a fraction.
        extensions: of the trainer.

    >>> trainer = get_trainer_with_mock_updater(iter_per_epoch=4)
    >>> trainer.updater.update()
    >>> trainer.updater.iteration, trainer.updater.epoch_detail
    (1, 0.25)
    """
    updater = mock.Mock()
    updater.get_all_optimizers.return_value = {}
    updater.iteration, updater.epoch, updater.epoch_detail, updater.previous_epoch_detail = 0, 0, 0, None
    updater.is_new_epoch = True

    def update() -> None:
        updater.update_core()
        updater.previous_epoch_detail = updater.epoch_detail
        updater.iteration += 1
        updater.epoch = updater.iteration // iter_per_epoch
        updater.epoch_detail = updater.iteration / iter_per_epoch
        updater.is_new_epoch = (updater.iteration - 1) // iter_per_epoch != updater.epoch

    updater.update.side_effect = update
    return Trainer(updater, stop_trigger, extensions=extensions)
