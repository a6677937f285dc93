"""Forward mode: ``jvp``. The tangent is computed as the operation runs; there is no tape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from autodiff.ops.shape import project
from autodiff.trace.arrays import check_places, is_array, on_gpu, placed
from autodiff.trace.arrays import zeros as zeros_beside
from autodiff.trace.errors import DifferentiationError, RuleError, explained, run_user_code
from autodiff.trace.live import EXPLAINED, Differentiation
from autodiff.trace.primitive import Primitive
from autodiff.trace.recording import Recording
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.tree import flatten
from autodiff.transforms.arguments import differentiable_leaves
from autodiff.transforms.gradient import own, split_aux, zeros
from autodiff.transforms.reverse import read_backwards, unmasked


class Forward(Recording):
    """Computes tangents beside values: the slot of a traced value is its tangent."""

    __slots__ = ()
    purpose: ClassVar[str] = "the derivative (jvp, jacfwd, ...)"

    def record(
        self,
        primitive: Primitive,
        operands: Sequence[Any],
        params: Mapping[str, Any],
        apply: Callable[..., Any] | None = None,
    ) -> Any:
        self.check_open(primitive.name)
        values, tangents = list(operands), [None] * len(operands)
        for position, operand in enumerate(operands):
            if isinstance(operand, Tracer) and operand.recording is self:
                values[position] = operand.value
                if primitive.rule(position) is not None:
                    tangents[position] = operand.slot
        if len(values) > 1:
            check_places(primitive.name, values)
        try:
            out = (apply or primitive)(*values, **params)
        except EXPLAINED as error:
            raise explained(error, primitive.name, values) from None
        if all(tangent is None for tangent in tangents):
            return out
        with np.errstate(all="ignore"):
            tangent = out_tangent(primitive, values, tangents, out, params)
        if type(out) is tuple:
            return tuple(self.paired(*pair) for pair in zip(out, tangent, strict=True))
        return self.paired(out, tangent)

    def lift(self, value: Any) -> Tracer:
        return Tracer(value, self, None)

    def paired(self, out: Any, tangent: Any) -> Any:
        slot = spec_of(out)
        return Tracer(out, self, settled(tangent, slot)) if slot.inexact and tangent is not None else out


def settled(tangent: Any, slot: Any) -> Any:
    """A tangent as an array of the shape and dtype of its slot."""
    tangent = unmasked(tangent)
    its = spec_of(tangent)
    return tangent if its.shape == slot.shape and its.dtype == slot.dtype else project(tangent, slot)


def out_tangent(
    primitive: Primitive, values: Sequence[Any], tangents: Sequence[Any], out: Any, params: Mapping[str, Any]
) -> Any:
    """The tangent of an operation's result, by the family of the operation."""
    if primitive.family == "elementwise":
        return _summed(
            _apply_rule(primitive, position, tangent, values, out, params)
            for position, tangent in enumerate(tangents)
            if tangent is not None
        )
    if primitive.family == "linear":
        return primitive(*_jointly(primitive, values, tangents), **params)
    if primitive.family == "multilinear":
        return _summed(
            primitive(*values[:position], tangent, *values[position + 1 :], **params)
            for position, tangent in enumerate(tangents)
            if tangent is not None
        )
    if primitive.forward is not None:
        return primitive.forward(tangents, values, out, params)
    return transposed_twice(primitive, values, tangents, out, params)


def _apply_rule(
    primitive: Primitive, position: int, tangent: Any, values: Sequence[Any], out: Any, params: Mapping[str, Any]
) -> Any:
    link = primitive.link((position,))
    if link.pull is None:
        return tangent
    return unmasked(link.pull(tangent, link.collect(values, out, params)))


def _summed(terms: Any) -> Any:
    total = None
    for term in terms:
        if term is not None:
            total = term if total is None else total + term
    return total


