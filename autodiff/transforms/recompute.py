"""Calls whose derivatives run their tape again.

Where the transformation that asks is itself being transformed, its work becomes one call in turn, so that nothing of
it is kept either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autodiff.backends.reference import run_tape
from autodiff.trace.link import Link
from autodiff.trace.live import ordered_after
from autodiff.trace.primitive import Primitive, newest_traced
from autodiff.trace.spec import spec_of
from autodiff.trace.tape import Tape, carries_turn
from autodiff.trace.tape_call import TapeCall
from autodiff.transforms.call import apply_known, record_call, run_for_batch
from autodiff.transforms.forward import tangents_of
from autodiff.transforms.gradient import Linearization
from autodiff.transforms.partial import Form, cotangents, form_of, joined, parts_of


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
    partial = True

    def __init__(self, primitive: Primitive, positions: tuple[int, ...]) -> None:
        self.primitive = primitive
        self.positions = positions
        self.arity = len(positions)
        self.elementwise = False
        self.moves = self.adds = self.adds_selected = False
        self.kept = (-1,)
        self.keeps_out = False
        self.collect = lambda values, out, params: (tuple(values), params["tape"])
        self.pull = self.pull_all

    def pull_all(self, g: list[Any], residuals: Any) -> Any:
        """The cotangents of all differentiated operands at once."""
        values, tape = residuals
        smooth = smooth_outputs(tape)
        given = tuple(form_of(g[k]) for k in smooth)
        parts = [part for k in smooth for part in parts_of(g[k])]
        found: list[Form] = []

        def pullback(*both: Any) -> tuple[Any, ...]:
            now = both[len(parts) :]
            selected = tuple(now[p] for p in self.positions)
            at = Linearization("checkpoint", of_positions(tape, now, self.positions, smooth), selected, False)
            cts = cotangents(at, joined(both[: len(parts)], given))
            found[:] = map(form_of, cts)
            return tuple(part for ct in cts for part in parts_of(ct))

        outs = as_one(pullback, [*parts, *values])
        cts = joined(outs, tuple(found))
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

    def __call__(self, *operands: Any, **params: Any) -> Any:
        out = super().__call__(*operands, **params)
        return ordered_after(out) if carries_turn(params.values()) else out


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
    given = tuple(form_of(tangents[p]) for p in positions)
    parts = [part for p in positions for part in parts_of(tangents[p])]
    found: list[Form] = ["none"] * len(tape.outputs)

    def push(*both: Any) -> tuple[Any, ...]:
        directions, now = joined(both[: len(parts)], given), both[len(parts) :]
        pairs = tangents_of(of_positions(tape, now, positions, smooth), [now[p] for p in positions], directions)
        for place, (_, tangent) in zip(smooth, pairs, strict=True):
            found[place] = form_of(tangent)
        return tuple(part for _, tangent in pairs for part in parts_of(tangent))

    return joined(as_one(push, [*parts, *values]), tuple(found))


def batched_call(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> tuple[Any, ...]:
    """The call for a whole batch: its tape is run with batches."""
    size = next(spec_of(value).shape[0] for value, own in zip(values, batched, strict=True) if own)
    return as_one(lambda *now: run_for_batch(params["tape"], now, batched, size), values)


checkpointed = CheckpointedCall()
