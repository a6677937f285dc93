"""ChainerMN's names over :mod:`autodiff.distributed`: programs for ``import chainermn`` run on several processes.

``python -m autodiff.chainer`` gives it to programs under the name ``chainermn``. Started without ``mpiexec`` it is one
process.

>>> comm = create_communicator("naive")
>>> comm.rank, comm.size
(0, 1)
"""

from autodiff.chainermn import (
    communicators,
    datasets,
    extensions,
    functions,
    global_except_hook,
    iterators,
    links,
    optimizers,
)
from autodiff.chainermn.communicators import CommunicatorBase, create_communicator
from autodiff.chainermn.datasets import DataSizeError, scatter_dataset, scatter_index
from autodiff.chainermn.extensions import create_multi_node_checkpointer, create_multi_node_evaluator
from autodiff.chainermn.links import MultiNodeChainList
from autodiff.chainermn.optimizers import create_multi_node_optimizer

__version__ = "7.8.1"

__all__ = [
    "CommunicatorBase",
    "DataSizeError",
    "MultiNodeChainList",
    "communicators",
    "create_communicator",
    "create_multi_node_checkpointer",
    "create_multi_node_evaluator",
    "create_multi_node_optimizer",
    "datasets",
    "extensions",
    "functions",
    "global_except_hook",
    "iterators",
    "links",
    "optimizers",
    "scatter_dataset",
    "scatter_index",
]

global_except_hook._add_hook_if_enabled()
