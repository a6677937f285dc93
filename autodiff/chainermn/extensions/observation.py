"""What processes observe, put together."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from autodiff.chainer.training.extension import PRIORITY_EDITOR, PRIORITY_WRITER, Extension
from autodiff.chainer.training.triggers import EarlyStoppingTrigger
from autodiff.chainer.training.triggers.argument import get_trigger
from autodiff.facade import Variable


class AllreducePersistent(Extension):
    """Replaces persistent arrays of a model, such as running means, by their means over all processes.

    Args:
        model: a link. Integers stay as they are.
        comm: the communicator.
    """

    trigger = (1, "epoch")
    priority = PRIORITY_WRITER + 1  # before evaluators

    def __init__(self, model: Any, comm: Any) -> None:
        self.model, self.comm = model, comm

    def __call__(self, trainer: Any = None) -> None:
        found = {
            f"{path}/{name}": link.__dict__[name] for path, link in self.model.namedlinks() for name in link._persistent
        }
        for _, value in sorted(found.items()):
            if isinstance(value, np.ndarray) and value.dtype.kind == "f":
                self.comm._multi_node_mean(None, value)


def mean_of_lists(values: list[list[Any]]) -> Any:
    """The mean of all numbers in lists."""
    found = list(chain.from_iterable(values))
    return sum(found) / len(found)


class ObservationAggregator(Extension):
    """Replaces an observation by what is made of the observations of all processes.

    Args:
        comm: the communicator.
        original_key: the name of the observation.
        aggregated_key: the name under which the result is entered; the same if None.
        comm_trigger: when processes exchange what they have observed since the last time.
        aggregator: makes a result of the list of the lists of all processes; their mean if None.
    """

    trigger = (1, "iteration")
    priority = PRIORITY_EDITOR
    name: str | None = None

    def __init__(
        self,
        comm: Any,
        original_key: str,
        aggregated_key: str | None = None,
        *,
        comm_trigger: Any = (1, "iteration"),
        aggregator: Callable[[list[list[Any]]], Any] | None = None,
    ) -> None:
        self.comm, self.original_key = comm, original_key
        self.aggregated_key = original_key if aggregated_key is None else aggregated_key
        self.comm_trigger = get_trigger(comm_trigger)
        self.observation_history: list[Any] = []
        self.aggregator = aggregator or mean_of_lists

    def __call__(self, trainer: Any) -> None:
        if self.original_key in trainer.observation:
            value = trainer.observation[self.original_key]
            self.observation_history.append(value.array if isinstance(value, Variable) else value)
        if not self.comm_trigger(trainer):
            return
        gathered = self.comm.gather_obj(self.observation_history)
        self.observation_history = []
        summary = self.comm.bcast_obj(self.aggregator(gathered) if self.comm.rank == 0 else None)
        if summary is not None:
            trainer.observation[self.aggregated_key] = summary


class MultiNodeEarlyStoppingTrigger:
    """Stops training in all processes at once, when the mean of a value over all of them gets no better.

    Args:
        comm: the communicator.
        check_trigger: when to check.
        monitor: the name of the value.
        patience: how many checks may pass without a better value; 3 by default.
        mode: ``max``, ``min``, or ``auto``: max if ``accuracy`` is part of the name.
        verbose: whether to print what is happening.
        max_trigger: when to stop in any case.
        suffix: of the name under which the mean is entered among the observations.
        kwargs: ``patients``, an old spelling of ``patience``.
    """

    def __init__(
        self,
        comm: Any,
        *,
        check_trigger: Any = (1, "epoch"),
        monitor: str = "main/loss",
        patience: int | None = None,
        mode: str = "auto",
        verbose: bool = False,
        max_trigger: Any = (100, "epoch"),
        suffix: str = "_aggregated",
        **kwargs: Any,
    ) -> None:
        self.aggregator = ObservationAggregator(comm, monitor, monitor + suffix, comm_trigger=check_trigger)
        self.actual_trigger = EarlyStoppingTrigger(
            check_trigger, monitor + suffix, patience, mode, verbose, max_trigger, **kwargs
        )

    def __call__(self, trainer: Any) -> bool:
        self.aggregator(trainer)
        return self.actual_trigger(trainer)

    def get_training_length(self) -> Any:
        """When training ends in any case."""
        return self.actual_trigger.get_training_length()
