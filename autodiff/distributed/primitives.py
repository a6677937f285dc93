"""The collective operations: linear maps between the arrays of all processes.

Each is one operation of the tape that has its turn (:func:`autodiff.trace.tape.ordered`), and whose transpose is
another one of them. What is differentiated is the sum over all processes of what each returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from autodiff.distributed import messages
from autodiff.distributed.communicator import Communicator
from autodiff.distributed.events import RECORDS, Event, note
from autodiff.distributed.messages import Call, agree
from autodiff.distributed.sums import summed, total
from autodiff.ops.shape import transpose
from autodiff.trace.live import ordered_after
from autodiff.trace.parameters import Domain, instance_of
from autodiff.trace.primitive import Primitive, newest_traced
from autodiff.trace.recording import bodies, innermost_body
from autodiff.trace.spec import Spec, result_spec, spec_of

COMM = instance_of(Communicator, "a communicator")
TEXT = instance_of(str, "a text")
ANY = Domain("a rank, or pairs of ranks", lambda value, operands: isinstance(value, (int, tuple)))


class Collective(Primitive):
    """A collective operation.

    Args:
        name: its name.
        shape: of the result, from that of the operand and the number of processes.
        transposed: the name of its transpose.
        together: ``together(stack, rank, rest)``: the result, from the operands of all processes.
        apart: ``apart(comm, x, rest, call)``: the result, where operands are large.
        rest: the name of its further parameter; empty if it has none.
        rows: whether the operand, and whether the result, has a row for each process.
    """

    __slots__ = ()

    def __init__(
        self,
        name: str,
        shape: Callable[[tuple[int, ...], int], tuple[int, ...]],
        transposed: str,
        together: Callable[..., Any],
        apart: Callable[..., Any],
        rest: str = "",
        rows: tuple[bool, bool] = (False, False),
    ) -> None:
        def evaluate(x: Any, *, comm: Communicator, place: str, line: str, **own: Any) -> Any:
            x = np.asarray(x)
            if comm.size == 1:
                out = together(np.array(x)[None], 0, **own)
            else:
                call = Call(name, x.shape, x.dtype, tuple(own.items()), place, line)
                begun = perf_counter()
                stack = agree(comm, call, x)
                met = perf_counter()
                out = apart(comm, x, call, **own) if stack is None else together(stack, comm.rank, **own)
                if RECORDS:
                    note(Event(name, x.nbytes, comm.size, begun, met, perf_counter()))
            return np.array(out, order="C", copy=None) if out.shape else out[()]

        def spec(x: Spec, *, comm: Communicator, **own: Any) -> Spec:
            return result_spec(shape(x.shape, comm.size), x.dtype)

        def back(g: Any, params: Mapping[str, Any]) -> Any:
            if rest == "pairs":
                params = {**params, "pairs": tuple((b, a) for a, b in params["pairs"])}
            return COLLECTIVES[transposed](g, **params)

        def batch(values: Sequence[Any], batched: Sequence[bool], params: dict[str, Any]) -> Any:
            x = swapped(values[0]) if rows[0] else values[0]
            out = self(x, **params)
            return swapped(out) if rows[1] else out

        params = {"comm": COMM, "place": TEXT, "line": TEXT, **({rest: ANY} if rest else {})}
        options: dict[str, Any] = {"batch": batch, "on_gpu": refused(name), "ordered": True, "params": params}
        on_tape = f"distributed_{name}"  # there is a gather of elements, too
        super().__init__(on_tape, "linear", ("x",), evaluate, spec, {"x": RULES[rest](back)}, register=False, **options)
        COLLECTIVES[name] = self

    def __call__(self, *operands: Any, **params: Any) -> Any:
        body = innermost_body() if bodies else None
        if body is not None and newest_traced(operands) is None:  # others compute with what is a constant here
            return body.record(
                self, operands, params, super().__call__ if getattr(body, "with_values", False) else None
            )
        return ordered_after(super().__call__(*operands, **params))


COLLECTIVES: dict[str, Collective] = {}
"""The collective operations by name."""

RULES: dict[str, Callable[[Any], Any]] = {
    "": lambda back: lambda g, comm, place, line: back(g, {"comm": comm, "place": place, "line": line}),
    "root": lambda back: (
        lambda g, comm, place, line, root: back(g, {"comm": comm, "place": place, "line": line, "root": root})
    ),
    "pairs": lambda back: (
        lambda g, comm, place, line, pairs: back(g, {"comm": comm, "place": place, "line": line, "pairs": pairs})
    ),
}
"""Derivative rules by the parameter that they need besides: rules name what they need."""


def swapped(x: Any) -> Any:
    """The array with its first two axes exchanged: those of examples and of processes."""
    ndim = spec_of(x).ndim
    return transpose(x, axes=(1 - ndim, -ndim, *range(2 - ndim, 0)))


def refused(name: str) -> Callable[..., Any]:
    """What says that arrays of CuPy stay where they are."""

    def refuse(*operands: Any, **params: Any) -> Any:
        raise TypeError(
            f"distributed.{name} got an array of CuPy ({params.get('line', '')}): MPI sends arrays of NumPy here. Send "
            "cupy.asnumpy(x), and make an array of CuPy of the result; nothing is copied unasked."
        )

    return refuse


def kept(x: Any, here: bool) -> Any:
    """The array in one process, zeros in the others."""
    return x if here else np.zeros_like(x)


def sender(pairs: Sequence[tuple[int, int]], rank: int) -> int | None:
    """Who sends to a process; None if nobody does."""
    return next((a for a, b in pairs if b == rank), None)


def moved(stack: Any, rank: int, pairs: Any) -> Any:
    """What a process gets by a permutation."""
    source = sender(pairs, rank)
    return np.zeros_like(stack[0]) if source is None else stack[source]


def reduced(comm: Communicator, x: Any, call: Call, root: int) -> Any:
    """The sum of all arrays in one process, zeros in the others."""
    stack = messages.gathered(comm, x, root, call)
    return total(stack) if comm.rank == root else np.zeros_like(x)


def same(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """A result like the operand."""
    return shape


def stacked(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """A result with a row for each process."""
    return (size, *shape)


def row(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """A result that is a row."""
    return shape[1:]


# fmt: off
Collective("all_reduce", same, "all_reduce", lambda s, rank: total(s), lambda c, x, call: summed(c, x, call))
Collective("all_gather", stacked, "reduce_scatter", lambda s, rank: s,
           lambda c, x, call: messages.all_gathered(c, x, call), rows=(False, True))
Collective("reduce_scatter", row, "all_gather", lambda s, rank: total(s[:, rank]),
           lambda c, x, call: total(messages.exchanged(c, x, call)), rows=(True, False))
Collective("all_to_all", same, "all_to_all", lambda s, rank: s[:, rank],
           lambda c, x, call: messages.exchanged(c, x, call), rows=(True, True))
Collective("broadcast", same, "reduce", lambda s, rank, root: s[root],
           lambda c, x, call, root: messages.broadcasted(c, x, root, call), "root")
Collective("reduce", same, "broadcast", lambda s, rank, root: kept(total(s), rank == root), reduced, "root")
Collective("gather", stacked, "scatter", lambda s, rank, root: kept(s, rank == root),
           lambda c, x, call, root: messages.gathered(c, x, root, call), "root", (False, True))
Collective("scatter", row, "gather", lambda s, rank, root: s[root][rank],
           lambda c, x, call, root: messages.scattered(c, x, root, call), "root", (True, False))
Collective("permute", same, "permute", moved,
           lambda c, x, call, pairs: messages.permuted(c, x, pairs, call), "pairs")
Collective("barrier", same, "barrier", lambda s, rank: s[rank], lambda c, x, call: np.array(x))
# fmt: on
