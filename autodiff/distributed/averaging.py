"""Averages of the gradients of Variables that are made while ``backward`` goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff.distributed.communicator import Communicator, world
from autodiff.distributed.data_parallel import average_gradients, missing_gradients, parameters_of
from autodiff.distributed.overlap import Buckets, read_with
from autodiff.facade.graph.backward import reading
from autodiff.trace.source import at_user_line
from autodiff.transforms.gradient import own


@contextmanager
def averaged_backward(
    model: Any, comm: Communicator | None = None, dtype: Any = None, bucket: int = 1 << 22
) -> Iterator[None]:
    """What ``backward`` gives to parameters inside of a ``with`` block are means over all processes after it.

    The bits are those of :func:`average_gradients` after ``backward``. Here gradients are sent while it still runs, as
    soon as there are ``bucket`` bytes of them; nothing is sent before its end where parameters have gradients already.

    Args:
        model: a link, or parameters. Those without gradients in all processes stay so.
        comm: who takes part; all processes if None.
        dtype: in which gradients are sent, such as ``np.float16``.
        bucket: after how many bytes a message is sent.

    Raises:
        MismatchError: if a parameter has a gradient in some processes only.
        RuntimeError: if there is more than one ``backward`` in the block.

    >>> from autodiff import Parameter
    >>> w = Parameter(np.ones(2))
    >>> with averaged_backward([w]):
    ...     (w[0] * w[1]).backward()
    >>> w.grad
    array([1., 1.])
    """
    comm = world() if comm is None else comm
    parameters = parameters_of(model)
    before = reading.read
    reader = Reader(parameters, comm, dtype, bucket)
    if comm.size > 1 and all(p.array is not None and p.grad is None for p in parameters):
        reading.read = reader
    try:
        yield
    finally:
        reading.read = before
    if reader.buckets is None:
        average_gradients(parameters, comm, dtype)
    else:
        reader.finish(reader.buckets)


class Reader:
    """Reads the graph of Variables backwards, and lets gradients leave on the way.

    Args:
        parameters: whose gradients are averaged.
        comm: the processes.
        dtype: in which gradients are sent; None for their own.
        limit: a bucket with so many bytes is full.
    """

    def __init__(self, parameters: Sequence[Any], comm: Communicator, dtype: Any, limit: int) -> None:
        self.parameters, self.comm, self.dtype, self.limit = parameters, comm, dtype, limit
        self.buckets: Buckets | None = None

    def __call__(
        self, seeds: Sequence[tuple[Any, Any]], fetch: Any, visit: Any, pull: Any, begin: Any = None
    ) -> dict[Any, Any]:
        if self.buckets is not None:
            raise RuntimeError(
                f"averaged_backward averages the gradients of one backward(), and this is the second{at_user_line()}; "
                "call average_gradients after the last one instead"
            )
        buckets = self.buckets = Buckets([p.array for p in self.parameters], self.dtype, self.limit, self.comm)
        places = {parameter.node: place for place, parameter in enumerate(self.parameters)}

        def complete(node: Any, ct: Any) -> None:
            place = places.get(node)
            if place is not None:
                buckets.put(place, own(ct, node.spec, self.parameters[place].array) / self.comm.size)

        return read_with(seeds, complete, buckets.pipeline.poll, fetch, visit, pull, begin)

    def finish(self, buckets: Buckets) -> None:
        """Give parameters the means."""
        missing = missing_gradients(self.parameters, self.comm)
        for place, parameter in enumerate(self.parameters):
            if buckets.found[place] is None:
                absent = place in missing
                buckets.put(place, np.zeros_like(parameter.array) if absent else parameter.grad / self.comm.size)
        for place, mean in enumerate(buckets.finish()):
            if place not in missing:
                self.parameters[place].grad = mean
