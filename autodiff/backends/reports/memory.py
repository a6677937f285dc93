"""How many bytes of arrays are alive while a program runs, from shapes and last uses alone."""

from __future__ import annotations

from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.backends.reference import last_uses
from autodiff.backends.reports.counts import is_view, size_of
from autodiff.backends.reports.plan import Plan, Statement


def peak(plan: Plan) -> int:
    """The largest sum of the bytes of arguments, of results, and of what is in between.

    The caller holds the arguments all the time. A view needs nothing, and keeps alive what it shows.
    """
    tape = plan.tape
    specs = tape.specs
    given = sum(map(size_of, tape.inputs))
    owners = {slot: slot for slot in range(len(tape.inputs))}
    alive: set[int] = set(owners)
    highest = given
    now = given
    for statement, dead in zip(plan.statements, last_uses(tape), strict=True):
        equation = statement.equation
        for slot in equation.results:
            shown = equation.operands[0] if is_view(equation) else None
            owners[slot] = owners[shown] if isinstance(shown, int) else slot
            now += size_of(specs[slot]) if owners[slot] == slot else 0
        alive.update(equation.results)
        highest = max(highest, now + working(statement))
        held = {owners[slot] for slot in alive}
        alive.difference_update(dead)
        freed = held - {owners[slot] for slot in alive} - set(range(len(tape.inputs)))
        now -= sum(size_of(specs[slot]) for slot in freed)
    return highest


def working(statement: Statement) -> int:
    """The bytes that a statement needs besides its operands and results."""
    if statement.equation.primitive.name == "kernel_of_all":
        return whole_kernel(statement.tape).memory
    if not statement.bodies:
        return 0
    return max(peak(body) - sum(map(size_of, body.tape.inputs)) for _, body in statement.bodies)
