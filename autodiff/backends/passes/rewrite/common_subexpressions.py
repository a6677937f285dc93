"""What was computed before is not computed again."""

from __future__ import annotations

from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.backends.passes.rewrite.rewriting import rewrite
from autodiff.trace.tape import Tape


def merge_repeated(tape: Tape) -> Tape:
    """The tape with each operation done once: same primitive, operands and parameters.

    Numbers are compared as literals are: 0.0 and -0.0 differ. Operands of sums and products may be exchanged. What is
    done in its turn is done as often as it is there; no other primitive has side effects or draws random numbers (those
    are drawn when a function is recorded). Calls of ``checkpoint`` stay closed, so that what they compute a second time
    is not merged with the first.
    """
    return drop_dead(rewrite(tape, {}, merge=True))
