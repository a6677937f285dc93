"""What the operations of loops and branches have in common: their derivatives are loops and branches again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from autodiff.trace.link import Link
from autodiff.trace.live import ordered_after
from autodiff.trace.parameters import Params as Domains
from autodiff.trace.parameters import require
from autodiff.trace.primitive import Primitive, level_of, newest_traced
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Tape, carries_turn
from autodiff.trace.tape_call import check_operands, no_rule
from autodiff.trace.tracer import Tracer
from autodiff.transforms.control.dependence import Sources, asked
from autodiff.transforms.custom.call import recorded_by_body
from autodiff.transforms.forward import Forward, own_tangent, tangents_of
from autodiff.transforms.masking import unmasked
from autodiff.transforms.recompute import of_positions, smooth_outputs

Values = Sequence[Any]
Params = Mapping[str, Any]
Step = Callable[..., Sequence[Any]]
"""A tape as a function of its inputs."""


class ControlLink(Link):
    """A loop or branch with some operands differentiated: it keeps the operands, and what the operation adds."""

    __slots__ = ()
    partial = True
    primitive: ControlCall

    def __init__(self, primitive: ControlCall, positions: tuple[int, ...]) -> None:
        self.primitive = primitive
        self.positions = positions
        self.arity = len(positions)
        self.elementwise = False
        self.moves = self.adds = self.adds_selected = False
        self.kept = (-1,)
        self.keeps_out = primitive.keeps_out
        self.collect = primitive.residuals
        self.pull = self.pull_all

    def pull_all(self, g: Values, residuals: Any) -> Any:
        """The cotangents of all differentiated operands at once; those of the results may be None."""
        g = [None if part is None else unmasked(part) for part in g]
        wanted = asked(self.primitive.dependence(residuals[-1]), g, self.positions)
        found = dict(zip(wanted, self.primitive.pull(g, residuals, wanted), strict=True)) if wanted else {}
        cts = tuple(found.get(p) for p in self.positions)
        return cts if self.arity > 1 else cts[0]


class ControlCall(Primitive):
    """An operation that runs the tapes among its parameters. Subclasses say how.

    Attributes:
        keeps_out: whether its residuals have to do with its results.
        domains: of its parameters.
    """

    __slots__ = ()
    keeps_out: ClassVar[bool] = False
    domains: ClassVar[Domains] = {}

    def compiled(self, compile_tape: Callable[[Tape], Step], **params: Any) -> Callable[..., Any]:
        """The operation as a function of plain operands, with its tapes run as a compiler would have them."""
        return lambda *values: self.run(*values, **params)

    def __init__(self, name: str) -> None:
        super().__init__(
            name,
            "general",
            ("*xs",),
            self.run,
            self.result_specs,
            {"xs": no_rule},
            batch=self.run_batch,
            params=self.domains,
            check=self.check_operands,
        )

    def run(self, *values: Any, **params: Any) -> tuple[Any, ...]:
        """The results for plain values."""
        raise NotImplementedError

    def result_specs(self, *specs: Any, **params: Any) -> tuple[Any, ...]:
        """The specs of the results."""
        raise NotImplementedError

    def check_operands(self, *specs: Any, **params: Any) -> None:
        """Refuse operands that its tapes do not take, and tapes that do not go together."""
        raise NotImplementedError

    def run_batch(self, values: Values, batched: Sequence[bool], params: Params) -> tuple[Any, ...]:
        """The results for a whole batch."""
        raise NotImplementedError

    def dependence(self, params: Params) -> Sequence[Sources] | None:
        """For each result the positions of the operands that it depends on; None if on any."""
        return None

    def residuals(self, values: Values, out: Values, params: Params) -> Any:
        """What :meth:`pull` will need, parameters last. In a graph of Variables the values and ``out`` are nodes."""
        return tuple(values), params

    def pull(self, g: Values, residuals: Any, positions: Sequence[int]) -> Values:
        """The cotangents of the operands at the positions."""
        raise NotImplementedError

    def push(self, values: Values, tangents: Values, params: Params) -> tuple[Values, Values]:
        """The results and their tangents, from the operands' tangents; None for zero."""
        raise NotImplementedError

    def link(self, positions: tuple[int, ...]) -> Link:
        found = self.links.get(positions)
        if found is None:
            found = self.links[positions] = ControlLink(self, positions)
        return found

    def __call__(self, *operands: Any, **params: Any) -> Any:
        newest = newest_traced(operands)
        if newest is None or recorded_by_body(operands):
            return super().__call__(*operands, **params)
        if isinstance(newest, Tracer) and isinstance(newest.recording, Forward):
            return self.pushed(newest.recording, operands, params)
        out = self.kept(operands, params)
        return ordered_after(out) if carries_turn(params.values()) else out

    def kept(self, operands: Values, params: Params) -> Any:
        """The results, where someone will want to go backwards."""
        return super().__call__(*operands, **params)

    def pushed(self, recording: Forward, operands: Values, params: Params) -> tuple[Any, ...]:
        """The results with their tangents: both are computed in one go."""
        recording.check_open(self.name)
        own = [isinstance(o, Tracer) and o.recording is recording for o in operands]
        values = [o.primal if mine else o for o, mine in zip(operands, own, strict=True)]
        tangents = [unmasked(o.slot) if mine else None for o, mine in zip(operands, own, strict=True)]
        outs, changes = self.push(values, tangents, params)
        if level_of(outs) > level_of(values) and not carries_turn(params.values()):
            outs = self(*values, **params)  # tangents come later: what they go round with stays in their recording
        dependence = self.dependence(params)
        if dependence is not None:
            moving = {k for k, tangent in enumerate(tangents) if tangent is not None}
            changes = [None if moving.isdisjoint(on) else t for t, on in zip(changes, dependence, strict=True)]
        return tuple(recording.paired(*pair) for pair in zip(outs, changes, strict=True))


