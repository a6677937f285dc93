"""Sums of exponentials of what a row is above its maximum, taken while the maximum is being found.

In NumPy the row is read twice: for the maximum m, and for the sum of exp(x - m). Where a row does not stay on chip a
kernel reads it once: it keeps the largest element so far with the sum as if that were the maximum, and scales the sum
when a larger one comes. (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autodiff.backends.kernels.forms import FULL, PASSING, ROW
from autodiff.backends.kernels.scalars import literal
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation


def sums_of_exponentials(
    made: Mapping[int, Equation], forms: Mapping[int, str], specs: Mapping[int, Spec]
) -> dict[int, int]:
    """The sums along rows of exp(x - max(x)), each with its maximum.

    Args:
        made: the equations by their results.
        forms: how values lie on the grid.
        specs: of values.
    """
    found: dict[int, int] = {}
    for slot, equation in made.items():
        if equation.primitive.name not in ("sum", "sum_as") or forms[slot] != ROW:
            continue
        difference = operand_of(made, equation.operands[0], "exp")
        if difference is None or difference.primitive.name != "subtract":
            continue
        row, most = difference.operands
        while isinstance(most, int) and most in made and made[most].primitive.name in PASSING:
            (most,) = made[most].operands
        if not (isinstance(most, int) and isinstance(row, int) and forms[row] == FULL and most in made):
            continue
        largest = made[most]
        alone = forms[most] == ROW and most not in found.values()
        alike = specs[row].dtype == specs[most].dtype == specs[slot].dtype
        if largest.primitive.name == "max" and largest.operands == (row,) and alone and alike:
            found[slot] = most
    return found


def operand_of(made: Mapping[int, Equation], slot: object, name: str) -> Equation | None:
    """The equation of the operand of an operation with a name, if a slot is its result."""
    equation = made.get(slot) if isinstance(slot, int) else None
    if equation is None or equation.primitive.name != name:
        return None
    (given,) = equation.operands
    return made.get(given) if isinstance(given, int) else None


def joined(most: str, total: str, value: str, spec: Spec) -> list[str]:
    """The statements by which an element joins, in the kernel language. What is -inf adds nothing."""
    one, lowest = literal(1, spec.dtype), literal(float("-inf"), spec.dtype)
    scale = f"where({most} == next_{most}, {one}, exp({most} - next_{most}))"
    grown = f"{total} * {scale} + exp({value} - next_{most})"
    return [
        f"next_{most} = maximum({most}, {value})",
        f"{total} = where({value} == {lowest}, {total}, {grown})",
        f"{most} = next_{most}",
    ]


def ended(most: str, total: str, kind: str, team: int) -> Iterator[str]:
    """The C++ that puts the threads of a team together. A row of -inf alone gives NaN, as NumPy has it."""
    yield f"const {kind} own_{most} = {most};"
    yield f"{most} = reduce_team<Largest, {team}>({most});"
    yield f"if ({total} != 0) {total} *= exp(own_{most} - {most});"
    yield f"{total} = reduce_team<Sum, {team}>({total});"
    yield f"if ({most} == -infinity<{kind}>()) {total} = quiet_nan<{kind}>();"
