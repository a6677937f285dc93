"""What is done in its turn, as a message to another process is, waits for what had its turn before.

Later passes put operations together and move them, as far as those need nothing of each other. So the order of what is
done for what it does becomes a need: its first operand is there only after the result of the one before.
"""

from __future__ import annotations

from typing import Any

from autodiff.backends.passes.rewrite.rewriting import Builder, rewrite
from autodiff.trace.primitive import Primitive
from autodiff.trace.tape import Equation, Operand, Tape, in_turn, ordered


def first_of(x: Any, before: Any) -> Any:
    """The value itself."""
    return x


after = Primitive("in_turn", "linear", ("x", "before"), first_of, first_of, {}, view=True, params=None, register=False)
"""A value that is there only after another one. Tapes that run have it, and nobody differentiates those."""


def with_turns(tape: Tape) -> Tape:
    """The tape in which each operation that has its turn needs the result of the one before."""
    if not in_turn(tape):
        return tape
    last: Operand | None = None

    def waiting(builder: Builder, equation: Equation) -> tuple[Operand, ...] | None:
        nonlocal last
        if not ordered(equation) or equation.primitive is after:
            return None
        first, *others = equation.operands  # all that have a turn have an operand
        if last is not None:
            first = builder.emit(after, first, last)
        results = builder.append(equation, (first, *others))
        last = results[0]
        return results

    return rewrite(tape, {"<all>": (waiting,)})
