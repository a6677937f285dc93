"""Programs of several processes, started by ``mpiexec -n 4 python train.py``; without it they are one process.

Collective operations are operations like others: they are differentiated, batched, and stand in compiled programs. What
is differentiated is the **sum over all processes of what each returns**.

>>> import numpy as np
>>> from autodiff import distributed, grad
>>> comm = distributed.world()
>>> def loss(w):
...     return np.sum(distributed.all_reduce(w * (comm.rank + 1)) ** 2)
>>> grad(loss)(np.ones(2))
array([2., 2.])
"""

from autodiff.distributed import simulation
from autodiff.distributed.averaging import averaged_backward
from autodiff.distributed.calls import debug
from autodiff.distributed.checkpoint import load, save
from autodiff.distributed.collectives import (
    all_gather,
    all_reduce,
    all_to_all,
    barrier,
    broadcast,
    gather,
    permute,
    reduce,
    reduce_scatter,
    scatter,
)
from autodiff.distributed.communicator import Communicator, world
from autodiff.distributed.data_parallel import average_gradients, check_equal, data_parallel
from autodiff.distributed.errors import DistributedError, LostProcessError, MismatchError
from autodiff.distributed.events import Event, record_events
from autodiff.distributed.mesh import Mesh
from autodiff.distributed.sharding import shard_optimizer

__all__ = [
    "Communicator",
    "DistributedError",
    "Event",
    "LostProcessError",
    "Mesh",
    "MismatchError",
    "all_gather",
    "all_reduce",
    "all_to_all",
    "average_gradients",
    "averaged_backward",
    "barrier",
    "broadcast",
    "check_equal",
    "data_parallel",
    "debug",
    "gather",
    "load",
    "permute",
    "record_events",
    "reduce",
    "reduce_scatter",
    "save",
    "scatter",
    "shard_optimizer",
    "simulation",
    "world",
]
