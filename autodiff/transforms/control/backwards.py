"""A loop of which nobody knows how many steps it takes, gone through backwards: with a stack, or by loops alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.trace.primitive import Primitive
from autodiff.trace.tape import Tape
from autodiff.trace.tracer import concrete
from autodiff.transforms.control.calls import Values
from autodiff.transforms.control.dependence import active
from autodiff.transforms.control.repeat import repeat_with, tape_body, tape_condition
from autodiff.transforms.control.values import all_conformed
from autodiff.transforms.gradient import vjp, zeros
from autodiff.transforms.recompute import of_positions


class Way:
    """One loop that is gone through backwards.

    Args:
        operands: the loop's own operands, then the cotangents of those leaves of the last carry that have some.
        condition: says whether the loop goes on.
        body: one step.
        carry: how many operands are the first carry.
        wanted: positions of the operands whose cotangents are asked for.
        used: the leaves of the last carry that have cotangents.
    """

    def __init__(
        self, operands: Values, condition: Tape, body: Tape, carry: int, wanted: Sequence[int], used: Sequence[int]
    ) -> None:
        values = list(operands[: len(operands) - len(used)])
        given = dict(zip(used, operands[len(values) :], strict=True))
        self.body = body
        self.count = carry
        self.wanted = wanted
        self.outside = values[carry:]
        self.specs = body.inputs[:carry]
        self.smooth = active(body, carry, used)
        self.fixed = [p for p in wanted if p >= carry]
        self.init = all_conformed(values[:carry], self.specs)
        self.holds = tape_condition(condition, self.outside)
        self.step = tape_body(body, self.outside)
        self.cotangents = [given[k] if k in given else zeros(self.specs[k], values[k]) for k in self.smooth]
        self.sums = [zeros(body.inputs[p], values[p]) for p in self.fixed]

    def after(self, carry: Values) -> list[Any]:
        """The next carry."""
        return all_conformed(self.step(carry), self.specs)

    def back(self, before: Values, cotangents: Values, sums: Values) -> tuple[list[Any], list[Any]]:
        """The cotangents of a carry, from those of the next one, and the sums with what the step contributes."""
        full = all_conformed([*before, *self.outside], self.body.inputs)
        selected = [*self.smooth, *self.fixed]
        run = of_positions(self.body, full, selected, self.smooth)
        cts = vjp(run, *(full[p] for p in selected))[1](tuple(cotangents))
        rest = cts[len(self.smooth) :]
        return list(cts[: len(self.smooth)]), [total + ct for total, ct in zip(sums, rest, strict=True)]

    def results(self, cotangents: Values, sums: Values) -> tuple[Any, ...]:
        """What was asked for."""
        found = dict(zip([*self.smooth, *self.fixed], [*cotangents, *sums], strict=True))
        return tuple(found[p] for p in self.wanted)

    def by_stack(self) -> tuple[Any, ...]:
        """The cotangents, where values are known."""
        stack, carry = [], self.init
        while concrete(self.holds(carry)):
            stack.append(carry)
            carry = self.after(carry)
        cotangents, sums = self.cotangents, self.sums
        while stack:
            cotangents, sums = self.back(stack.pop(), cotangents, sums)
        return self.results(cotangents, sums)

    def by_loops(self, primitive: Primitive) -> tuple[Any, ...]:
        """The cotangents by loops alone."""
        name = "while_loop"
        steps, _ = repeat_with(
            primitive, name, lambda c: self.holds(c[1]), lambda c: (c[0] + 1, self.after(c[1])), (0, self.init)
        )

        def carry_at(step: Any) -> Any:
            return repeat_with(
                primitive, name, lambda c: c[0] < step, lambda c: (c[0] + 1, self.after(c[1])), (0, self.init)
            )[1]

        def back(state: Any) -> Any:
            step, cotangents, sums = state
            return step - 1, *self.back(carry_at(step - 1), cotangents, sums)

        first = (steps, self.cotangents, self.sums)
        return self.results(*repeat_with(primitive, name, lambda c: c[0] > 0, back, first)[1:])
