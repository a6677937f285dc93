"""Which operands the results of an operation depend on.

What a result does not depend on gets no cotangent from it, as where operations are recorded one by one: a zero in its
place would meet infinite derivatives further back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.ops.creation import nothing
from autodiff.trace.tape import Equation, Tape

Sources = frozenset[int]

NOTHING: Sources = frozenset()

CALLS = ("jit", "checkpoint")
"""Operations whose derivatives are those of their tapes."""


def sources(tape: Tape) -> list[Sources]:
    """For each output of a tape the inputs that it depends on smoothly."""
    slots = [frozenset({k}) if one.inexact else NOTHING for k, one in enumerate(tape.inputs)]
    for equation in tape.equations:
        operands = [slots[o] if isinstance(o, int) else NOTHING for o in equation.operands]
        for found, one in zip(of_results(equation), equation.specs, strict=True):
            slots.append(NOTHING.union(*(operands[k] for k in found)) if one.inexact else NOTHING)
    return [slots[out] if isinstance(out, int) else NOTHING for out in tape.outputs]


def of_results(equation: Equation) -> Sequence[Sources]:
    """For each result of an operation the positions of the operands that it depends on."""
    primitive, params = equation.primitive, dict(equation.params)
    found: Sequence[Sources] | None = None
    if primitive.name in CALLS:
        found = sources(params["tape"])
    elif hasattr(primitive, "dependence"):
        found = primitive.dependence(params)
    if found is None:
        every = [k for k in range(len(equation.operands)) if primitive.rule(k) not in (None, nothing)]
        found = [frozenset(every)] * len(equation.results)
    return found


def of_branches(branches: Sequence[Tape]) -> list[Sources]:
    """The operands of a choice, whose first is the number of the branch."""
    columns = zip(*map(sources, branches), strict=True)
    return [frozenset(k + 1 for k in NOTHING.union(*column)) for column in columns]


def of_loop(body: Tape, carry: int) -> list[Sources]:
    """The operands of a loop: each leaf of the last carry depends on the first, and on what steps bring into it."""
    step = sources(body)
    found: list[Sources] = [frozenset({k}) if body.inputs[k].inexact else NOTHING for k in range(carry)]
    while True:
        after = [own | through(step[k], found) for k, own in enumerate(found)]
        if after == found:
            return [*found, *(through(own, found) for own in step[carry:])]
        found = after


def through(own: Sources, carry: Sequence[Sources]) -> Sources:
    """What a result of a step depends on, by way of the carry that comes in."""
    return NOTHING.union(*(carry[k] if k < len(carry) else {k} for k in own))


def active(body: Tape, carry: int, used: Sequence[int]) -> list[int]:
    """The leaves of a carry that have cotangents in some step, where these results of the loop have some."""
    step = sources(body)
    found: set[int] = {k for k in used if k < carry}
    waiting = list(used)
    while waiting:
        more = {k for k in step[waiting.pop()] if k < carry} - found
        found |= more
        waiting += more
    return sorted(found)


def moving(body: Tape, carry: int, tangents: Sequence[Any]) -> list[int]:
    """The leaves of a carry that have tangents in some step, where these operands of the loop have some."""
    given = {k for k, tangent in enumerate(tangents) if tangent is not None}
    return [k for k, on in enumerate(of_loop(body, carry)[:carry]) if not given.isdisjoint(on)]


def asked(dependence: Sequence[Sources] | None, g: Sequence[Any], positions: Sequence[int]) -> list[int]:
    """Of these operands the ones on which results depend that have cotangents."""
    if dependence is None:
        return list(positions)
    needed = NOTHING.union(*(own for own, part in zip(dependence, g, strict=True) if part is not None))
    return [p for p in positions if p in needed]
