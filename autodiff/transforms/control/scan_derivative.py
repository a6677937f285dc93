"""Derivatives of a scan: forward mode is a scan over pairs, reverse mode one that goes the other way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.control.calls import Params, Values, push_tape
from autodiff.transforms.control.dependence import active, moving
from autodiff.transforms.control.loop import scan_with
from autodiff.transforms.control.values import all_conformed
from autodiff.transforms.gradient import vjp, zeros
from autodiff.transforms.recompute import of_positions, smooth_outputs


class Parts(NamedTuple):
    """The operands of a scan, or something that belongs to them."""

    init: list[Any]
    xs: list[Any]
    outside: list[Any]


def parts_of(operands: Sequence[Any], params: Params) -> Parts:
    """Operands taken apart: first the carry, then what comes in by slices, then what the body closes over."""
    first = params["carry"]
    last = first + params["slices"]
    return Parts(list(operands[:first]), list(operands[first:last]), list(operands[last:]))


def push_scan(primitive: Primitive, values: Values, tangents: Values, params: Params) -> tuple[Values, Values]:
    """Forward mode: carries and slices go in pairs with their tangents."""
    tape, count = params["tape"], params["carry"]
    init, xs, outside = parts_of(values, params)
    carried = moving(tape, count, tangents)
    stacked = [k for k in smooth_outputs(tape) if k >= count]
    brought = [k for k in range(count, len(values)) if tangents[k] is not None]
    first = [zeros(spec_of(init[k]), init[k]) if tangents[k] is None else tangents[k] for k in carried]
    sliced = [k for k in brought if k < count + len(xs)]
    fixed = [tangents[k] for k in brought if k >= count + len(xs)]

    def step(carry: Any, row: Any) -> Any:
        full = all_conformed([*carry[0], *row[0], *outside], tape.inputs)
        outs, found = push_tape(tape, full, [*carried, *brought], [*carry[1], *row[1], *fixed])
        return (list(outs[:count]), [found[k] for k in carried]), (list(outs[count:]), [found[k] for k in stacked])

    rows = flatten((xs, [tangents[k] for k in sliced]))
    (last, moved), (ys, changes) = scan_with(
        primitive, primitive.name, step, (init, first), rows, params["length"], params["reverse"], params["unroll"]
    )
    found = dict(zip([*carried, *stacked], [*moved, *changes], strict=True))
    return [*last, *ys], [found.get(k) for k in range(len(tape.outputs))]


def pull_scan(
    primitive: Primitive, g: Values, values: Values, saved: Values, params: Params, positions: Sequence[int]
) -> Values:
    """Reverse mode: a scan the other way, whose carry is the cotangent of the carry.

    Each step runs the body again at the carry that was saved, and pulls back through it. The cotangents of what the
    body closes over are summed up on the way.
    """
    tape, count = params["tape"], params["carry"]
    _, xs, outside = parts_of([None] * count + list(values), params)
    sliced = [p for p in positions if count <= p < count + len(xs)]
    fixed = [p for p in positions if p >= count + len(xs)]
    used = [k for k in range(count, len(tape.outputs)) if g[k] is not None and tape.output_specs[k].inexact]
    smooth = active(tape, count, [*(k for k in range(count) if g[k] is not None), *used])
    last = [zeros(tape.inputs[k], saved[k]) if g[k] is None else g[k] for k in smooth]
    closed = [outside[p - count - len(xs)] for p in fixed]
    sums = [zeros(spec_of(value), value) for value in closed]

    def back(carry: Any, row: Any) -> Any:
        before, own, cotangents = row
        full = all_conformed([*before, *own, *outside], tape.inputs)
        selected = [*smooth, *sliced, *fixed]
        run = of_positions(tape, full, selected, [*smooth, *used])
        cts = vjp(run, *(full[p] for p in selected))[1]((*carry[0], *cotangents))
        totals = [total + ct for total, ct in zip(carry[1], cts[len(smooth) + len(sliced) :], strict=True)]
        return (list(cts[: len(smooth)]), totals), list(cts[len(smooth) : len(smooth) + len(sliced)])

    rows = flatten((list(saved), xs, [g[k] for k in used]))
    (first, totals), changes = scan_with(
        primitive, primitive.name, back, (last, sums), rows, params["length"], not params["reverse"], params["unroll"]
    )
    found = dict(zip([*smooth, *sliced, *fixed], [*first, *changes, *totals], strict=True))
    return [found[p] for p in positions]
