"""What a loop back needs of the loop before it is kept by that one, where computing it again takes longer.

Reverse mode of a scan is a scan that goes the other way. It has the carries of all steps, and each of its steps does
the forward operations again before it goes back through them. Where those are functions, products or decompositions,
the first scan returns their results as one more stack, and the second one takes them as slices. Arithmetic is done
again: it takes less time than reading its result. ``checkpoint`` stays closed, so what is inside of it is done again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from autodiff.backends.passes.fusion.cost import CHEAP, equation_work, operand
from autodiff.backends.passes.fusion.loop_invariants import (
    Loop,
    body_of,
    loop_of,
    made_by,
    narrow_product,
    stacked_spec,
)
from autodiff.backends.passes.rewrite.rewriting import Builder, holds_tapes, in_bodies, what
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Operand, Tape, ordered

NEAR, FAR = 0.02, 0.1
"""Nanoseconds of a byte that is written or read, in a stack that stays in a cache and in one that does not."""

CACHED = 1 << 18
"""Bytes of a stack that stays in a cache."""

DECOMPOSITIONS = {
    "eigh", "eigvalsh", "svd", "svdvals", "qr", "eig", "eigvals",
    "fft", "fft_of_parts", "rfft_of_parts", "irfft_of_parts",
}  # fmt: skip
"""Operations that cost more than their sizes tell."""

MOST_TIMES, MOST = 8, 1 << 28
"""So many times the bytes of the carries are added to them, and so many bytes, but not more."""


class Pair(NamedTuple):
    """A loop and one after it that does some of the same.

    Attributes:
        first, second: the places of their operations on the tape.
        kept: for slots of the second body what holds the same in the first one.
    """

    first: int
    second: int
    kept: dict[int, int]


def keep_residuals(tape: Tape) -> Tape:
    """The tape whose loops keep what loops after them would compute again, those inside of its bodies included."""
    tape = in_bodies(tape, keep_residuals)
    done: set[tuple[int, int]] = set()
    kept = tape
    while (pair := next_pair(kept, done)) is not None:
        kept = with_kept(kept, pair)
    return without_unread(kept)


def is_loop(equation: Equation) -> bool:
    """Whether an operation is a scan that can be taken apart."""
    return equation.primitive.name == "scan" and loop_of(equation) is not None


def next_pair(tape: Tape, done: set[tuple[int, int]]) -> Pair | None:
    """The next two loops of which the first one has something to keep for the second one, of those not yet ``done``."""
    loops = [k for k, each in enumerate(tape.equations) if is_loop(each)]
    for place, second in enumerate(loops):
        for first in loops[:place]:
            if (first, second) in done:
                continue
            done.add((first, second))
            kept = worth_keeping(tape, tape.equations[first], tape.equations[second])
            if kept:
                return Pair(first, second, kept)
    return None


def counterparts(first: Equation, second: Equation) -> dict[int, Operand]:
    """For values of the body of a loop, inputs included, what is the same in each step of an earlier one."""
    one, other = loop_of(first), loop_of(second)
    if one is None or other is None or one.length != other.length:
        return {}
    stacks = dict(zip(first.results[one.carry :], one.tape.outputs[one.carry :], strict=True))
    rows = {o: k for k, o in enumerate(first.operands) if one.is_slice(k)}
    fixed = {o: k for k, o in enumerate(first.operands) if one.is_fixed(k)}
    same: dict[int, Operand] = {}
    for place, given in enumerate(second.operands):
        found: Operand | None = None
        if other.is_slice(place) and isinstance(given, int):
            found = stacks.get(given, rows.get(given))
        elif other.is_fixed(place):
            found = fixed.get(given)
        if found is not None:
            same[place] = found
    if not same:
        return {}
    table = {what(each): each.results for each in one.tape.equations if can_be_kept(each)}
    logistics = {e.operands[0]: e.results[0] for e in one.tape.equations if e.primitive.name == "logistic"}
    for each in other.tape.equations:
        if can_be_kept(each) and all(o in same for o in each.operands if isinstance(o, int)):
            operands = tuple(same[o] if isinstance(o, int) else o for o in each.operands)
            same.update(zip(each.results, table.get(what(replace(each, operands=operands)), ())))
        x = logistic_of(each, other)
        if x is not None and same.get(x) in logistics:  # spelled out, because the derivative needs the exponential too
            same[each.results[0]] = logistics[same[x]]
    return same


def logistic_of(equation: Equation, loop: Loop) -> int | None:
    """The x of an operation that gives 1 / (1 + exp(-x)) in the body of a loop."""
    if equation.primitive.name != "divide" or not is_number(equation.operands[0], 1):
        return None
    total = made_by(loop, equation.operands[1], "add")
    grown = None if total is None else next((o for o in total.operands if not is_number(o, 1)), None)
    power = made_by(loop, grown, "exp")
    minus = None if power is None or total is None else made_by(loop, power.operands[0], "negative")
    if total is None or minus is None or not any(is_number(o, 1) for o in total.operands):
        return None
    x = minus.operands[0]
    return x if isinstance(x, int) and loop.tape.specs[x] == equation.specs[0] else None


def is_number(operand: Operand, number: int) -> bool:
    """Whether an operand is a number that stands in the tape, this one."""
    return not isinstance(operand, int) and bool(operand.value == number)


def can_be_kept(equation: Equation) -> bool:
    """Whether an operation gives the same when it is done again, and may be done once only."""
    return not ordered(equation) and (
        equation.primitive.name in ("scan", "switch", "while_loop")
        or not any(holds_tapes(value) for _, value in equation.params)
    )


def worth_keeping(tape: Tape, first: Equation, second: Equation) -> dict[int, int]:
    """Slots of the second body that the first one should keep, with their counterparts there."""
    same = counterparts(first, second)
    one, other = loop_of(first), loop_of(second)
    if one is None or other is None or len(same) <= sum(slot < len(other.tape.inputs) for slot in same):
        return {}
    body, specs = other.tape, other.tape.specs
    moves = set(range(other.carry + other.slices))
    for each in body.equations:
        moves.update(each.results if any(o in moves for o in each.operands) else ())
    again = [each for each in body.equations if each.results[0] in same]
    cost: dict[int, float] = {}
    candidates: set[int] = set()
    for each in again:
        operands = [operand(o, specs) for o in each.operands]
        if narrow_product(other, each) and one.is_slice(same[each.operands[0]]):  # type: ignore[index]
            cost[each.results[0]] = 0.0  # it moves out of both loops
            continue
        spent = equation_work(each, operands) + sum(cost.get(o, 0.0) for o in each.operands if isinstance(o, int))
        worth = spent >= sum(keeping(specs[slot], other.length) for slot in each.results)
        dear = each.results[0] in moves and (
            each.primitive.name in DECOMPOSITIONS or (worth and is_dear(each, operands))
        )
        candidates.update(each.results if dear else ())
        cost.update(dict.fromkeys(each.results, 0.0 if dear else spent))
    needed = needed_first(body, same, candidates)
    bytes_of = {slot: other.length * nbytes(specs[slot]) for slot in needed}
    carried = one.length * sum(map(nbytes, one.tape.inputs[: one.carry]))
    if sum(bytes_of.values()) > min(MOST, MOST_TIMES * carried):
        return {}
    return {slot: found for slot in needed if isinstance(found := same[slot], int)}


def is_dear(equation: Equation, operands: Sequence[Any]) -> bool:
    """Whether an operation is no arithmetic, or has a result much smaller than what it reads."""
    read = max((spec_of(o).size for o in operands), default=1)
    made = sum(s.size for s in equation.specs)
    return 2 * made <= read or equation_work(equation, list(operands)) > CHEAP * max(made, read)


def keeping(one: Spec, length: int) -> float:
    """Nanoseconds that it takes to write a value in each step of a loop, and to read it in another one, by steps."""
    return 2 * (NEAR if length * nbytes(one) <= CACHED else FAR) * nbytes(one)


def nbytes(one: Spec) -> int:
    """The bytes of a value."""
    return one.size * one.dtype.itemsize


def needed_first(body: Tape, same: dict[int, Operand], candidates: set[int]) -> list[int]:
    """Of the values that could be kept, those from which all others follow that the rest of the body reads."""
    made = {slot: each for each in body.equations for slot in each.results}
    waiting = [o for each in body.equations if each.results[0] not in same for o in each.operands if isinstance(o, int)]
    waiting += [o for o in body.outputs if isinstance(o, int)]
    seen: set[int] = set()
    while waiting:
        slot = waiting.pop()
        if slot in seen or slot not in same or slot not in made:
            continue
        seen.add(slot)
        if slot not in candidates:
            waiting.extend(o for o in made[slot].operands if isinstance(o, int))
    return sorted(seen & candidates)


def with_kept(tape: Tape, pair: Pair) -> Tape:
    """The tape whose first loop keeps values, and whose second one takes them."""
    builder = Builder(tape.inputs, {})
    now: list[Operand] = list(range(len(tape.inputs)))
    stacks: dict[int, Operand] = {}
    for place, equation in enumerate(tape.equations):
        builder.source = equation.source
        operands = tuple(now[o] if isinstance(o, int) else o for o in equation.operands)
        each = replace(equation, operands=operands)
        if place == pair.first:
            each = returning(each, list(dict.fromkeys(pair.kept.values())))
        elif place == pair.second:
            each = taking(each, {slot: stacks[found] for slot, found in pair.kept.items()})
        results = builder.place(each)
        if place == pair.first:
            outputs = dict(each.params)["tape"].outputs
            stacks = {found: results[outputs.index(found, dict(each.params)["carry"])] for found in pair.kept.values()}
        now.extend(results[: len(equation.results)])
    outputs = tuple(now[o] if isinstance(o, int) else o for o in tape.outputs)
    return replace(tape, equations=tuple(builder.equations), outputs=outputs)


def returning(equation: Equation, slots: Sequence[int]) -> Equation:
    """The loop that also returns stacks of values of its body; those that it returns already are not stacked again."""
    params = dict(equation.params)
    body: Tape = params["tape"]
    more = tuple(slot for slot in slots if slot not in body.outputs[params["carry"] :])
    specs = (*equation.specs, *(stacked_spec(body.specs[slot], params["length"]) for slot in more))
    params["tape"] = replace(body, outputs=(*body.outputs, *more), results=None)
    return replace(equation, params=tuple(sorted(params.items())), specs=specs)


def taking(equation: Equation, stacks: dict[int, Operand]) -> Equation:
    """The loop that takes values of its body as slices, and no operand any more that only served to compute them."""
    params = dict(equation.params)
    body, carry, slices = params["tape"], params["carry"], params["slices"]
    last = carry + slices
    inputs = [*range(last), *stacks, *range(last, len(body.inputs))]
    operands = [*equation.operands[:last], *stacks.values(), *equation.operands[last:]]
    wide = body_of(body, inputs, body.outputs)
    read = {o for each in wide.equations for o in each.operands} | set(wide.outputs)
    left = [k for k in range(len(inputs)) if k < carry or k in read]
    params["tape"] = body_of(wide, left, wide.outputs)
    params["slices"] = sum(carry <= k < last + len(stacks) for k in left)
    return replace(equation, operands=tuple(operands[k] for k in left), params=tuple(sorted(params.items())))


def without_unread(tape: Tape) -> Tape:
    """The tape whose loops take nothing that their bodies do not read, and stack nothing that nobody reads."""
    read = {out for out in tape.outputs if isinstance(out, int)}
    trimmed: list[tuple[Equation, list[int]]] = []
    for equation in reversed(tape.equations):  # what a loop does not take, no loop before has to stack
        each, left = (
            without_unread_parts(equation, read) if is_loop(equation) else (equation, range(len(equation.specs)))
        )
        read.update(o for o in each.operands if isinstance(o, int))
        trimmed.append((each, list(left)))
    trimmed.reverse()
    if all(each is equation for (each, _), equation in zip(trimmed, tape.equations, strict=True)):
        return tape
    builder = Builder(tape.inputs, {})
    now: list[Operand] = list(range(len(tape.inputs)))
    for (each, left), equation in zip(trimmed, tape.equations, strict=True):
        builder.source = each.source
        again = replace(each, operands=tuple(now[o] if isinstance(o, int) else o for o in each.operands))
        results = dict(zip(left, builder.place(again), strict=True))
        now.extend(results.get(k, -1) for k in range(len(equation.results)))
    outputs = tuple(now[o] if isinstance(o, int) else o for o in tape.outputs)
    return replace(tape, equations=tuple(builder.equations), outputs=outputs)


def without_unread_parts(equation: Equation, read: Collection[int]) -> tuple[Equation, Sequence[int]]:
    """A loop without what its body does not read and without stacks that nobody reads; which results are left."""
    params = dict(equation.params)
    body, carry, slices = params["tape"], params["carry"], params["slices"]
    left = [k for k, slot in enumerate(equation.results) if k < carry or slot in read]
    if len(left) < len(equation.results):
        body = body_of(body, range(len(body.inputs)), [body.outputs[k] for k in left])
    used = {o for each in body.equations for o in each.operands} | set(body.outputs)
    taken = [k for k in range(len(body.inputs)) if k < carry or k in used]
    if len(left) == len(equation.results) and len(taken) == len(body.inputs):
        return equation, left
    params["tape"] = body_of(body, taken, body.outputs)
    params["slices"] = sum(carry <= k < carry + slices for k in taken)
    operands = tuple(equation.operands[k] for k in taken)
    specs = tuple(equation.specs[k] for k in left)
    results = tuple(equation.results[k] for k in left)
    trimmed = replace(equation, operands=operands, params=tuple(sorted(params.items())), specs=specs, results=results)
    return trimmed, left
