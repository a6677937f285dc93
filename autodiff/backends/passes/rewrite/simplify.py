"""All passes that make a tape simpler, together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff.backends.passes.memory.sharing import keep_apart
from autodiff.backends.passes.memory.updates import UPDATES
from autodiff.backends.passes.rewrite.algebra import ALGEBRA
from autodiff.backends.passes.rewrite.broadcasts import BROADCASTS
from autodiff.backends.passes.rewrite.choices import CHOICES
from autodiff.backends.passes.rewrite.constants import FOLD, constants_once
from autodiff.backends.passes.rewrite.contractions import CONTRACTIONS
from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.backends.passes.rewrite.inline import INLINE
from autodiff.backends.passes.rewrite.rewriting import Builder, Rule, Rules, joined, rewrite
from autodiff.backends.passes.rewrite.shapes import SHAPES
from autodiff.backends.passes.rewrite.shifts import SHIFTS
from autodiff.backends.passes.rewrite.signs import SIGNS
from autodiff.backends.passes.rewrite.stability import STABILITY
from autodiff.backends.passes.rewrite.strength import STRENGTH
from autodiff.trace.tape import Equation, Operand, Tape

ROUNDS = 6
"""So often the rules are applied, if they find something each time."""

EXACT = joined(INLINE, FOLD, UPDATES, SHAPES, BROADCASTS, CHOICES, ALGEBRA, SIGNS)
"""The rules that keep every bit."""

CLOSE = joined(EXACT, STRENGTH, CONTRACTIONS)
"""With those by which results differ by a few units in the last place."""

STABLE = joined(EXACT, STABILITY, SHIFTS, STRENGTH, CONTRACTIONS)
"""With those that give numbers where the operations one by one lose digits or overflow."""


def simplify(tape: Tape, *, exact: bool = False, stable: bool = True) -> Tape:
    """The tape with everything left out that its outputs can do without, ready to be run.

    The inputs stay as they are, but for constants that are not needed any more. The outputs keep their order, shapes,
    dtypes and kinds, and memory of their own. The result is for running, not for differentiating: derivative rules of
    functions that it calls are gone.

    Args:
        tape: the tape.
        exact: whether every bit of the results must stay. Otherwise each operation may differ by a few units in the
            last place, and sums of products may be added in another order.
        stable: whether results may be better than that: formulas that lose digits or overflow are replaced by functions
            that do not. Turn it off to compare with the operations one by one.
    """
    return simplified(tape, EXACT if exact else STABLE if stable else CLOSE)


def simplified(tape: Tape, rules: Rules) -> Tape:
    """The tape simplified with these rules until they find nothing more, and the tapes that it carries too."""
    known: dict[int, tuple[Tape, Tape]] = {}

    def inside(builder: Builder, equation: Equation) -> Operand | tuple[Operand, ...] | None:
        if any(name == "rule" for name, _ in equation.params):
            return None  # the rule has the tape too
        params = tuple((name, within(value, rules, known)) for name, value in equation.params)
        if all(one is other for (_, one), (_, other) in zip(params, equation.params)):
            return None
        return builder.place(replace(equation, params=params))

    carried: Rule = inside
    every = joined(rules, {"<general>": (carried,)})
    before = drop_dead(tape)
    now = rewrite(before, every, merge=True, prepare=constants_once)
    for _ in range(ROUNDS):
        if now is before:
            break
        before, now = now, rewrite(drop_dead(now), every, merge=True)
    return keep_apart(tape, drop_dead(now))


def within(value: Any, rules: Rules, known: dict[int, tuple[Tape, Tape]]) -> Any:
    """A parameter with its tapes simplified: itself where there is nothing to do. Each tape is done once."""
    if isinstance(value, Tape):
        if id(value) not in known:
            found = simplified(value, rules)
            found = value if found == value else found
            known[id(value)] = value, found
            known[id(found)] = found, found
        return known[id(value)][1]
    if isinstance(value, tuple) and any(isinstance(part, Tape) for part in value):
        parts = tuple(within(part, rules, known) for part in value)
        return value if all(one is other for one, other in zip(parts, value)) else parts
    return value
