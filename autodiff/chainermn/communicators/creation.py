"""Communicators by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainermn.communicators.communicator_base import CommunicatorBase
from autodiff.distributed import world
from autodiff.distributed.communicator import of_mpi
from autodiff.trace.source import at_user_line

NAMES = (
    "pure_nccl", "naive", "flat", "non_cuda_aware", "dummy", "hierarchical", "two_dimensional", "single_node",
)  # fmt: skip


def create_communicator(communicator_name: str = "pure_nccl", mpi_comm: Any = None, **kwargs: Any) -> CommunicatorBase:
    """The communicator of all processes. Whatever its name, messages go through MPI.

    Args:
        communicator_name: ``"pure_nccl"``, ``"naive"``, ``"flat"``, ``"non_cuda_aware"``, ``"dummy"``, or a name of
            older versions.
        mpi_comm: mpi4py's communicator; the world if None.
        kwargs: ``allreduce_grad_dtype`` = None: of ``"pure_nccl"`` the dtype in which gradients are sent;
            ``batched_copy`` = True, which changes nothing here.

    Raises:
        ValueError: if there is no communicator of that name, or it has no ``allreduce_grad_dtype``.

    >>> create_communicator("naive").size
    1
    """
    dtype, _ = kwargs.pop("allreduce_grad_dtype", None), kwargs.pop("batched_copy", True)
    if kwargs:
        raise TypeError(f"create_communicator has no option {', '.join(kwargs)}{at_user_line()}")
    if communicator_name not in NAMES:
        raise ValueError(
            f"Unrecognized communicator: {communicator_name!r}{at_user_line()}; there are {', '.join(NAMES)}"
        )
    if dtype is not None and communicator_name != "pure_nccl":
        raise ValueError(f"allreduce_grad_dtype is only available at 'pure_nccl' communicator{at_user_line()}")
    found = CommunicatorBase(world() if mpi_comm is None else of_mpi(mpi_comm, "mpi_comm"), communicator_name)
    found.set_config("allreduce_grad_dtype", None if dtype is None else np.dtype(dtype))
    return found
