"""A loop that runs as long as a condition holds: Python's where values are known, one operation where they are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from autodiff.backends.reference import last_uses, run_tape
from autodiff.ops.elementwise import not_equal
from autodiff.trace.errors import AutodiffError, described, run_user_code
from autodiff.trace.primitive import Primitive
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.tape import Tape
from autodiff.trace.tracer import concrete
from autodiff.transforms.control.carry import Carry, ControlError, is_number
from autodiff.transforms.control.rows import own_row
from autodiff.transforms.control.staging import Recorded, joined, leaves_structure, must_stage, record_body
from autodiff.transforms.control.values import all_conformed
from autodiff.transforms.custom.arguments import place_of

Condition = Callable[[Any], Any]
Body = Callable[[Any], Any]


class StepsError(AutodiffError, RuntimeError):
    """A loop did not end within the number of steps that it was given."""


def repeat_with(
    primitive: Primitive, name: str, condition: Condition, body: Body, init: Any, max_steps: int | None = None
) -> Any:
    """The carry for which the condition does not hold any more.

    Args:
        primitive: the operation that the loop becomes where values are not known.
        name: the loop's name for error texts.
        condition: says of a carry whether to go on.
        body: gives the next carry.
        init: the first carry, a tree.
        max_steps: how many steps there can be at most.
    """
    carry = Carry(name, body, init)
    holds = condition_of(carry, condition)

    def step(leaves: Sequence[Any]) -> list[Any]:
        return carry.take(run_user_code(body, (carry.tree(leaves),)))

    if must_stage(carry.leaves):
        return carry.structure.unflatten(staged_loop(primitive, carry, holds, step, max_steps))
    leaves = [own_row(leaf) for leaf in carry.leaves]
    found = run_loop(name, holds, step, leaves, max_steps)
    return carry.result(without_a_step(carry, step, leaves) if found is leaves else found)


def condition_of(carry: Carry, condition: Condition) -> Callable[[Sequence[Any]], Any]:
    """The condition on leaves, which must be one number."""

    def holds(leaves: Sequence[Any]) -> Any:
        found = run_user_code(condition, (carry.tree(leaves),))
        if not is_number(found) or spec_of(found).shape:
            raise ControlError(
                f"{carry.name}: {place_of(condition)} must return one boolean, but returned {described(found)}"
                f"{at_user_line()}; np.any and np.all make one of many"
            )
        return found

    return holds


def run_loop(
    name: str,
    holds: Callable[[Sequence[Any]], Any],
    step: Callable[[Sequence[Any]], list[Any]],
    leaves: list[Any],
    max_steps: int | None,
) -> list[Any]:
    """The loop in Python."""
    steps = 0
    while concrete(holds(leaves)):
        if steps == max_steps:
            raise StepsError(
                f"{name}: the condition still holds after max_steps={max_steps} steps{at_user_line()}; allow more, or "
                "let the condition count"
            )
        leaves = step(leaves)
        steps += 1
    return leaves


def without_a_step(carry: Carry, step: Callable[[Sequence[Any]], list[Any]], leaves: Sequence[Any]) -> list[Any]:
    """The carry of a loop that takes no step: Python numbers have the dtypes that a step gives them.

    So the result does not depend on whether the number of steps was known.
    """
    if any(spec.kind == "python" for spec in carry.specs):
        with suppress(Exception):  # what a body raises that does not run is nobody's error
            settled_body(carry, step)
    return all_conformed(leaves, carry.specs)


def settled_body(carry: Carry, step: Callable[[Sequence[Any]], list[Any]]) -> Recorded:
    """The recorded body, once the carry has the dtypes that it gives."""
    structure, specs = leaves_structure(len(carry.leaves)), None
    while specs != carry.specs:
        specs = carry.specs
        body = record_body(step, specs, structure)
    return body


def staged_loop(
    primitive: Primitive,
    carry: Carry,
    holds: Callable[[Sequence[Any]], Any],
    step: Callable[[Sequence[Any]], list[Any]],
    max_steps: int | None,
) -> Sequence[Any]:
    """The loop as one operation; its body is recorded again if a Python number took on a dtype."""
    count = len(carry.leaves)
    body = settled_body(carry, step)
    if not count:
        raise ControlError(
            f"{carry.name}: init is empty{at_user_line()}, so that the condition never changes; carry what "
            "it depends on"
        )
    condition = record_body(lambda leaves: as_boolean(holds(leaves)), carry.specs, leaves_structure(count))
    (until, after), outside = joined([condition, body], count)
    return primitive(  # type: ignore[no-any-return]
        *carry.start, *outside, condition=until, body=after, carry=count, max_steps=max_steps
    )


def as_boolean(found: Any) -> Any:
    """Whether a number is not zero."""
    return found if spec_of(found).dtype == bool else not_equal(found, 0)


def tape_condition(condition: Tape, outside: Sequence[Any]) -> Condition:
    """A recorded condition as a function of a carry of leaves."""
    body = tape_body(condition, outside)
    return lambda carry: body(carry)[0]


def tape_body(body: Tape, outside: Sequence[Any]) -> Body:
    """A recorded body as a function of a carry of leaves."""
    dead = last_uses(body)
    return lambda carry: run_tape(body, all_conformed([*carry, *outside], body.inputs), dead)