def _jointly(primitive: Primitive, values: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
    """The operands of a linear operation on tangents: zero for operands that have none."""
    return [
        value if primitive.rule(position) is None else zeros_beside(spec_of(value), value)[()]
        if tangent is None else tangent
        for position, (value, tangent) in enumerate(zip(values, tangents, strict=True))
    ]  # fmt: skip


def transposed_twice(
    primitive: Primitive, values: Sequence[Any], tangents: Sequence[Any], out: Any, params: Mapping[str, Any]
) -> Any:
    """Forward mode from reverse rules alone: they are linear in the cotangent, and the transpose of that map is J."""
    positions = tuple(position for position, tangent in enumerate(tangents) if tangent is not None)
    link = primitive.link(positions)
    if link.pull is None:
        return tangents[positions[0]]
    outs = out if type(out) is tuple else (out,)
    recording = Differentiation()
    try:
        specs = [spec_of(part) for part in outs]
        dummies = [
            recording.input(zeros_beside(s, part)) if s.inexact else zeros_beside(s, part)
            for s, part in zip(specs, outs, strict=True)
        ]
        pulled = link.pull(tuple(dummies) if type(out) is tuple else dummies[0], link.collect(values, out, params))
        cts = (pulled,) if link.arity == 1 else pulled
        seeds = []
        for position, ct in zip(positions, cts, strict=True):
            ct = None if ct is None else unmasked(ct)
            if isinstance(ct, Tracer) and ct.recording is recording:
                slot = ct.slot
                seeds.append((slot, settled(tangents[position], slot.spec)))
        found = read_backwards(seeds)
    except RuleError as error:
        raise RuleError(f"{primitive.name} has no forward mode: {error}") from error
    finally:
        recording.close()
    results = tuple(
        found.get(dummy.slot) if isinstance(dummy, Tracer) and dummy.recording is recording else None
        for dummy in dummies
    )
    results = tuple(
        zeros_beside(s, part) if t is None and s.inexact else t for t, s, part in zip(results, specs, outs, strict=True)
    )
    return results if type(out) is tuple else results[0]


def jvp(fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False) -> Any:
    """Jacobian-vector product: the function's value, and its derivative along given tangents, in one run.

    Args:
        fun: a function of the primals that returns a tree of arrays.
        primals: a tuple or list of the arguments: numbers, arrays, or trees of them.
        tangents: as many, of the same structure, shapes and dtypes.
        has_aux: whether ``fun`` returns ``(value, aux)``; aux is passed on.

    Returns:
        ``(value, tangent)``, or ``(value, tangent, aux)``; the tangent ``J @ v`` is like the value.

    Raises:
        DifferentiationError: if a primal is not made of floating-point numbers.
        ValueError: if a tangent does not have the structure or shape of its primal.

    >>> import numpy as np
    >>> jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError(
            f"jvp takes the primals and the tangents each as a tuple, got {type(primals).__name__} and "
            f"{type(tangents).__name__}; write jvp(f, (x,), (v,))"
        )
    leaves, structure = differentiable_leaves("jvp", tuple(primals))
    directions = matching_tangents(leaves, structure, tuple(tangents))
    recording = Forward()
    try:
        traced = [Tracer(leaf, recording, direction) for leaf, direction in zip(leaves, directions, strict=True)]
        result = run_user_code(fun, structure.unflatten(traced))
        result, aux = split_aux("jvp", result) if has_aux else (result, None)
        outs, out_structure = flatten(result)
        pairs = [unpaired(out, recording) for out in outs]
        value = out_structure.unflatten(value for value, _ in pairs)
        tangent = out_structure.unflatten(tangent for _, tangent in pairs)
        if not has_aux:
            return value, tangent
        aux_leaves, aux_structure = flatten(aux)
        return value, tangent, aux_structure.unflatten(unpaired(leaf, recording)[0] for leaf in aux_leaves)
    finally:
        recording.close()


def tangents_of(fun: Callable[..., Sequence[Any]], primals: Sequence[Any], directions: Sequence[Any]) -> list[Any]:
    """The tangents of a function's results along those of its arguments; None where a result depends on none."""
    recording = Forward()
    try:
        outs = fun(
            *(Tracer(primal, recording, direction) for primal, direction in zip(primals, directions, strict=True))
        )
        return [
            own(out.slot, spec_of(out.value), out.value)
            if isinstance(out, Tracer) and out.recording is recording
            else None
            for out in outs
        ]
    finally:
        recording.close()


def matching_tangents(leaves: list[Any], structure: Any, tangents: Any) -> list[Any]:
    """The leaves of the tangents, checked against the primals that they belong to."""
    directions, its = flatten(tangents)
    if its != structure:
        raise ValueError(f"the tangents are {its} but the primals are {structure}{at_user_line()}; they must be alike")
    checked = []
    for leaf, direction in zip(leaves, directions, strict=True):
        slot = spec_of(leaf)
        if not isinstance(direction, (np.ndarray, np.generic, Tracer)) and not hasattr(direction, "spec"):
            direction = direction if on_gpu(direction) else np.asarray(direction)[()]
        if on_gpu(leaf) and not slot.shape and not is_array(direction) and not isinstance(direction, Tracer):
            direction = placed(np.asarray(direction), leaf)
        check_places("a primal and its tangent", (leaf, direction))
        given = spec_of(direction)
        if given.shape != slot.shape:
            raise ValueError(
                f"a tangent has shape {given.shape} but its primal has shape {slot.shape}{at_user_line()}; they must "
                "be equal"
            )
        if given.dtype.kind == "c" and slot.dtype.kind != "c":
            raise DifferentiationError(f"a tangent is complex but its primal is {slot!r}{at_user_line()}")
        checked.append(settled(direction, slot))
    return checked


def unpaired(out: Any, recording: Recording) -> tuple[Any, Any]:
    """A result's value and tangent; the tangent is zero where it does not depend on the primals."""
    if isinstance(out, Traced):
        out = out.seen_from(recording.level)
    if isinstance(out, Tracer) and out.recording is recording:
        value = out.value
        return value, own(out.slot, spec_of(value), value)
    try:
        return out, zeros(spec_of(out), out)
    except AttributeError:
        return out, None
