"""Operations on windows as kernels, with what comes with them: positions of maxima, and masks of what is laid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autodiff.backends.kernels.windows.pooling import unsupported, window_kernel
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape, operand_specs


def with_windows(tape: Tape) -> Tape:
    """The tape with kernels in the places of its operations on windows."""
    specs = tape.specs
    known = [e for e in tape.equations if not unsupported(e, operand_specs(e.operands, specs))]
    made = {slot: equation for equation in known for slot in equation.results}
    uses = Counter(o for e in tape.equations for o in e.operands if isinstance(o, int))
    uses.update(o for o in tape.outputs if isinstance(o, int))
    company: dict[int, list[Equation]] = {}
    joined: set[int] = set()
    for equation in tape.equations:
        first = maximum_of(equation, made) or masked_by(equation, made, uses, specs)
        if first is not None and first.results[0] not in company:
            company[first.results[0]] = [first, equation]
            joined.add(equation.results[0])
    kernels: dict[int, Equation] = {}
    for equation in tape.equations:
        if equation.results and equation.results[0] in made and equation.results[0] not in joined:
            both = company.get(equation.results[0], [equation])
            last = both[-1] if both[-1].primitive.name == "where" else equation  # a mask may be made later
            kernels[last.results[0]] = window_kernel(both, specs)
    gone = joined.union(made)
    found = [
        kernels.get(e.results[0], e)
        for e in tape.equations
        if not e.results or e.results[0] in kernels or e.results[0] not in gone
    ]
    return numbered(tape, found)


def maximum_of(equation: Equation, made: dict[int, Equation]) -> Equation | None:
    """The maxima, of the same array, whose positions an operation asks for."""
    if equation.primitive.name != "first_positions" or equation.results[0] not in made:
        return None
    images, extreme = equation.operands
    first = made.get(extreme) if isinstance(extreme, int) else None
    if first is None or first.primitive.name != "max_windows":
        return None
    return first if first.operands == (images,) and first.params == equation.params else None


def masked_by(
    equation: Equation, made: dict[int, Equation], uses: Counter[int], specs: Sequence[Spec]
) -> Equation | None:
    """What is laid in windows for nothing but the selection by a mask that an operation is."""
    if equation.primitive.name != "where":
        return None
    mask, laid, rest = equation.operands
    first = made.get(laid) if isinstance(laid, int) else None
    if first is None or first.primitive.name != "lay_in_windows" or uses[first.results[0]] > 1:
        return None
    if not isinstance(mask, int) or isinstance(rest, int) or not is_zero(rest):
        return None
    whole = specs[mask].dtype == np.bool_ and specs[mask].shape == first.specs[0].shape
    return first if whole and equation.specs == first.specs else None


def is_zero(operand: Operand) -> bool:
    """Whether an operand is the number zero, and not -0."""
    value = getattr(operand, "value", operand)
    return isinstance(value, int | float) and str(float(value)) == "0.0"


def numbered(tape: Tape, equations: list[Equation]) -> Tape:
    """The tape with other operations, whose slots get the numbers of their order."""
    number = {slot: slot for slot in range(len(tape.inputs))}
    found = []
    for equation in equations:
        operands = tuple(number[o] if isinstance(o, int) else o for o in equation.operands)
        results = tuple(range(len(number), len(number) + len(equation.results)))
        number.update(zip(equation.results, results, strict=True))
        found.append(replace(equation, operands=operands, results=results))
    outputs = tuple(number[o] if isinstance(o, int) else o for o in tape.outputs)
    return replace(tape, equations=tuple(found), outputs=outputs)
