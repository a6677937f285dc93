"""Forward mode: the tangent is computed as the operation runs; there is no tape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from autodiff.ops.masked import Masked
from autodiff.ops.relative import absolute
from autodiff.trace.failures.operations import explained
from autodiff.trace.live import EXPLAINED
from autodiff.trace.primitive import Primitive
from autodiff.trace.recording import Recording
from autodiff.trace.spec import spec_of
from autodiff.trace.tape_call import TapeCall
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.tree import flatten
from autodiff.trace.values.arrays import check_places
from autodiff.trace.values.leaves import COMMON, as_leaf
from autodiff.transforms.gradient import is_unknown, own, zeros
from autodiff.transforms.masking import PARTIAL, unmasked
from autodiff.transforms.results import aux_leaf
from autodiff.transforms.tangents import masked_out_tangent, out_tangent, selects, settled


class Forward(Recording):
    """Computes tangents beside values: the slot of a traced value is its tangent, an array or masked, or None.

    Args:
        inside: the general operations through whose rules masked tangents are being pushed. Where the rule applies the
            operation itself, which is linear then, the masks end.
    """

    __slots__ = ("inside",)
    purpose: ClassVar[str] = "the derivative (jvp, jacfwd, ...)"

    def __init__(self, inside: frozenset[Primitive] = frozenset()) -> None:
        super().__init__()
        self.inside = inside

    def record(
        self,
        primitive: Primitive,
        operands: Sequence[Any],
        params: Mapping[str, Any],
        apply: Callable[..., Any] | None = None,
    ) -> Any:
        self.check_open(primitive.name)
        values, tangents = list(operands), [None] * len(operands)
        moving = partly = empty = False
        for position, operand in enumerate(operands):
            if isinstance(operand, Tracer) and operand.recording is self:
                values[position] = operand.primal
                if 0 in operand.spec.shape:
                    empty = True
                elif operand.slot is not None and primitive.rule(position) is not None:
                    tangents[position] = operand.slot
                    moving = True
                    partly = partly or type(operand.slot) in PARTIAL
            elif type(operand) not in COMMON and (type(operand) is not np.ndarray or operand.dtype.kind == "O"):
                values[position] = as_leaf(operand)
        if len(values) > 1:
            check_places(primitive.name, values)
        try:
            out = (apply or primitive)(*values, **params)
        except EXPLAINED as error:
            raise explained(error, primitive.name, values) from None
        if not moving:
            return self.still(out) if empty else out
        with np.errstate(all="ignore"):
            if partly and primitive.family == "general" and self.passes(primitive, tangents):
                tangent = self.through_rule(primitive, values, tangents, out, params)
            elif partly:
                tangent = masked_out_tangent(primitive, values, tangents, out, params)
            else:
                tangent = out_tangent(primitive, values, tangents, out, params)
        if type(out) is tuple:
            return tuple(self.paired(*pair) for pair in zip(out, tangent, strict=True))
        return self.paired(out, tangent)

    def passes(self, primitive: Primitive, tangents: Sequence[Any]) -> bool:
        """Whether masked tangents go through the steps of a general operation's rule; what was selected does not."""
        if primitive.forward is None or primitive.relative is not None:
            return False
        if isinstance(primitive, TapeCall) or primitive in self.inside:
            return False
        return not all(map(selects, map(absolute, tangents)))

    def through_rule(
        self,
        primitive: Primitive,
        values: Sequence[Any],
        tangents: Sequence[Any],
        out: Any,
        params: Mapping[str, Any],
    ) -> Any:
        """The tangent of a general operation's result: its rule is linear in the tangents, its own derivative."""
        positions = [position for position, tangent in enumerate(tangents) if tangent is not None]
        moving = [absolute(tangents[position]) for position in positions]

        def rule(*own: Any) -> Sequence[Any]:
            full: list[Any] = [None] * len(tangents)
            for position, tangent in zip(positions, own, strict=True):
                full[position] = tangent
            found = primitive.forward(full, values, out, params)  # type: ignore[misc]
            return tuple(map(unmasked, found if type(out) is tuple else (found,)))  # what the rule itself masks, too

        origin = [zeros(t.spec, t.value) if type(t) is Masked else zeros(spec_of(t), t) for t in moving]
        found = tuple(tangent for _, tangent in tangents_of(rule, origin, moving, self.inside | {primitive}))
        return found if type(out) is tuple else found[0]

    def still(self, out: Any) -> Any:
        """Results of what has no elements, which moves nothing: the mean of nothing is a constant, as in reverse mode.

        They stay traced here: programs write into them, and into what they are views of.
        """
        if type(out) is tuple:
            return tuple(map(self.still, out))
        return self.lift(out) if spec_of(out).inexact else out

    def lift(self, value: Any) -> Tracer:
        return Tracer(value, self, None)

    def paired(self, out: Any, tangent: Any) -> Any:
        slot = spec_of(out)
        return Tracer(out, self, settled(tangent, slot, out)) if slot.inexact and tangent is not None else out


def tangents_of(
    fun: Callable[..., Sequence[Any]],
    primals: Sequence[Any],
    directions: Sequence[Any],
    inside: frozenset[Primitive] = frozenset(),
) -> list[tuple[Any, Any]]:
    """The results of a function of leaves, each with its tangent along those of the arguments.

    Directions and tangents are arrays, or masked, or None where nothing moves.
    """
    recording = Forward(inside)
    try:
        pairs = zip(primals, directions, strict=True)
        tangents = [None if direction is None else settled(direction, spec_of(value)) for value, direction in pairs]
        outs = fun(*(Tracer(value, recording, tangent) for value, tangent in zip(primals, tangents, strict=True)))
        return [apart(out, recording) for out in outs]
    finally:
        recording.close()


def apart(out: Any, recording: Recording) -> tuple[Any, Any]:
    """A result's value and tangent, which is None where it does not depend on the primals."""
    if isinstance(out, Traced):
        out = out.seen_from(recording.level)
    if isinstance(out, Tracer) and out.recording is recording:
        return out.primal, absolute(out.slot)
    return out, None


def unpaired(out: Any, recording: Recording) -> tuple[Any, Any]:
    """A result's value and its tangent as the caller gets it: zero where it does not depend on the primals."""
    value, tangent = apart(out, recording)
    return value, own_tangent(value, tangent)


def own_tangent(value: Any, tangent: Any) -> Any:
    """A tangent as the caller gets it: like the value."""
    slot = spec_of(value)
    if tangent is None and not (slot.kind == "array" and is_unknown(value)):
        return zeros(slot, value)
    return own(None if tangent is None else settled(tangent, slot), slot, value)


def peeled(tree: Any, recording: Recording) -> Any:
    """What is only passed on, with the recording's traced values replaced by what they stand for."""
    leaves, structure = flatten(tree)
    return structure.unflatten(apart(aux_leaf(leaf), recording)[0] for leaf in leaves)