def check_carry(body: Tape, carry: int) -> None:
    """Refuse a body whose first results cannot go round as its first inputs."""
    outs = body.output_specs[:carry]
    require(len(outs) == carry, f"the body of the loop returns less than its {carry} carries")
    for now, after in zip(body.inputs, outs, strict=False):
        require(
            now.shape == after.shape and (now.dtype == after.dtype or after.kind == "python"),
            f"the body of the loop takes {now!r} and returns {after!r} in its place",
        )


def check_loop(specs: Sequence[Spec], condition: Tape, body: Tape, carry: int) -> None:
    """Refuse operands that the tapes of a loop do not take, and tapes that do not go together."""
    check_operands(condition, specs)
    check_operands(body, specs)
    require(len(body.outputs) == carry, f"the body of the loop returns {len(body.outputs)} values for {carry} carries")
    check_carry(body, carry)
    found = [(s.shape, s.dtype) for s in condition.output_specs]
    require(found == [((), np.dtype(bool))], f"the condition returns {list(condition.output_specs)}, and not a boolean")


def push_tape(tape: Tape, values: Values, positions: Sequence[int], tangents: Values) -> tuple[Values, dict[int, Any]]:
    """A tape's outputs, and the tangents of those that can have some, by their numbers."""
    run = of_positions(tape, values, positions, range(len(tape.outputs)))
    pairs = tangents_of(run, [values[p] for p in positions], tangents)
    return tuple(value for value, _ in pairs), {k: own_tangent(*pairs[k]) for k in smooth_outputs(tape)}


def batched_outputs(tape: Tape, flags: Sequence[bool]) -> list[bool]:
    """Which outputs differ between the examples of a batch, when these inputs do."""
    slots = list(flags)
    for equation in tape.equations:
        mixed = any(slots[o] for o in equation.operands if isinstance(o, int))
        slots.extend([mixed] * len(equation.results))
    return [isinstance(out, int) and slots[out] for out in tape.outputs]


def batched_carry(flow: Callable[[list[bool]], list[bool]], flags: Sequence[bool]) -> list[bool]:
    """Which leaves of a carry differ between examples: those that do at first, and those that come to do so."""
    flags = list(flags)
    while True:
        after = [one or other for one, other in zip(flags, flow(flags), strict=True)]
        if after == flags:
            return flags
        flags = after


def size_of_batch(values: Values, batched: Sequence[bool]) -> int:
    """How many examples there are."""
    return next(spec_of(value).shape[0] for value, own in zip(values, batched, strict=True) if own)
