"""Results stay in memory of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from autodiff.ops.creation import copy, in_c_order
from autodiff.trace.spec import spec
from autodiff.trace.tape import Equation, Operand, Tape


class Origin(NamedTuple):
    """Where the elements of a value are in memory.

    Attributes:
        owner: what owns them: an input, a constant, or the operation that made them.
        repeated: whether several elements may be one in memory.
    """

    owner: tuple[str, int]
    repeated: bool


def keep_apart(before: Tape, after: Tape) -> Tape:
    """The simplified tape, with copies where two results, or a result and an input, came to share memory.

    Whoever writes to a result must change what the function itself would have changed, and nothing else.
    """
    specs = after.specs
    if not any(isinstance(out, int) and specs[out].kind == "array" for out in after.outputs):
        return after
    old, new = origins(before, copied=True), origins(after, copied=False)
    seen: dict[tuple[str, int], tuple[str, int]] = {}  # who owned, in the old tape, what an operation owns now
    equations, outputs = list(after.equations), list(after.outputs)
    copies: dict[Any, int] = {}
    for k, out in enumerate(after.outputs):
        if not isinstance(out, int) or specs[out].kind != "array":
            continue
        was = old_origin(before.outputs[k], old)
        now = new[out]
        first = seen.get(now.owner, was.owner) if now.owner[0] == "operation" else now.owner
        if first == was.owner and now.repeated <= was.repeated:
            seen[now.owner] = was.owner
            continue
        key = was.owner, before.outputs[k]
        if key not in copies:
            slot = len(specs) + len(equations) - len(after.equations)
            made = spec(specs[out].shape, specs[out].dtype)
            equations.append(Equation(copy, (out,), (), (slot,), (made,), source_of(after, out)))
            copies[key] = slot
        outputs[k] = copies[key]
    return replace(after, equations=tuple(equations), outputs=tuple(outputs)) if copies else after


def contiguous_results(before: Tape, after: Tape) -> Tape:
    """The scheduled tape, with results in C order that are views of arguments and were reshaped on the way.

    ``np.ravel`` copies what has gaps. What ``np.reshape`` shows without a copy is copied, too: whether it does depends
    on how arguments lie in memory.
    """
    equations, outputs = list(after.equations), list(after.outputs)
    makers_before, makers_after = makers(before), makers(after)
    for k, (old, out) in enumerate(zip(before.outputs, after.outputs, strict=True)):
        if not isinstance(out, int) or "reshape" not in views_to(makers_before, old)[1]:
            continue
        if views_to(makers_after, out)[0] in range(len(after.inputs)):
            place = len(after.specs) + len(equations) - len(after.equations)
            own = (after.specs[out],)
            equations.append(Equation(in_c_order, (out,), (), (place,), own, source_of(after, out)))
            outputs[k] = place
    return replace(after, equations=tuple(equations), outputs=tuple(outputs))


def makers(tape: Tape) -> dict[int, Equation]:
    """The operation that makes each value; arguments have none."""
    return {slot: equation for equation in tape.equations for slot in equation.results}


def views_to(made_by: dict[int, Equation], out: Operand | None) -> tuple[Operand | None, set[str]]:
    """What a value is a view of, and the names of the operations in between."""
    names = set()
    while isinstance(out, int) and out in made_by and made_by[out].primitive.view:
        names.add(made_by[out].primitive.name)
        out = made_by[out].operands[0] if made_by[out].operands else None
    return out, names


def old_origin(out: Operand, found: list[Origin]) -> Origin:
    """The origin of an output, which may be a number."""
    return found[out] if isinstance(out, int) else Origin(("number", 0), False)


def origins(tape: Tape, copied: bool) -> list[Origin]:
    """The origin of each slot. Reshaping may make new memory; ``copied`` says whether it is taken to."""
    given = len(tape.inputs) - len(tape.constants)
    found = [Origin(("input", slot), False) for slot in range(given)]
    found += [Origin(("constant", id(array)), False) for array in tape.constants]
    for equation in tape.equations:
        primitive = equation.primitive
        first = equation.operands[0] if primitive.view and equation.operands else None
        under = found[first] if isinstance(first, int) else None
        repeated = primitive.name == "broadcast_to"
        if under is None:
            found.extend(Origin(("operation", slot), repeated) for slot in equation.results)
        else:
            kept = under.repeated and not (copied and primitive.name == "reshape")
            found.extend([Origin(under.owner, repeated or kept)] * len(equation.results))
    return found


def source_of(tape: Tape, slot: int) -> str:
    """The user's line at which a slot is filled."""
    return next((e.source for e in tape.equations if slot in e.results), "")
