"""Reverse mode of a loop of which nobody knows how many steps it takes.

The operation runs the loop once more, puts every carry on a stack, and goes back through them. Where it is itself
differentiated with shapes only, a stack that grows has no place on a tape: then every carry is computed again from
the first one, by loops whose derivatives are loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, result_spec
from autodiff.trace.tape import Tape
from autodiff.trace.tracer import concrete
from autodiff.transforms.batch import repeated
from autodiff.transforms.control.calls import ControlCall, Params, Values, size_of_batch
from autodiff.transforms.control.repeat import repeat_with, tape_body, tape_condition
from autodiff.transforms.control.staging import must_stage
from autodiff.transforms.control.together import batched_tapes
from autodiff.transforms.control.values import all_conformed
from autodiff.transforms.forward import jvp
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
        self.smooth = [k for k, spec in enumerate(self.specs) if spec.inexact]
        self.fixed = [p for p in wanted if p >= carry]
        self.init = all_conformed(values[:carry], self.specs)
        self.holds = tape_condition(condition, self.outside)
        self.cotangents = [given[k] if k in given else zeros(self.specs[k]) for k in self.smooth]
        self.sums = [zeros(body.inputs[p]) for p in self.fixed]

    def after(self, carry: Values) -> list[Any]:
        """The next carry."""
        return all_conformed(tape_body(self.body, self.outside)(carry), self.specs)

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


class Unwinding(ControlCall):
    """The primitive of a loop's reverse mode; see :class:`Way` for its operands and parameters.

    Args:
        name: its name on a tape.
        loop: the primitive of the loop.
    """

    __slots__ = ("loop",)

    def __init__(self, name: str, loop: Primitive) -> None:
        super().__init__(name)
        self.loop = loop

    def result_specs(self, *specs: Spec, body: Tape, wanted: tuple[int, ...], **_: Any) -> tuple[Spec, ...]:
        return tuple(result_spec(body.inputs[p].shape, body.inputs[p].dtype) for p in wanted)

    def run(self, *values: Any, **params: Any) -> tuple[Any, ...]:
        return tuple(all_conformed(Way(values, **params).by_stack(), self.result_specs(**params)))

    def __call__(self, *operands: Any, **params: Any) -> Any:
        return super().__call__(*operands, **params) if must_stage(operands) else self.run(*operands, **params)

    def pulled(self, g: Values, values: Values, params: Params, positions: Sequence[int]) -> Values:
        """The cotangents of a loop's operands."""
        used = tuple(k for k, ct in enumerate(g) if ct is not None and params["body"].inputs[k].inexact)
        tapes = {name: params[name] for name in ("condition", "body", "carry")}
        cotangents = [g[k] for k in used]
        return self(*values, *cotangents, **tapes, wanted=tuple(positions), used=used)  # type: ignore[no-any-return]

    def pull(self, g: Values, residuals: Any, positions: Sequence[int]) -> Values:
        values, params = residuals
        used = [k for k, ct in enumerate(g) if ct is not None]
        run = self.some(values, params, positions, used)
        return vjp(run, *(values[p] for p in positions))[1](tuple(g[k] for k in used))  # type: ignore[no-any-return]

    def push(self, values: Values, tangents: Values, params: Params) -> tuple[Values, Values]:
        positions = [k for k, tangent in enumerate(tangents) if tangent is not None]
        run = self.some(values, params, positions, range(len(params["wanted"])))
        return jvp(run, [values[p] for p in positions], [tangents[p] for p in positions])  # type: ignore[no-any-return]

    def some(self, values: Values, params: Params, positions: Sequence[int], outs: Sequence[int]) -> Any:
        """Some of the results as a function of some of the operands, made of loops."""

        def run(*selected: Any) -> tuple[Any, ...]:
            full = list(values)
            for p, value in zip(positions, selected, strict=True):
                full[p] = value
            found = Way(full, **params).by_loops(self.loop)
            return tuple(found[k] for k in outs)

        return run

    def run_batch(self, values: Values, batched: Sequence[bool], params: Params) -> tuple[Any, ...]:
        body, count = params["body"], params["carry"]
        size = size_of_batch(values, batched)
        own = len(values) - len(params["used"])
        wide = [
            is_batched or k >= own or k in params["wanted"] or (k < count and body.inputs[k].inexact)
            for k, is_batched in enumerate(batched)
        ]
        flags, tapes, more = batched_tapes(wide[:own], size, params)
        wide[:count] = flags
        spread = [
            repeated(value, size) if wanted and not is_batched else value
            for value, is_batched, wanted in zip(values, batched, wide, strict=True)
        ]
        return self(*spread[:own], *more, *spread[own:], **{**params, **tapes})  # type: ignore[no-any-return]
