"""The rules of one table, without the others."""

from __future__ import annotations

from collections.abc import Callable

from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.backends.passes.rewrite.rewriting import Rules, rewrite
from autodiff.trace.tape import Tape


def alone(rules: Rules, merge: bool = False) -> Callable[[Tape], Tape]:
    """What applies them to a tape."""
    return lambda tape: drop_dead(rewrite(tape, rules, merge=merge))
