"""A function as one operation: recorded to a tape, which the operation carries.

The derivatives of such a call are got by running its tape again under the transformation that asks. Where that
transformation is itself being transformed, its work becomes one call in turn, so that nothing of it is kept either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from autodiff.backends.reference import run_tape
from autodiff.ops.shape import broadcast_to
from autodiff.trace.errors import run_user_code
from autodiff.trace.link import Link
from autodiff.trace.primitive import Primitive, newest_traced
from autodiff.trace.recording import TracingBody, innermost_body
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.staging import Body
from autodiff.trace.tape import Tape
from autodiff.trace.tape_call import TapeCall
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.tree import flatten
from autodiff.transforms.batch import run_batched
from autodiff.transforms.forward import jvp
from autodiff.transforms.gradient import vjp


class Recorded(NamedTuple):
    """A function that was recorded at some arguments, which stay what they are outside.

    Attributes:
        tape: without constants; its inputs are the traced leaves of the arguments, then the captures, then the arrays
            that the function closed over.
        operands: the values of the inputs.
        captures: how many of them are captures.
        known: the tape's outputs, where values were computed on the way.
        rebuild: gives the function's result from the tape's outputs.
    """

    tape: Tape
    operands: list[Any]
    captures: int
    known: tuple[Any, ...] | None
    rebuild: Callable[[Sequence[Any]], Any]


def record_call(
    fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], all_inputs: bool = False
) -> Recorded:
    """Run a function with its traced arguments, and whatever it closes over, recorded.

    Plain arguments stay plain for the function. Values are computed where they are known, so that Python can branch
    on them.

    Args:
        fun: the function.
        args: its arguments, trees.
        kwargs: its keyword arguments.
        all_inputs: whether plain leaves have their places among the tape's inputs too.
    """
    leaves, structure = flatten((tuple(args), dict(kwargs)))
    values = [concrete(leaf) for leaf in leaves]
    traced = [isinstance(leaf, Traced) for leaf in leaves]
    with_values = values_are_known() and not any(type(value) is Spec for value in values)
    body = Body(with_values)
    inside = list(leaves)
    for k, leaf in enumerate(leaves):
        if traced[k] or all_inputs:
            tracer = body.input(values[k] if with_values else spec_of(leaf))
            inside[k] = tracer if traced[k] else leaf
    try:
        with TracingBody(body):
            positional, named = structure.unflatten(inside)
            outs, results = flatten(run_user_code(lambda: fun(*positional, **named), ()))
            outs = [out.seen_from(body.level) if isinstance(out, Traced) else out for out in outs]
        returned = [k for k, out in enumerate(outs) if isinstance(out, Tracer) and out.recording is body]
        staged = body.freeze([outs[k] for k in returned], structure, results)
        known = tuple(outs[k].value for k in returned) if with_values else None
    finally:
        body.close()

    def rebuild(found: Sequence[Any]) -> Any:
        full = list(outs)
        for k, value in zip(returned, found, strict=True):
            full[k] = value
        return results.unflatten(full)

    tape = replace(staged.tape, constants=(), arguments=None, results=None)
    operands = [*(leaf for leaf, own in zip(leaves, traced, strict=True) if own or all_inputs), *staged.captures, *staged.tape.constants]
    return Recorded(tape, operands, len(staged.captures), known, rebuild)


def values_are_known() -> bool:
    """Whether the code that runs now, in this thread, computes with values."""
    body = innermost_body()
    return body is None or (isinstance(body, Body) and body.with_values)


def apply_known(
    primitive: Primitive, operands: Sequence[Any], params: Mapping[str, Any], known: tuple[Any, ...] | None
) -> Any:
    """Call a primitive of whose plain results the values are known already: every recording takes note, none runs it."""
    if known is None:
        return primitive(*operands, **params)
    newest = newest_traced(tuple(operands))
    if newest is None:
        return known

    def apply(*values: Any, **_: Any) -> Any:
        return apply_known(primitive, values, params, known)

    body = innermost_body()
    if body is not None and body.level > newest.level:
        return body.record(primitive, operands, params, apply)
    return newest.record(primitive, operands, params, apply)


def as_one(fun: Callable[..., tuple[Any, ...]], values: Sequence[Any]) -> tuple[Any, ...]:
    """Run a function; as one operation that keeps only its operands, where somebody listens."""
    if newest_traced(tuple(values)) is None:
        return fun(*values)
    return call_in_one(fun, values, {})  # type: ignore[no-any-return]


def call_in_one(fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call a function as one operation."""
    recorded = record_call(fun, args, kwargs)
    if not recorded.tape.outputs:
        return recorded.rebuild(())
    return recorded.rebuild(apply_known(checkpointed, recorded.operands, {"tape": recorded.tape}, recorded.known))


