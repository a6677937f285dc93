"""The collective operations: linear maps between the arrays of all processes.

Each is one operation of the tape that has its turn (:func:`autodiff.trace.tape.ordered`), and whose transpose is
another one of them. What is differentiated is the sum over all processes of what each returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from autodiff.distributed import exchanges
from autodiff.distributed.calls import Call
from autodiff.distributed.communicator import Communicator
from autodiff.distributed.events import RECORDS, Event, note
from autodiff.distributed.meetings import meet
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
        together: ``together(rows, stack, rank, rest)``: the result, from the operands of all processes, one by one and
            as one array. They lie in memory that others will use: no result shows it.
        apart: ``apart(comm, x, rest, call)``: the result, where operands are large. With ``reuse=True`` it may be put
            where the operand is.
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
        def evaluate(
            x: Any, *, comm: Communicator, place: str = "", line: str = "", reuse: bool = False, **own: Any
        ) -> Any:
            x = x if type(x) is np.ndarray else np.asarray(x)
            if comm.size == 1:
                out = together([x], x[None], 0, **own)
                return out if out.ndim else out[()]
            recorded = bool(RECORDS)
            begun = perf_counter() if recorded else 0.0
            turn = comm.meeting.turn(name, x.shape, x.dtype, tuple(own.items()) if own else (), place, line)
            meet(comm, turn, x)
            met = perf_counter() if recorded else 0.0
            if turn.stack is None:
                try:
                    out = apart(comm, x, turn.call, **own, **({"reuse": True} if reuse else {}))
                except BaseException:  # the user's Ctrl-C, too
                    comm.left = True
                    raise
            else:
                out = together(turn.rows, turn.stack, comm.rank, **own)
            if recorded:
                note(Event(name, x.nbytes, comm.size, begun, met, perf_counter()))
            return out if out.ndim else out[()]

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
    """A copy of the array in one process, zeros in the others."""
    return x.copy() if here else np.zeros(x.shape, x.dtype)


def sender(pairs: Sequence[tuple[int, int]], rank: int) -> int | None:
    """Who sends to a process; None if nobody does."""
    return next((a for a, b in pairs if b == rank), None)


def moved(rows: Sequence[Any], rank: int, pairs: Any) -> Any:
    """What a process gets by a permutation."""
    source = sender(pairs, rank)
    return kept(rows[source or 0], source is not None)


def reduced(comm: Communicator, x: Any, call: Call, root: int) -> Any:
    """The sum of all arrays in one process, zeros in the others."""
    stack = exchanges.gathered(comm, x, root, call)
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
Collective("all_reduce", same, "all_reduce", lambda rows, stack, rank, weights=(): total(rows, weights),
           lambda c, x, call, weights=(), reuse=False: summed(c, x, call, weights, reuse))
Collective("all_gather", stacked, "reduce_scatter", lambda rows, stack, rank: stack.copy(),
           lambda c, x, call: exchanges.all_gathered(c, x, call), rows=(False, True))
Collective("reduce_scatter", row, "all_gather", lambda rows, stack, rank: total(stack[:, rank, ...]),
           lambda c, x, call: total(exchanges.exchanged(c, x, call)), rows=(True, False))
Collective("all_to_all", same, "all_to_all", lambda rows, stack, rank: stack[:, rank, ...].copy(),
           lambda c, x, call: exchanges.exchanged(c, x, call), rows=(True, True))
Collective("broadcast", same, "reduce", lambda rows, stack, rank, root: rows[root].copy(),
           lambda c, x, call, root: exchanges.broadcasted(c, x, root, call), "root")
Collective("reduce", same, "broadcast", lambda rows, stack, rank, root: kept(total(rows), rank == root), reduced,
           "root")
Collective("gather", stacked, "scatter", lambda rows, stack, rank, root: kept(stack, rank == root),
           lambda c, x, call, root: exchanges.gathered(c, x, root, call), "root", (False, True))
Collective("scatter", row, "gather", lambda rows, stack, rank, root: stack[root, rank, ...].copy(),
           lambda c, x, call, root: exchanges.scattered(c, x, root, call), "root", (True, False))
Collective("permute", same, "permute", lambda rows, stack, rank, pairs: moved(rows, rank, pairs),
           lambda c, x, call, pairs: exchanges.permuted(c, x, pairs, call), "pairs")
Collective("barrier", same, "barrier", lambda rows, stack, rank: rows[rank].copy(), lambda c, x, call: np.array(x))
# fmt: on
