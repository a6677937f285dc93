"""Functions with derivative rules of the user's own, as one operation.

On a tape the operation carries the tape of the function itself and the rule. A recording that differentiates has the
rule compute the results; the function itself does not run then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autodiff.backends.reference import run_tape
from autodiff.trace.errors import DifferentiationError, RuleError, described
from autodiff.trace.link import Link
from autodiff.trace.live import Differentiation
from autodiff.trace.parameters import instance_of
from autodiff.trace.primitive import Primitive, newest_traced
from autodiff.trace.recording import innermost_body
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.staging import Body
from autodiff.trace.tape import Tape
from autodiff.trace.tape_call import TapeCall
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.call import apply_known, record_call, run_for_batch
from autodiff.transforms.custom.rule import CustomRule, Leaves
from autodiff.transforms.forward import Forward
from autodiff.transforms.masking import unmasked


class CustomLink(Link):
    """A call with some operands differentiated: the rule says what is kept, and pulls all cotangents at once.

    Variables that are differentiated twice want residuals that are Variables: where the rule ran on plain values it is
    run again, on them.
    """

    __slots__ = ()
    runs_again = True

    def __init__(self, primitive: Primitive, positions: tuple[int, ...]) -> None:
        self.primitive = primitive
        self.positions = positions
        self.arity = len(positions)
        self.elementwise = False
        self.moves = self.adds = self.adds_selected = False
        self.kept = ()
        self.keeps_out = False
        self.collect = lambda values, out, params: (params["rule"], *params["kept"][:2], *values[: params["kept"][2]])
        self.pull = self.pull_all

    def pull_all(self, g: tuple[Any, ...], residuals: Any) -> Any:
        rule, kept, positions, *values = residuals
        if newest_traced(tuple(values)) is not None:
            kept = rule.run(values, positions)[1]
        cts = dict(zip(positions, rule.pull(kept, g, positions), strict=True))
        return tuple(map(cts.get, self.positions)) if self.arity > 1 else cts.get(self.positions[0])


RULE = instance_of(CustomRule, "a derivative rule")


class CustomCall(TapeCall):
    """The primitive of ``custom_vjp`` or ``custom_jvp``; its parameters are ``rule`` and ``tape``."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        super().__init__(name, run_tape, self.run_batch, {"rule": RULE})
        self.forward = lambda tangents, values, out, params: params["kept"][0]

    def accepted(self, tangent: Any) -> Any:
        """A tangent as rules take it: users' rules want arrays."""
        return unmasked(tangent)

    def link(self, positions: tuple[int, ...]) -> Link:
        found = self.links.get(positions)
        if found is None:
            found = self.links[positions] = CustomLink(self, positions)
        return found

    def __call__(self, *operands: Any, **params: Any) -> Any:
        if newest_traced(operands) is None or recorded_by_body(operands):
            return super().__call__(*operands, **params)
        return differentiated(self, params["rule"], operands, params["tape"])

    def run_batch(self, values: Leaves, batched: Sequence[bool], params: Mapping[str, Any]) -> tuple[Any, ...]:
        rule = params["rule"]
        size = next(spec_of(value).shape[0] for value, own in zip(values, batched, strict=True) if own)
        return call_with_rule(
            self,
            lambda *now: run_for_batch(params["tape"], now, batched, size),
            rule.batched(tuple(map(bool, batched[: rule.count]))),
            values,
        )


def recorded_by_body(operands: Leaves) -> bool:
    """Whether it is a body that records an operation on these operands."""
    newest = newest_traced(tuple(operands))
    body = innermost_body()
    if body is not None and newest is not None and body.level > newest.level:
        return True
    return isinstance(newest, Tracer) and isinstance(newest.recording, Body)


