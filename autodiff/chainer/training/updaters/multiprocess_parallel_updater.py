"""One update with a process for each GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from autodiff.chainer.dataset.convert import concat_examples
from autodiff.chainer.training.updaters.standard_updater import StandardUpdater


class MultiprocessParallelUpdater(StandardUpdater):
    """Splits each minibatch among processes, one for each GPU; it needs GPUs and NCCL.

    Args:
        iterators: one iterator for each process.
        optimizer: the optimizer, set up with the model.
        converter: makes arrays of a minibatch.
        devices: the GPUs.
        auto_new_epoch: whether ``optimizer.new_epoch()`` is called at the end of each epoch.

    Raises:
        NotImplementedError: always; use ``ParallelUpdater``.
    """

    def __init__(
        self,
        iterators: Iterable[Any],
        optimizer: Any,
        converter: Callable[..., Any] = concat_examples,
        devices: Any = None,
        auto_new_epoch: bool = True,
    ) -> NoReturn:
        raise NotImplementedError(
            "MultiprocessParallelUpdater requires NCCL and several GPUs, which autodiff does not drive; test "
            "MultiprocessParallelUpdater.available() first, and use ParallelUpdater or StandardUpdater"
        )

    @staticmethod
    def available() -> bool:
        """Whether it can be used: never."""
        return False
