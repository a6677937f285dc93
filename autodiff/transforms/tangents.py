"""The tangent of an operation's result, by the family of the operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from autodiff.ops.elementwise import not_equal
from autodiff.ops.masked import SELECTION, Later, Masked
from autodiff.ops.relative import Product, absolute
from autodiff.ops.shape import broadcast_to, project
from autodiff.trace.errors import RuleError
from autodiff.trace.live import Differentiation
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape_call import TapeCall
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.arrays import module_of, placed_number
from autodiff.trace.values.arrays import zeros as zeros_beside
from autodiff.transforms.masking import PARTIAL, Nonzero, in_slot, is_seed, ones_where, plus, restrict, unmasked
from autodiff.transforms.reverse import read_backwards


def settled(tangent: Any, slot: Spec, like: Any = None) -> Any:
    """A tangent of the shape and dtype of its slot; one of a number comes to lie where ``like`` does."""
    if type(tangent) in PARTIAL:
        if type(tangent) is Product and tangent.fits(slot):
            return tangent
        tangent = absolute(tangent)
        if type(tangent) is Masked:
            return in_slot(tangent, slot, like)
    its = spec_of(tangent)
    if its.shape == slot.shape and its.dtype == slot.dtype:
        return tangent
    return project(placed_number(tangent, like), slot)


def out_tangent(
    primitive: Primitive, values: Sequence[Any], tangents: Sequence[Any], out: Any, params: Mapping[str, Any]
) -> Any:
    """The tangent of an operation's result from arrays; None for operands that have no tangent."""
    if primitive.relative is not None:
        found = relative_tangent(primitive, values, tangents, out, params)
        if found is not None:
            return found
    if primitive.forward is not None:
        return primitive.forward(tangents, values, out, params)
    if primitive.family == "elementwise":
        total = None
        for position, tangent in enumerate(tangents):
            if tangent is not None:
                link = primitive.link((position,))
                term = tangent if link.pull is None else link.pull(tangent, link.collect(values, out, params))
                total = term if total is None else plus(total, term)
        return absolute(total)
    if primitive.family == "linear":
        return primitive(*_jointly(primitive, values, tangents), **params)
    if primitive.family == "multilinear":
        total = None
        for position, tangent in enumerate(tangents):
            if tangent is not None:
                term = primitive(*values[:position], tangent, *values[position + 1 :], **params)
                total = term if total is None else total + term
        return total
    return transposed_twice(primitive, values, tangents, out, params)


def relative_tangent(
    primitive: Primitive, values: Sequence[Any], tangents: Sequence[Any], out: Any, params: Mapping[str, Any]
) -> Any:
    """The tangent of a result, where it is relative to a value, or that of the one operand is; None where not."""
    positions = [position for position, tangent in enumerate(tangents) if tangent is not None]
    if len(positions) > 1 or not primitive.relative.applies(positions[0]):
        return None
    tangent = tangents[positions[0]]
    return primitive.relative.forth(unmasked(tangent) if primitive.relative.mixes else tangent, values, out, params)


def masked_out_tangent(
    primitive: Primitive,
    values: Sequence[Any],
    tangents: Sequence[Any],
    out: Any,
    params: Mapping[str, Any],
) -> Any:
    """The same where some tangents are no arrays: masks stay where elements keep apart, are moved, or are added up."""
    if primitive.relative is not None:
        found = relative_tangent(primitive, values, tangents, out, params)
        if found is not None:
            return found
    tangents = list(map(absolute, tangents))
    if primitive.family == "elementwise":
        total = None
        for position, tangent in enumerate(tangents):
            if tangent is not None:
                term = _masked_term(primitive, position, tangent, values, out, params)
                total = term if total is None else plus(total, term)
        return total
    if primitive.moves or (primitive.adds and not all(map(selects, tangents))):
        return _carried(primitive, values, tangents, params)
    if isinstance(primitive, TapeCall):  # it runs a tape, which takes them as they are
        return primitive.forward(tangents, values, out, params)  # type: ignore[misc]
    return out_tangent(primitive, values, list(map(unmasked, tangents)), out, params)


def selects(tangent: Any) -> bool:
    """Whether a tangent is not masked, or by an operation that selects."""
    return type(tangent) is not Masked or tangent.origin == SELECTION


def _masked_term(
    primitive: Primitive, position: int, tangent: Any, values: Sequence[Any], out: Any, params: Mapping[str, Any]
) -> Any:
    link = primitive.link((position,))
    if link.pull is None:
        return tangent
    residuals = link.collect(values, out, params)
    if type(tangent) is not Masked:
        return absolute(link.pull(tangent, residuals))
    return absolute(restrict(link.pull(tangent.value, residuals), tangent, residuals))


def _carried(primitive: Primitive, values: Sequence[Any], tangents: Sequence[Any], params: Mapping[str, Any]) -> Any:
    """A linear operation that moves or adds elements does the same to the mask, once somebody asks for it."""
    smooth = [primitive.rule(position) is not None for position in range(len(values))]
    own = [tangent if moving else None for tangent, moving in zip(tangents, smooth, strict=True)]
    out = primitive(*_jointly(primitive, values, list(map(unmasked, own))), **params)
    moving = [t for t in own if t is not None]
    if primitive.moves and all(type(t) is Masked and is_seed(t) for t in moving):
        return Masked(out, Nonzero(out), True, max(t.origin for t in moving))
    origin = max((t.origin for t in own if type(t) is Masked), default=SELECTION)
    fixed = [spec_of(value) if moving else value for value, moving in zip(values, smooth, strict=True)]
    module = module_of(*values)

    def carried(*masks: Any) -> Any:
        operands = [
            _indicator(mask, kept, module, primitive.moves) if moving else kept
            for mask, kept, moving in zip(masks, fixed, smooth, strict=True)
        ]
        found = primitive(*operands, **params)
        if primitive.moves:
            return found
        return tuple(not_equal(part, 0) for part in found) if type(found) is tuple else not_equal(found, 0)

    sources = (t.source if type(t) is Masked else t is not None for t in own)
    places = Later(carried, *sources, reduces=not primitive.moves)
    if type(out) is not tuple:
        return Masked(out, places, True, origin)
    return tuple(Masked(part, Later(itemgetter(k), places), True, origin) for k, part in enumerate(out))


def _indicator(mask: Any, s: Spec, module: Any, moves: bool) -> Any:
    """Where an operand's tangent is there: true and false for what moves elements, one and zero for what adds them."""
    if isinstance(mask, bool):
        mask = module.ones(s.shape, bool) if mask else module.zeros(s.shape, bool)
    if not moves:
        return ones_where(mask, s.shape, s.dtype)
    return mask if spec_of(mask).shape == s.shape else broadcast_to(mask, shape=s.shape)


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
