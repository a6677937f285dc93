"""What iterators that get batches ahead of time have in common."""

from __future__ import annotations

from collections import deque
from typing import Any, Self

from autodiff.chainer.iterators.progress import ProgressIterator, State
from autodiff.chainer.serializer import Serializer


class Plan:
    """A batch that will come.

    Args:
        state: where the iterator is after it.
        numbers: the numbers of its examples.
    """

    def __init__(self, state: State, numbers: list[int]) -> None:
        self.state = state
        self.numbers = numbers
        self.pending: Any = None
        """What collects the examples; None while nobody gets them."""


class PrefetchingIterator(ProgressIterator):
    """Batches that others get: ``n_prefetch`` of them while the program works on one.

    A subclass defines ``_start(numbers)``, ``_collect(pending)`` and ``_stop()``. Orders of epochs are drawn when
    batches are planned, in the order of the batches, so that the same seed gives the same batches as serially.
    """

    n_prefetch = 1
    _plans: Any = ()  # a deque from the first reset on

    def _start(self, numbers: list[int]) -> Any:
        """Let others get the examples of those numbers; it returns at once with what collects them."""
        raise NotImplementedError(f"{type(self).__name__} must define _start(numbers)")

    def _collect(self, pending: Any) -> list[Any]:
        """Wait for the examples."""
        raise NotImplementedError(f"{type(self).__name__} must define _collect(pending)")

    def _stop(self) -> None:
        """Stop those who get examples, and forget what they have got."""

    def reset(self) -> None:
        """Go back to the beginning, with a new order."""
        self._forget()
        super().reset()

    def finalize(self) -> None:
        """Release threads, processes and memory. They come back when there is another batch to get."""
        for plan in self._plans:
            plan.pending = None
        self._stop()

    def _forget(self) -> None:
        """Drop what was planned; what is on its way is thrown away."""
        if self._plans:
            self._stop()
        self._plans = deque()

    def __next__(self) -> list[Any]:
        self._prefetch(1 + self.n_prefetch)
        if not self._plans:
            self._previous_epoch_detail = self.epoch_detail
            raise StopIteration
        plan = self._plans.popleft()
        self._advance(plan.state)
        try:
            return self._collect(plan.pending)
        except BaseException:
            self.finalize()
            raise

    def _prefetch(self, count: int) -> None:
        """Plan batches until there are so many, and have all of them on their way."""
        while len(self._plans) < count:
            planned = self._after(self._plans[-1].state if self._plans else self._state)
            if planned is None:
                break
            self._plans.append(Plan(*planned))
        for plan in self._plans:
            if plan.pending is None:
                plan.pending = self._start(plan.numbers)

    def serialize(self, serializer: Any) -> None:
        super().serialize(serializer)
        if not isinstance(serializer, Serializer):
            self._forget()

    def __copy__(self) -> Self:
        copied = object.__new__(type(self))
        copied.__dict__.update(self._copied())
        copied._plans = deque(Plan(plan.state, plan.numbers) for plan in self._plans)
        return copied

    def _copied(self) -> dict[str, Any]:
        """The attributes of a copy, which has its own threads or processes."""
        return dict(self.__dict__)
