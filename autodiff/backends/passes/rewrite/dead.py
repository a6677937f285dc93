"""What no output needs is left out, unless it is done for what it does."""

from __future__ import annotations

from dataclasses import replace

from autodiff.trace.tape import Equation, Operand, Tape, ordered


def drop_dead(tape: Tape) -> Tape:
    """The tape without operations and constants that no output needs. Other inputs stay, and what has its turn."""
    needed = {out for out in tape.outputs if isinstance(out, int)}
    used: list[Equation] = []
    for equation in reversed(tape.equations):
        if not needed.isdisjoint(equation.results) or ordered(equation):
            used.append(equation)
            needed.update(o for o in equation.operands if isinstance(o, int))
    first = len(tape.inputs) - len(tape.constants)
    kept = [slot for slot in range(first, len(tape.inputs)) if slot in needed]
    if len(used) == len(tape.equations) and len(kept) == len(tape.constants):
        return tape
    used.reverse()
    order = [*range(first), *kept, *(slot for equation in used for slot in equation.results)]
    number = {slot: k for k, slot in enumerate(order)}
    return replace(
        tape,
        inputs=(*tape.inputs[:first], *(tape.inputs[slot] for slot in kept)),
        constants=tuple(tape.constants[slot - first] for slot in kept),
        equations=tuple(renumbered(equation, number) for equation in used),
        outputs=tuple(number[out] if isinstance(out, int) else out for out in tape.outputs),
    )


def renumbered(equation: Equation, number: dict[int, int]) -> Equation:
    """The equation with other numbers for its slots."""

    def again(operand: Operand) -> Operand:
        return number[operand] if isinstance(operand, int) else operand

    operands = tuple(map(again, equation.operands))
    results = tuple(number[slot] for slot in equation.results)
    if operands == equation.operands and results == equation.results:
        return equation
    return equation.moved(operands, results)