def call_with_rule(
    primitive: CustomCall, fun: Callable[..., tuple[Any, ...]], rule: CustomRule, operands: Leaves
) -> tuple[Any, ...]:
    """Call a function of leaves that has a rule.

    Raises:
        DifferentiationError: if it closes over a traced value, of which the rule knows nothing.
    """
    newest = newest_traced(tuple(operands))
    if newest is None and innermost_body() is None:
        outs = fun(*operands)
        refuse_closure(rule, outs, 0)
        return outs
    if newest is not None and not recorded_by_body(operands):
        return differentiated(primitive, rule, operands, None)
    recorded = record_call(lambda *inside: tuple(fun(*inside)), operands, {}, all_inputs=True)
    if recorded.captures:
        raise closure_error(rule, recorded.operands[len(operands)])
    params = {"rule": rule, "tape": recorded.tape}
    if not recorded.tape.outputs:
        return recorded.rebuild(())  # type: ignore[no-any-return]
    return recorded.rebuild(apply_known(primitive, recorded.operands, params, recorded.known))  # type: ignore[no-any-return]


def differentiated(primitive: CustomCall, rule: CustomRule, operands: Leaves, tape: Tape | None) -> tuple[Any, ...]:
    """Have the newest recording record the call, with results that the rule computes."""
    newest = newest_traced(tuple(operands))
    assert newest is not None
    recording = newest.recording if isinstance(newest, Tracer) else None
    own = [isinstance(o, Tracer) and o.recording is recording if recording else isinstance(o, Traced) for o in operands]
    if any(own[rule.count :]):
        raise closure_error(rule, operands[own.index(True, rule.count)])
    positions = [k for k, is_own in enumerate(own) if is_own and spec_of(operands[k]).inexact]
    kept: list[Any] = []

    def apply(*values: Any, **_: Any) -> tuple[Any, ...]:
        values = values[: rule.count]
        if isinstance(recording, Forward):
            tangents = [o.slot if is_own else None for o, is_own in zip(operands, own, strict=True)]
            outs, pushed = rule.push(values, list(map(primitive.accepted, tangents[: rule.count])))
            kept[:] = [pushed]
        else:
            if isinstance(recording, Differentiation):
                values = tuple(protected(recording, o, value) for o, value in zip(operands, values, strict=False))
            outs, saved = rule.run(values, positions)
            again = 0 if recording or newest_traced(tuple(values)) is not None else rule.count
            kept[:] = [saved, positions, again]
        refuse_closure(rule, (outs, kept), newest.level)
        if tape is not None:
            check_results(rule, outs, tape)
        return outs

    return newest.record(primitive, operands, {"rule": rule, "kept": kept}, apply)  # type: ignore[no-any-return]


def protected(recording: Differentiation, operand: Any, value: Any) -> Any:
    """The value as it is now, where the user may hold the array: of arguments and constants."""
    if not isinstance(operand, Tracer) or operand.recording is not recording:
        return recording.keep(value)
    return recording.keep_input(operand) if operand.slot.link is None else value


def check_results(rule: CustomRule, outs: Leaves, tape: Tape) -> None:
    """Check what the rule computed against what the function itself returned."""
    got = [(s.shape, s.dtype) for s in map(spec_of, outs)]
    wanted = [(s.shape, s.dtype) for s in tape.output_specs]
    if got != wanted:
        raise RuleError(
            f"the rule of {rule.name} returned {', '.join(map(described, outs))} but the function itself returns "
            f"{', '.join(map(repr, tape.output_specs))}; they must agree"
        )


def refuse_closure(rule: CustomRule, tree: Any, level: int) -> None:
    """Refuse results that depend on a traced value which the function closed over."""
    for leaf in flatten(tree)[0]:
        if isinstance(leaf, Traced) and leaf.level >= level:
            raise closure_error(rule, leaf)


def closure_error(rule: CustomRule, value: Any) -> DifferentiationError:
    """The error that says which value was closed over."""
    return DifferentiationError(
        f"{rule.name} has a derivative rule of its own, but closes over a traced {described(value)}{at_user_line()}, "
        "of which the rule knows nothing: its derivative would be lost. Pass the value as an argument."
    )
