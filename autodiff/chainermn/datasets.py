"""Parts of datasets for each process."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from autodiff.chainer.datasets.sub_dataset import SubDataset
from autodiff.trace.source import at_user_line


class DataSizeError(RuntimeError):
    """A dataset is too large to be sent; nothing raises it here."""


def scatter_dataset(
    dataset: Any,
    comm: Any,
    root: int = 0,
    shuffle: bool = False,
    seed: int | None = None,
    max_buf_len: int = 256 * 1024 * 1024,
    *,
    force_equal_length: bool = True,
) -> SubDataset:
    """To each process its part of the dataset that process ``root`` has.

    Args:
        dataset: the dataset; that of others does not count.
        comm: the communicator.
        root: who has it.
        shuffle: whether the examples are put into a random order before.
        seed: of the order; a new one each time if None.
        max_buf_len: changes nothing here.
        force_equal_length: whether all parts have the same length, for which some examples are in two of them.

    >>> from autodiff import chainermn
    >>> scatter_dataset([5, 6, 7], chainermn.create_communicator("naive"))[:]
    [5, 6, 7]
    """
    order = None
    if shuffle and comm.rank == root:
        order = np.random.RandomState(seed).permutation(len(dataset))  # Chainer's order
    dataset, order = comm.bcast_obj((dataset, order) if comm.rank == root else None, root=root)
    first, last = scatter_index(len(dataset), comm, root, force_equal_length=force_equal_length)
    return SubDataset(dataset, first, last, order)


def scatter_index(
    n_total_samples: int, comm: Any, root: int = 0, *, force_equal_length: bool = True
) -> tuple[int, int]:
    """Where the part of this process begins and ends, of so many examples as process ``root`` says.

    >>> from autodiff import chainermn
    >>> scatter_index(7, chainermn.create_communicator("naive"))
    (0, 7)
    """
    if not 0 <= root < comm.size:
        raise ValueError(f"root={root} is none of the {comm.size} processes{at_user_line()}")
    count, rank, size = comm.bcast_obj(n_total_samples, root=root), comm.rank, comm.size
    if force_equal_length:
        first = count * rank // size
        return first, first + -(-count // size)
    each, more = divmod(count, size)
    first = each * rank + min(rank, more)
    return first, first + each + (rank < more)


def create_empty_dataset(dataset: Any) -> list[tuple[()]]:
    """A dataset of the same length that holds nothing.

    >>> create_empty_dataset([1, 2])
    [(), ()]
    """
    return [()] * len(dataset)


def get_n_iterations_for_one_epoch(dataset: Any, local_batch_size: int, comm: Any) -> Any:
    """How many batches of process 0 are an epoch. Deprecated: take epoch triggers."""
    warnings.warn("get_n_iterations_for_one_epoch is deprecated: take epoch triggers", DeprecationWarning, stacklevel=2)
    return comm.bcast_obj(-(-len(dataset) // local_batch_size))


def get_epoch_trigger(n_epochs: int, dataset: Any, local_batch_size: int, comm: Any) -> tuple[int, str]:
    """A trigger after so many epochs of process 0. Deprecated: take epoch triggers."""
    warnings.warn("get_epoch_trigger is deprecated: take epoch triggers", DeprecationWarning, stacklevel=2)
    return n_epochs * comm.bcast_obj(-(-len(dataset) // local_batch_size)), "iteration"
