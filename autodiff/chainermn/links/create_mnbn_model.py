"""Models in which batches are normalized over all processes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.chain_list import ChainList
from autodiff.chainer.links.normalization.batch_normalization import BatchNormalization
from autodiff.chainermn.links.batch_normalization import MultiNodeBatchNormalization


def create_mnbn_model(link: Any, comm: Any, communication_backend: str = "auto") -> Any:
    """A copy of a link in which ``MultiNodeBatchNormalization`` stands for each ``BatchNormalization``.

    Args:
        link: the link.
        comm: the communicator.
        communication_backend: ``"mpi"``, ``"nccl"`` or ``"auto"``; messages go through MPI.

    >>> from autodiff import chainermn
    >>> comm = chainermn.create_communicator("naive")
    >>> type(create_mnbn_model(BatchNormalization(3), comm)).__name__
    'MultiNodeBatchNormalization'
    """
    if type(link) is BatchNormalization:
        found = MultiNodeBatchNormalization(
            link.avg_mean.shape, comm, link.decay, link.eps, link._highprec_dtype, link.gamma is not None,
            link.beta is not None, communication_backend=communication_backend,
        )  # fmt: skip
        found.copyparams(link)
        found.name, found.N = link.name, link.N
        return found
    copy = deepcopy(link)
    if isinstance(link, Chain):
        for name in sorted(link._children):
            setattr(copy, name, create_mnbn_model(getattr(link, name), comm, communication_backend))
    elif isinstance(link, ChainList):
        for k, child in enumerate(link):
            if child is not None and hasattr(child, "params"):
                copy[k] = create_mnbn_model(child, comm, communication_backend)
    return copy
