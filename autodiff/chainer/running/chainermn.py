"""Stands for ChainerMN where there is one process: all workers together are this one.

A program that was written for several processes runs with one. What needs a second process raises an error.
"""

from __future__ import annotations

import warnings
from typing import Any, NoReturn, TypeVar

import numpy as np

from autodiff.chainer.datasets.sub_dataset import SubDataset
from autodiff.trace.source import at_user_line

T = TypeVar("T")


class MissingName(NotImplementedError, AttributeError):
    """A name that is not here; ``hasattr`` says so."""


class CommunicatorBase:
    """The one process, as a communicator.

    Attributes:
        rank: 0. So are ``intra_rank`` and ``inter_rank``.
        size: 1. So are ``intra_size`` and ``inter_size``.
    """

    rank = intra_rank = inter_rank = 0
    size = intra_size = inter_size = 1

    def split(self, color: int, key: int) -> CommunicatorBase:
        """The communicator of the processes of one color: this one."""
        return CommunicatorBase()

    def bcast_data(self, model: Any) -> None:
        """Give the parameters of process 0 to all: nothing to do."""

    broadcast_data = bcast_data

    def multi_node_mean_grad(self, model: Any, zero_fill: bool = False) -> None:
        """The mean of the gradients of all processes: they are it.

        Args:
            model: a link.
            zero_fill: whether missing gradients become zeros.
        """
        for parameter in model.params() if zero_fill else ():
            if parameter.array is not None and parameter.grad is None:
                parameter.grad = parameter.xp.zeros_like(parameter.array)

    allreduce_grad = multi_node_mean_grad

    def bcast(self, data: T, root: int = 0) -> T:
        """What process ``root`` has."""
        return data

    bcast_obj = bcast

    def allreduce(self, data: T) -> T:
        """The sum over all processes."""
        return data

    allreduce_obj = allreduce

    def gather(self, data: T, root: int = 0) -> list[T]:
        """What all processes have."""
        return [data]

    gather_obj = gather

    def allgather(self, data: T) -> list[T]:
        """What all processes have."""
        return [data]

    allgather_obj = allgather

    def alltoall(self, data: tuple[T, ...]) -> tuple[T, ...]:
        """What each process has for each other."""
        return data

    def scatter(self, data: Any, root: int = 0) -> Any:
        """This process's part of what process ``root`` has for all."""
        return data[0]

    def send(self, *args: Any, **kwargs: Any) -> NoReturn:
        """There is nobody to send to.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(f"there is one process only{at_user_line()}: nothing can be sent or received")

    recv = send_obj = recv_obj = send

    def finalize(self) -> None:
        """Nothing to do."""


def create_communicator(communicator_name: str = "naive", mpi_comm: Any = None, **options: Any) -> CommunicatorBase:
    """The communicator of the one process, whatever kind is asked for.

    >>> with warnings.catch_warnings(action="ignore"):
    ...     create_communicator("pure_nccl").size
    1
    """
    warnings.warn(
        f"chainermn is one process here: create_communicator({communicator_name!r}) gives a communicator of size 1",
        UserWarning,
        stacklevel=2,
    )
    return CommunicatorBase()


def create_multi_node_optimizer(
    actual_optimizer: T, communicator: CommunicatorBase, double_buffering: bool = False, zero_fill: bool = True
) -> T:
    """The optimizer itself."""
    return actual_optimizer


def create_multi_node_evaluator(actual_evaluator: T, communicator: CommunicatorBase) -> T:
    """The evaluator itself."""
    return actual_evaluator


def scatter_dataset(
    dataset: Any,
    comm: CommunicatorBase,
    root: int = 0,
    shuffle: bool = False,
    seed: int | None = None,
    max_buf_len: int = 0,
    *,
    force_equal_length: bool = True,
) -> Any:
    """This process's part of a dataset: all of it, in random order if ``shuffle`` is set."""
    if not shuffle:
        return dataset
    order = np.random.RandomState(seed).permutation(len(dataset))
    return SubDataset(dataset, 0, len(dataset), order)


def create_empty_dataset(dataset: Any) -> list[tuple[()]]:
    """A dataset of the same length that holds nothing."""
    return [()] * len(dataset)


def __getattr__(name: str) -> NoReturn:
    raise MissingName(
        f"chainermn.{name} is not implemented{at_user_line()}: chainermn stands for one process here, and has "
        "create_communicator, create_multi_node_optimizer, create_multi_node_evaluator and scatter_dataset"
    )
