"""Averages of the gradients of Variables that are made while ``backward`` goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np

from autodiff.distributed.communicator import Communicator, world
from autodiff.distributed.data_parallel import average_gradients, missing_gradients, parameters_of
from autodiff.distributed.overlap import Buckets, bucket_size, read_with
from autodiff.facade.graph.backward import reading
from autodiff.trace.source import at_user_line
from autodiff.transforms.gradient import own
from autodiff.transforms.reverse import pulled, read_backwards


@contextmanager
def averaged_backward(
    model: Any, comm: Communicator | None = None, dtype: Any = None, bucket: int | Literal["auto"] = "auto"
) -> Iterator[None]:
    """What ``backward`` gives to parameters inside of a ``with`` block are means over all processes after it.

    The bits are those of :func:`average_gradients` after ``backward``. Here gradients are sent while it still runs, as
    soon as there are ``bucket`` bytes of them; nothing is sent before its end where parameters have gradients already.

    Args:
        model: a link, or parameters. Those without gradients in all processes stay so.
        comm: who takes part; all processes if None.
        dtype: in which gradients are sent, such as ``np.float16``.
        bucket: after how many bytes a message is sent; ``"auto"`` as in :func:`data_parallel`.

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
    limit = bucket_size(bucket, comm)
    reader = Reader(parameters, comm, dtype, limit)
    if comm.size > 1 and all(p.array is not None and p.grad is None for p in parameters):
        reading.read = reader
    try:
        yield
    except BaseException:  # the user's Ctrl-C, too
        if reader.buckets is not None:
            reader.buckets.pipeline.leave()
        raise
    finally:
        reading.read = before
    if reader.buckets is None:
        average_gradients(parameters, comm, dtype)
    else:
        with reader.buckets as buckets:
            reader.finish(buckets)


class Reader:
    """Reads the graph of Variables backwards, and lets gradients leave on the way.

    Args:
        parameters: whose gradients are averaged.
        comm: the processes.
        dtype: in which gradients are sent; None for their own.
        limit: a bucket with so many bytes is full; None if nothing leaves on the way.
    """

    def __init__(self, parameters: Sequence[Any], comm: Communicator, dtype: Any, limit: int | None) -> None:
        self.parameters, self.comm, self.dtype, self.limit = parameters, comm, dtype, limit
        self.buckets: Buckets | None = None
        self.has_read = False

    def __call__(
        self, seeds: Sequence[tuple[Any, Any]], fetch: Any, visit: Any, pull: Any, begin: Any = None
    ) -> dict[Any, Any]:
        if self.has_read:
            raise RuntimeError(
                f"averaged_backward averages the gradients of one backward(), and this is the second{at_user_line()}; "
                "call average_gradients after the last one instead"
            )
        self.has_read = True
        if self.limit is None:
            return read_backwards(seeds, fetch, visit, pull or pulled, begin)
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
