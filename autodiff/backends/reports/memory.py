"""How many bytes of arrays are alive while a program runs, from shapes, last uses and the plan of its memory."""

from __future__ import annotations

from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.backends.passes.memory.placement import Memory, plan_memory
from autodiff.backends.reference import last_uses
from autodiff.backends.reports.counts import is_view, size_of
from autodiff.backends.reports.plan import Plan, Statement
from autodiff.trace.memory.recycling import LARGE
from autodiff.trace.spec import Spec


def peak(plan: Plan) -> int:
    """The largest sum of the bytes of arguments, of results, and of what is in between.

    The caller holds the arguments all the time, and the program its workspace. A view needs nothing, and keeps alive
    what it shows.
    """
    tape = plan.tape
    memory = plan_memory(tape, (), LARGE) if plan.planned else Memory(tape)
    specs = tape.specs
    given = range(len(tape.inputs))
    owners = {slot: slot for slot in given}
    held = sum(map(size_of, tape.inputs)) + memory.size
    alive = set(given)
    highest = now = held
    for statement, dead in zip(plan.statements, last_uses(tape), strict=True):
        equation = statement.equation
        for slot in equation.results:
            shown = equation.operands[0] if is_view(equation) else None
            owners[slot] = owners[shown] if isinstance(shown, int) else slot
            own = owners[slot] == slot and slot not in memory.places
            now += size_of(specs[slot]) if own else 0
        alive.update(equation.results)
        highest = max(highest, now + working(statement))
        before = {owners[slot] for slot in alive}
        alive.difference_update(dead)
        freed = before - {owners[slot] for slot in alive} - set(given) - memory.places.keys()
        now -= sum(size_of(specs[slot]) for slot in freed)
    return highest


def working(statement: Statement) -> int:
    """The bytes that a statement needs besides its operands and results."""
    if statement.equation.primitive.name == "kernel_of_all":
        return whole_kernel(**dict(statement.equation.params)).memory
    if not statement.bodies:
        return 0
    return max(peak(body) - sum(map(size_of, known(statement, body))) for _, body in statement.bodies)


def known(statement: Statement, body: Plan) -> tuple[Spec, ...]:
    """The arrays of a body that the program has already: a loop copies what a step returns, others hand it on."""
    return body.tape.inputs if statement.kind == "loop" else (*body.tape.inputs, *body.tape.output_specs)
