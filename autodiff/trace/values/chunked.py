"""Arrays in chunks, Dask's: what a computation with them looks like before a scheduler runs it.

Dask is not imported here: an array of it exists only where somebody has imported it. An operation on such arrays adds
to the graph of tasks that they carry; each task runs the operation's own evaluator on blocks, which are NumPy's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autodiff.trace.operation import Operation
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import ChunkedSpec, Spec, is_chunked, spec_of

Labels = tuple[Any, ...]
"""A name for each axis of an operand: axes of one name run through the same blocks."""


def any_chunked(values: Iterable[Any]) -> bool:
    """Whether one of the values, none of which is traced, is an array in chunks."""
    return any(map(is_chunked, values))


def library() -> Any:
    """The module dask.array, which somebody has imported."""
    return sys.modules["dask.array"]


class Evaluation:
    """A primitive with its parameters as the function of blocks that a task runs.

    It is pickled by the primitive's name, and two of one primitive and equal parameters are one to Dask.
    """

    def __init__(self, primitive: Operation, params: dict[str, Any]) -> None:
        self.primitive = primitive
        self.params = params
        self.__name__ = primitive.name

    def __call__(self, *blocks: Any) -> Any:
        with np.errstate(all="ignore"):
            return self.primitive.evaluate(*blocks, **self.params)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return type(self).__name__, self.primitive.name, sorted(self.params.items())


def evaluate(primitive: Operation, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    """The result of an operation on values of which some are in chunks, as a graph that nobody has run yet.

    Raises:
        NotImplementedError: if the operation cannot be done chunk by chunk.
    """
    values = [in_view(operand) for operand in operands]
    if primitive.on_chunks is not None:
        return primitive.on_chunks(primitive, *values, **params)
    if primitive.family == "elementwise":
        return by_elements(primitive, *values, **params)
    raise refusal(primitive.name)


def refusal(
    name: str, then: str = "compute its operands, x.compute(), or call it on each chunk, x.map_blocks(f)"
) -> Any:
    """The error of what cannot be done chunk by chunk."""
    return NotImplementedError(f"{name} of an array of Dask{at_user_line()} is not done chunk by chunk; {then}")


def by_elements(primitive: Operation, *operands: Any, **params: Any) -> Any:
    """An operation on each element, on the blocks of operands that broadcast."""
    labels = [tuple(range(-np.ndim(operand), 0)) for operand in operands]
    out = primitive.spec(*map(spec_of, operands), **params)
    return by_blocks(primitive, operands, params, labels, tuple(range(-len(out.shape), 0)), out)


def by_blocks(
    primitive: Operation,
    operands: Sequence[Any],
    params: dict[str, Any],
    labels: Sequence[Labels],
    out_labels: Labels,
    out: Spec,
) -> Any:
    """An operation on blocks of its operands, each of which gives the block of the result that has its labels.

    Labels that no operand has are axes of one block; labels that the result does not have are axes of one block, too.
    """
    known = dict.fromkeys(label for its in labels for label in its)
    numbers = {label: k for k, label in enumerate(dict.fromkeys((*known, *out_labels)))}  # Dask puts labels in order
    pairs: list[Any] = []
    for operand, its in zip(operands, labels, strict=True):
        pairs += [operand, tuple(numbers[label] for label in its) if np.ndim(operand) else None]
    new = {numbers[label]: length for label, length in zip(out_labels, out.shape) if label not in known}
    return library().blockwise(
        Evaluation(primitive, params),
        tuple(numbers[label] for label in out_labels),
        *pairs,
        new_axes=new,
        dtype=out.dtype,
        meta=np.empty((0,) * len(out.shape), out.dtype),
        concatenate=True,
        name=None,
        token=primitive.name,
    )


def in_view(value: Any) -> Any:
    """A plain array that was only broadcast to its length, as one in chunks: written out it might be too large."""
    if not isinstance(value, np.ndarray) or 0 not in value.strides or value.size <= MANY:
        return value
    core = value[tuple(slice(None) if stride else slice(1) for stride in value.strides)]
    return broadcast(library().from_array(core, chunks=core.shape), value.shape)


MANY = 1 << 16
"""Arrays of up to so many elements are written out without asking."""


def broadcast(x: Any, shape: tuple[int, ...]) -> Any:
    """An array in chunks repeated to a shape, in chunks of Dask's usual size."""
    own = x.chunks
    lead = len(shape) - x.ndim
    kept = [own[k] if x.shape[k] == shape[lead + k] else "auto" for k in range(x.ndim)]
    chunks = library().core.normalize_chunks((*("auto",) * lead, *kept), shape, dtype=x.dtype)
    return library().broadcast_to(x, shape, chunks=chunks)


def cut_alike(value: Any, slot: Spec) -> Any:
    """A cotangent in chunks, cut where its slot is: then all that follows meets its operands block by block."""
    if type(slot) is ChunkedSpec and is_chunked(value) and value.chunks != slot.chunks:
        return value.rechunk(slot.chunks, method="tasks")  # splits what was repeated: nothing has to move
    return value
