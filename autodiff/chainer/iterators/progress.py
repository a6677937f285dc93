"""How far an iterator has come in its dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff.chainer.dataset.iterator import Iterator
from autodiff.chainer.iterators.order_samplers import ShuffleOrderSampler
from autodiff.chainer.serializer import Serializer
from autodiff.trace.source import at_user_line


class State(NamedTuple):
    """Where the next batch begins."""

    current_position: int
    epoch: int
    is_new_epoch: bool
    order: Any
    """The numbers of the examples in the order of this epoch; None for their own order."""


def next_batch(
    state: State, batch_size: int, repeat: bool, sampler: Callable[[Any, int], Any] | None, count: int
) -> tuple[State, list[int]] | None:
    """The state after the next batch and the numbers of its examples; None if there is no batch left.

    A batch that reaches the end of the epoch goes on with the next one, or is shorter if ``repeat`` is False.
    """
    position, epoch, _, order = state
    if not repeat and epoch > 0:
        return None
    size = count if order is None else len(order)
    numbers = part_of(order, position, min(position + batch_size, size))
    new_epochs = 0
    while position + batch_size >= size:  # the rest of the batch is in the next epoch
        order = order if order is None or sampler is None else checked_order(sampler(order, position), size)
        new_epochs += 1
        batch_size, position = (position + batch_size - size, 0) if repeat else (0, 0)
        numbers += part_of(order, 0, min(batch_size, size))
    return State(position + batch_size, epoch + new_epochs, new_epochs > 0, order), numbers


def part_of(order: Any, start: int, finish: int) -> list[int]:
    """The numbers of the examples at those places of the order."""
    return list(range(start, finish)) if order is None else [int(number) for number in order[start:finish]]


def checked_order(order: Any, size: int) -> Any:
    """The order that a sampler has returned."""
    if len(order) != size:
        raise ValueError(
            f"the order sampler returned {len(order)} numbers after an order of {size}{at_user_line()}; all orders "
            "of a dataset must have the same length"
        )
    return order


class ProgressIterator(Iterator):
    """An iterator that knows epochs, shuffles, and can be serialized.

    Args:
        dataset: what has a length and is indexed by numbers.
        batch_size: the number of examples in a batch.
        repeat: whether there is another epoch after each.
        shuffle: whether each epoch has a random order; as if True if None and there is no ``order_sampler``.
        order_sampler: what decides the order of each epoch: a function of the last order and the position in it.

    Raises:
        ValueError: if both ``shuffle`` and ``order_sampler`` are given.
    """

    keys_of_order = ("order", "_order")

    def __init__(self, dataset: Any, batch_size: int, repeat: bool, shuffle: Any, order_sampler: Any) -> None:
        if order_sampler is not None and shuffle is not None:
            raise ValueError(f"shuffle={shuffle!r} and an order_sampler were given{at_user_line()}; give one of them")
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, got {batch_size}{at_user_line()}")
        self.dataset = dataset
        self.batch_size = batch_size
        self._repeat = repeat
        self._shuffle = shuffle
        shuffled = shuffle or (shuffle is None and order_sampler is None)
        self.order_sampler = ShuffleOrderSampler() if shuffled else order_sampler
        self.reset()

    def reset(self) -> None:
        """Go back to the beginning, with a new order."""
        order = None
        if self.order_sampler is not None:
            order = self.order_sampler(np.arange(len(self.dataset)), 0)
        self._state = State(0, 0, False, order)
        self._previous_epoch_detail = -1.0

    def _after(self, state: State) -> tuple[State, list[int]] | None:
        """The state after the batch that begins at ``state``, and the numbers of the examples in it."""
        size = len(self.dataset) if state.order is None else len(state.order)
        if size:
            return next_batch(state, self.batch_size, self._repeat, self.order_sampler, size)
        if self._repeat:
            raise ValueError(f"a dataset without examples cannot be repeated{at_user_line()}; use repeat=False")
        return None

    def _advance(self, state: State) -> None:
        """Be at a state."""
        self._previous_epoch_detail = self.epoch_detail
        self._state = state

    @property
    def repeat(self) -> bool:
        """Whether there is another epoch after each."""
        return self._repeat

    @property
    def current_position(self) -> int:
        """How many examples of this epoch there have been."""
        return self._state.current_position

    @property
    def epoch(self) -> int:
        """How many epochs are complete."""
        return self._state.epoch

    @property
    def is_new_epoch(self) -> bool:
        """Whether an epoch ended with the last batch."""
        return self._state.is_new_epoch

    @property
    def _epoch_size(self) -> int:
        return len(self.dataset) if self._state.order is None else len(self._state.order)

    @property
    def epoch_detail(self) -> float:
        """How many epochs there have been, with the fraction of this one."""
        return self.epoch + self.current_position / max(self._epoch_size, 1)

    @property
    def previous_epoch_detail(self) -> float | None:
        """``epoch_detail`` before the last batch; None before the first."""
        return None if self._previous_epoch_detail < 0 else self._previous_epoch_detail

    def serialize(self, serializer: Any) -> None:
        """Save or load the position, the order and the number of epochs.

        Raises:
            ValueError: if the dataset has another length than when it was saved.
        """
        position = serializer("current_position", self.current_position)
        epoch = serializer("epoch", self.epoch)
        is_new_epoch = serializer("is_new_epoch", self.is_new_epoch)
        self._state = State(position, epoch, is_new_epoch, self._serialize_order(serializer))
        try:
            previous = serializer("previous_epoch_detail", self._previous_epoch_detail)
        except KeyError:  # snapshots of Chainer 1 do not have it
            previous = self.epoch + (self.current_position - self.batch_size) / self._epoch_size
            previous = max(previous, 0.0) if self.epoch_detail > 0 else -1.0
        self._previous_epoch_detail = previous

    def _serialize_order(self, serializer: Any) -> Any:
        """Save the order, or load it under the name that any kind of iterator has saved it."""
        order = self._state.order
        if isinstance(serializer, Serializer):
            return self._save_order(serializer, order)
        if order is None:
            return None
        try:
            loaded = serializer(self.keys_of_order[0], order.copy())
        except KeyError:
            loaded = serializer(self.keys_of_order[1], order.copy())
        return order if loaded is None else loaded

    def _save_order(self, serializer: Any, order: Any) -> Any:
        """Save the order, if there is one."""
        return None if order is None else serializer(self.keys_of_order[0], order)