class CallLink(Link):
    """A call with some of its operands differentiated: it keeps the operands, and runs the tape again."""

    __slots__ = ()

    def __init__(self, primitive: Primitive, positions: tuple[int, ...]) -> None:
        self.primitive = primitive
        self.positions = positions
        self.arity = len(positions)
        self.elementwise = False
        self.moves = False
        self.kept = (-1,)
        self.keeps_out = False
        self.collect = lambda values, out, params: (tuple(values), params["tape"])
        self.pull = self.pull_all

    def pull_all(self, g: tuple[Any, ...], residuals: Any) -> Any:
        """The cotangents of all differentiated operands at once."""
        values, tape = residuals
        smooth = smooth_outputs(tape)

        def pullback(*both: Any) -> tuple[Any, ...]:
            cotangents, now = both[: len(smooth)], both[len(smooth) :]
            run = of_positions(tape, now, self.positions, smooth)
            return vjp(run, *(now[p] for p in self.positions))[1](cotangents)  # type: ignore[no-any-return]

        cts = as_one(pullback, [*(g[k] for k in smooth), *values])
        return cts if self.arity > 1 else cts[0]


class CheckpointedCall(TapeCall):
    """The primitive of ``checkpoint``: its derivatives run the tape again."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("checkpoint", run_tape, batched_call)
        self.forward = push_call

    def link(self, positions: tuple[int, ...]) -> Link:
        found = self.links.get(positions)
        if found is None:
            found = self.links[positions] = CallLink(self, positions)
        return found


def smooth_outputs(tape: Tape) -> list[int]:
    """Which outputs can have derivatives."""
    return [k for k, spec in enumerate(tape.output_specs) if spec.inexact]


def of_positions(
    tape: Tape, values: Sequence[Any], positions: Sequence[int], outputs: Sequence[int]
) -> Callable[..., tuple[Any, ...]]:
    """Some outputs of a tape as a function of some of its inputs."""

    def run(*selected: Any) -> tuple[Any, ...]:
        full = list(values)
        for position, value in zip(positions, selected, strict=True):
            full[position] = value
        outs = run_tape(tape, full)
        return tuple(outs[k] for k in outputs)

    return run


def push_call(tangents: Sequence[Any], values: Sequence[Any], out: Any, params: Mapping[str, Any]) -> tuple[Any, ...]:
    """Forward mode: the tangents of a call's results."""
    tape = params["tape"]
    smooth = smooth_outputs(tape)
    positions = [k for k, tangent in enumerate(tangents) if tangent is not None]

    def push(*both: Any) -> tuple[Any, ...]:
        directions, now = both[: len(positions)], both[len(positions) :]
        run = of_positions(tape, now, positions, smooth)
        return jvp(run, [now[p] for p in positions], directions)[1]  # type: ignore[no-any-return]

    found = dict(zip(smooth, as_one(push, [*(tangents[p] for p in positions), *values]), strict=True))
    return tuple(found.get(k) for k in range(len(tape.outputs)))


def batched_call(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> tuple[Any, ...]:
    """The call for a whole batch: its tape is run with batches."""
    size = next(spec_of(value).shape[0] for value, own in zip(values, batched, strict=True) if own)
    return as_one(lambda *now: run_for_batch(params["tape"], now, batched, size), values)


def run_for_batch(tape: Tape, values: Sequence[Any], batched: Sequence[bool], size: int) -> tuple[Any, ...]:
    """A tape's outputs for a batch; those that are the same for all examples are repeated."""
    return tuple(
        value if is_batched else broadcast_to(value, shape=(size, *spec_of(value).shape))
        for value, is_batched in run_batched(tape, values, batched, size)
    )


checkpointed = CheckpointedCall()
