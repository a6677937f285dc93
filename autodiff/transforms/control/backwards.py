"""A loop of which nobody knows how many steps it takes, gone through backwards: with a stack, or by loops alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Tape
from autodiff.trace.tracer import concrete
from autodiff.transforms.control.calls import Values
from autodiff.transforms.control.dependence import active
from autodiff.transforms.control.repeat import repeat_with, tape_body, tape_condition
from autodiff.transforms.control.staging import Recorded, leaves_structure, record_body
from autodiff.transforms.control.values import all_conformed, settled
from autodiff.transforms.gradient import vjp, zeros
from autodiff.transforms.recompute import of_positions


class Start(NamedTuple):
    """What a loop is gone through backwards with.

    Attributes:
        carry: the first one.
        outside: what condition and body close over.
        cotangents: of the last carry; then sums, to which each step adds cotangents of what the body closes over.
        further: what the step back closes over.
    """

    carry: Values
    outside: Values
    cotangents: Values
    further: Values


class Way:
    """One loop that is gone through backwards.

    Its operands are the loop's own, then the cotangents of those leaves of the last carry that have some, then what the
    recorded step back closes over.

    Args:
        condition: says whether the loop goes on.
        body: one step.
        carry: how many operands are the first carry.
        wanted: positions of the operands whose cotangents are asked for.
        used: the leaves of the last carry that have cotangents.
        smooth: the leaves of the carry that have cotangents on the way; by default those on which these depend.

    Attributes:
        given: how many operands there are before those that the recorded step back closes over.
    """

    def __init__(
        self,
        condition: Tape,
        body: Tape,
        carry: int,
        wanted: Sequence[int],
        used: Sequence[int],
        smooth: Sequence[int] | None = None,
    ) -> None:
        self.condition = condition
        self.body = body
        self.count = carry
        self.wanted = wanted
        self.used = used
        self.given = len(body.inputs) + len(used)
        self.specs = body.inputs[:carry]
        self.smooth = active(body, carry, used) if smooth is None else smooth
        self.fixed = [p for p in wanted if p >= carry]

    def start(self, operands: Values) -> Start:
        """What the way begins with."""
        own = len(self.body.inputs)
        values, given = operands[:own], dict(zip(self.used, operands[own : self.given], strict=True))
        return Start(
            all_conformed(values[: self.count], self.specs),
            values[self.count :],
            [
                *(given[k] if k in given else zeros(self.specs[k], values[k]) for k in self.smooth),
                *(zeros(self.body.inputs[p], values[p]) for p in self.fixed),
            ],
            operands[self.given :],
        )

    def back(self, *every: Any) -> list[Any]:
        """A step back, from a carry, what is closed over, the cotangents of the next carry, and the sums.

        Returns:
            the cotangents of the carry, then the sums with what the step contributes.
        """
        inputs, middle = len(self.body.inputs), len(self.body.inputs) + len(self.smooth)
        full = all_conformed(every[:inputs], self.body.inputs)
        selected = [*self.smooth, *self.fixed]
        run = of_positions(self.body, full, selected, self.smooth)
        cts = vjp(run, *(full[p] for p in selected))[1](tuple(every[inputs:middle]))
        sums = zip(every[middle:], cts[len(self.smooth) :], strict=True)
        return [*cts[: len(self.smooth)], *(total + ct for total, ct in sums)]

    def back_specs(self) -> tuple[list[Spec], list[Spec]]:
        """What :meth:`back` takes, and what it returns."""
        returned = [settled(self.body.inputs[p]) for p in (*self.smooth, *self.fixed)]
        return [*self.body.inputs, *returned], returned

    def recorded_back(self) -> Recorded:
        """:meth:`back` as a tape."""
        taken, returned = self.back_specs()
        return record_body(
            lambda every: all_conformed(self.back(*every), returned), taken, leaves_structure(len(taken))
        )

    def results(self, found: Values) -> tuple[Any, ...]:
        """What was asked for, of what the last step back returned."""
        places = dict(zip([*self.smooth, *self.fixed], found, strict=True))
        return tuple(places[p] for p in self.wanted)

    def by_stack(
        self, start: Start, holds: Callable[..., Any], after: Callable[..., Any], back: Callable[..., Any]
    ) -> tuple[Any, ...]:
        """The cotangents, where values are known.

        Args:
            start: what the way begins with.
            holds: says of a carry, and what is closed over, whether the loop goes on; in a sequence.
            after: does a step.
            back: takes a step back, as :meth:`back` does; what it closes over comes last.
        """
        stack, carry = [], start.carry
        while concrete(holds(*carry, *start.outside)[0]):
            stack.append(carry)
            carry = all_conformed(after(*carry, *start.outside), self.specs)
        found, returned = start.cotangents, self.back_specs()[1]
        while stack:
            found = all_conformed(back(*stack.pop(), *start.outside, *found, *start.further), returned)
        return self.results(found)

    def by_loops(self, primitive: Primitive, start: Start) -> tuple[Any, ...]:
        """The cotangents by loops alone."""
        name, outside = "while_loop", start.outside
        holds, step = tape_condition(self.condition, outside), tape_body(self.body, outside)

        def after(carry: Values) -> list[Any]:
            return all_conformed(step(carry), self.specs)

        steps, _ = repeat_with(
            primitive, name, lambda c: holds(c[1]), lambda c: (c[0] + 1, after(c[1])), (0, start.carry)
        )

        def carry_at(number: Any) -> Any:
            return repeat_with(
                primitive, name, lambda c: c[0] < number, lambda c: (c[0] + 1, after(c[1])), (0, start.carry)
            )[1]

        def back(state: Any) -> Any:
            number, found = state
            return number - 1, self.back(*carry_at(number - 1), *outside, *found)

        return self.results(repeat_with(primitive, name, lambda c: c[0] > 0, back, (steps, start.cotangents))[1])
