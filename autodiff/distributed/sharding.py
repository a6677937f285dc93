"""The state of an optimizer shared out among processes."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.distributed.collectives import all_gather
from autodiff.distributed.communicator import Communicator, world
from autodiff.optimize.transformation import GradientTransformation
from autodiff.tree import ravel


def shard_optimizer(optimizer: Any, comm: Communicator | None = None) -> GradientTransformation:
    """An optimizer of which each process keeps the state, and makes the updates, of one part of the parameters.

    All parameters as one vector are cut into parts of equal lengths; updates are gathered from all (ZeRO, stage 1). The
    state takes the share of one process in place of the whole; results are those of the optimizer itself.

    Args:
        optimizer: one that treats each number by itself, such as ``adam``, ``adamw``, ``sgd``. What looks at all of
            them at once, as clipping by the global norm does, goes in front: ``chain(clip_by_global_norm(1.0),
            shard_optimizer(adam(1e-3)))``.
        comm: who takes part; all processes if None.

    Returns:
        an optimizer of the same parameters and gradients, which are equal in all processes.

    >>> from autodiff import optimize
    >>> sharded = shard_optimizer(optimize.sgd(0.5))
    >>> params = {"w": np.ones(2)}
    >>> sharded.update({"w": np.ones(2)}, sharded.init(params), params)[0]
    {'w': array([-0.5, -0.5])}
    """

    def own(tree: Any) -> tuple[Any, Any, int]:
        group = world() if comm is None else comm
        vector, unravel = ravel(tree)
        size = int(vector.shape[0])
        each = -(-size // group.size)
        padded = np.concatenate([vector, np.zeros(each * group.size - size, vector.dtype)])
        return padded[group.rank * each : (group.rank + 1) * each], unravel, size

    def init(params: Any) -> Any:
        return optimizer.init(own(params)[0])

    def update(updates: Any, state: Any, params: Any = None, **more: Any) -> tuple[Any, Any]:
        part, unravel, size = own(updates)
        found, state = optimizer.update(part, state, None if params is None else own(params)[0], **more)
        return unravel(all_gather(found, comm).reshape(-1)[:size]), state

    return GradientTransformation(init, update)
