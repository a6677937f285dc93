"""One update with a process for each GPU."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable, Sequence
from multiprocessing.util import Finalize
from typing import Any

from autodiff.backends import gpu
from autodiff.chainer.backend import GpuDevice, get_device, using_device
from autodiff.chainer.dataset.convert import concat_examples
from autodiff.chainer.training.updaters.communicator import Communicator, new_identity
from autodiff.chainer.training.updaters.gathering import (
    gather_grads,
    gather_params,
    scatter_grads,
    scatter_params,
    size_num_grads,
)
from autodiff.chainer.training.updaters.standard_updater import StandardUpdater
from autodiff.chainer.training.updaters.worker import Share, serve
from autodiff.facade.settings.configuration import config
from autodiff.trace.source import at_user_line

__all__ = [
    "MultiprocessParallelUpdater",
    "gather_grads",
    "gather_params",
    "scatter_grads",
    "scatter_params",
    "size_num_grads",
]

LEAVING = 10.0
"""Seconds that a process gets to end."""


class MultiprocessParallelUpdater(StandardUpdater):
    """Updates with the mean of the gradients that several processes compute, each on a GPU of its own, through NCCL.

    At every update the first process gives its parameters to all others, each process computes the gradients of a
    minibatch of its own, and the first one updates with their mean: the others have no optimizer. The processes start
    with the first update. They are spawned: the program must protect its start by ``if __name__ == "__main__":``, and
    model, iterators and converter must be picklable. Only the first process's model reports, and only its iterator is
    saved in snapshots.

    Args:
        iterators: an iterator for each GPU, over parts of the data of equal lengths.
        optimizer: the optimizer, set up with the model, which is the loss function.
        converter: makes arrays of a minibatch.
        devices: the GPUs, the one of the first process first; or a dict of them with ``main``, which is the first.
        auto_new_epoch: whether ``optimizer.new_epoch()`` is called at the end of each epoch of the first iterator.

    Raises:
        RuntimeError: if there is no GPU or no NCCL; at an update, if a process fails.
        ValueError: if there are not as many iterators as GPUs, or the data have different lengths.
        KeyError: if a dict of devices has no ``main``.
    """

    communicator: Communicator | None = None

    def __init__(
        self,
        iterators: Sequence[Any],
        optimizer: Any,
        converter: Callable[..., Any] = concat_examples,
        devices: Any = None,
        auto_new_epoch: bool = True,
    ) -> None:
        gpu.require_nccl()
        self._devices = gpus(devices)
        self._shares_of_data = checked_iterators(iterators, len(self._devices))
        super().__init__(self._shares_of_data[0], optimizer, converter, auto_new_epoch=auto_new_epoch)
        self._model = self._optimizers["main"].target
        self._workers: list[Any] = []
        self._pipes: list[Any] = []

    @staticmethod
    def available() -> bool:
        """Whether there are a GPU and NCCL."""
        return gpu.nccl_found()[0] is not None

    @property  # type: ignore[misc]  # it cannot be set: the processes have theirs
    def device(self) -> Any:
        """The GPU of the first process."""
        return self._devices[0]

    @property
    def input_device(self) -> Any:
        """The same."""
        return self._devices[0]

    def setup_workers(self) -> None:
        """Start the other processes, if they do not run yet."""
        if self.communicator is not None:
            return
        others = list(enumerate(self._devices))[1:]
        model = copy.deepcopy(self._model).to_device("@numpy") if others else None  # its GPU is no business of others
        for rank, device in others:
            parts = pickle.dumps((model, self._shares_of_data[rank], self.converter))
            own, its = multiprocessing.Pipe()
            self._pipes.append(own)
            self._workers.append(self.started(its, pickle.dumps((config.dtype, parts)), rank, device))
        self._leave = Finalize(self, leave, (self._pipes, self._workers), exitpriority=10)
        self._listen()
        with using_device(self.device):
            self._model.to_device(self.device)
            identity = new_identity()
            self._tell(identity)
            self.communicator = Communicator(len(self._devices), identity, 0)
        self._share = Share(self._model, self._iterators["main"], self.converter, self.device)

    def started(self, pipe: Any, payload: bytes, rank: int, device: GpuDevice) -> Any:
        """A new process that serves this one.

        Args:
            pipe: its end of the connection.
            payload: what :func:`~autodiff.chainer.training.updaters.worker.serve` takes.
            rank: its number.
            device: its GPU.
        """
        process = multiprocessing.get_context("spawn").Process(
            target=serve, args=(pipe, payload, rank, len(self._devices), device.name)
        )
        process.start()
        pipe.close()  # here, so that its end is noticed
        return process

    def update_core(self) -> None:
        """Update the model once."""
        self.setup_workers()
        assert self.communicator is not None
        optimizer = self._optimizers["main"]
        with using_device(self.device):
            if not self._share.is_initialised():
                self._together(("initialise", None), self._share.initialise)
            self._together(("update", optimizer._loss_scale), self._compute_gradients)
            self._tell("go")
            self.communicator.average(self._share.gradients())
            optimizer.update()
        self.count_epoch()

    def _compute_gradients(self) -> None:
        assert self.communicator is not None
        self.communicator.broadcast(self._share.parameters())
        self._share.compute_gradients(self._optimizers["main"]._loss_scale)

    def _together(self, words: tuple[str, Any], action: Callable[[], None]) -> None:
        """Let all processes do the same; if one fails none goes on to what needs all of them."""
        self._tell(words)
        try:
            action()
        except BaseException:
            self._give_up()
            raise
        self._listen()

    def _tell(self, words: Any) -> None:
        for pipe in self._pipes:
            pipe.send(words)

    def _listen(self) -> None:
        """Wait for the answers of all processes.

        Raises:
            RuntimeError: if one of them failed.
        """
        answers = [answer(pipe, worker) for pipe, worker in zip(self._pipes, self._workers, strict=True)]
        failed = [(device, text) for device, text in zip(self._devices[1:], answers, strict=True) if text]
        if failed:
            self._give_up()
            device, text = failed[0]
            raise RuntimeError(f"the process of {device.name} failed{at_user_line()}:\n{text}")

    def _give_up(self) -> None:
        """End the other processes: the next update starts new ones."""
        self._leave()
        self._pipes, self._workers, self.communicator = [], [], None

    def finalize(self) -> None:
        """End the other processes, and finalize the iterator."""
        if self.communicator is not None:
            self._tell(("finalize", None))
            communicator = self.communicator
            self._give_up()
            communicator.close()
        super().finalize()


def gpus(devices: Any) -> list[GpuDevice]:
    """The GPUs, the first process's first."""
    if isinstance(devices, dict):
        if "main" not in devices:
            raise KeyError(
                f"'devices' must contain a 'main' key{at_user_line()}; it has {', '.join(map(repr, devices))}"
            )
        devices = [devices["main"], *(device for name, device in devices.items() if name != "main")]
    if not isinstance(devices, (list, tuple)) or not devices:
        raise ValueError(f"devices is a list of GPUs, or a dict of them with 'main', got {devices!r}{at_user_line()}")
    found = [get_device(device) for device in devices]
    if not all(isinstance(device, GpuDevice) for device in found) or len(set(found)) < len(found):
        names = ", ".join(device.name for device in found)
        raise ValueError(f"each process needs a GPU of its own, got {names}{at_user_line()}; name each GPU once")
    return found  # type: ignore[return-value]


def checked_iterators(iterators: Any, count: int) -> list[Any]:
    """An iterator for each GPU, over data of equal lengths."""
    given: list[Any] = list(iterators)
    if len(given) != count:
        raise ValueError(f"{count} GPUs need as many iterators, got {len(given)}{at_user_line()}")
    lengths = [len(iterator.dataset) for iterator in given if hasattr(iterator, "dataset")]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"the data of the iterators have different lengths, {lengths}{at_user_line()}; "
            "datasets.split_dataset_n_random makes equal ones"
        )
    return given


def answer(pipe: Any, worker: Any) -> str:
    """What a process answers: nothing if all went well."""
    try:
        while not pipe.poll(1.0):
            if not worker.is_alive() and not pipe.poll():
                break
        else:
            return str(pipe.recv())
    except (EOFError, OSError):
        worker.join(LEAVING)
    return f"it ended with exit code {getattr(worker, 'exitcode', None)}"


def leave(pipes: list[Any], workers: list[Any]) -> None:
    """Close the connections, upon which the processes end."""
    for pipe in pipes:
        pipe.close()
    for worker in workers:
        worker.join(LEAVING)
        if worker.is_alive():
            worker.terminate()
