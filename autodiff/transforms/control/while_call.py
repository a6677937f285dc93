"""A loop with a condition as one operation, which carries the tapes of the condition and of one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from autodiff.trace.parameters import COUNT, LENGTH, optional
from autodiff.trace.parameters import Params as Domains
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Tape
from autodiff.trace.tape_call import TAPE
from autodiff.transforms.batch import repeated
from autodiff.transforms.control.bounded import bounded_loop
from autodiff.transforms.control.calls import (
    ControlCall,
    Params,
    Step,
    Values,
    check_loop,
    push_tape,
    size_of_batch,
)
from autodiff.transforms.control.dependence import Sources, moving, of_loop
from autodiff.transforms.control.repeat import repeat_with, run_loop, tape_body, tape_condition
from autodiff.transforms.control.staging import must_stage
from autodiff.transforms.control.together import batched_tapes
from autodiff.transforms.control.unwind import Unwinding
from autodiff.transforms.control.values import all_conformed, unshared
from autodiff.transforms.gradient import vjp, zeros
from autodiff.transforms.recompute import smooth_outputs


class WhileCall(ControlCall):
    """The primitive of ``while_loop``.

    Its operands are the first carry, and what condition and body close over. Its parameters are the tapes ``condition``
    and ``body``, how many operands are ``carry``, and ``max_steps``. Reverse mode keeps the operands, and runs the loop
    again: bounded, as a scan; unbounded, with all carries on a stack.
    """

    __slots__ = ("unwinding",)
    domains: ClassVar[Domains] = {"condition": TAPE, "body": TAPE, "carry": COUNT, "max_steps": optional(LENGTH)}

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.unwinding = Unwinding(f"{name}_backwards", self)

    def check_operands(self, *specs: Spec, condition: Tape, body: Tape, carry: int, max_steps: int | None) -> None:
        check_loop(specs, condition, body, carry)

    def result_specs(self, *specs: Spec, body: Tape, carry: int, **_: Any) -> tuple[Spec, ...]:
        return body.inputs[:carry]

    def dependence(self, params: Params) -> list[Sources]:
        return of_loop(params["body"], params["carry"])

    def run(self, *values: Any, **params: Any) -> tuple[Any, ...]:
        outside = values[params["carry"] :]
        holds, after = tape_condition(params["condition"], outside), tape_body(params["body"], outside)
        return self.repeat(holds, after, values, params)

    def compiled(self, compile_tape: Callable[[Tape], Step], **params: Any) -> Step:
        holds, after = compile_tape(params["condition"]), compile_tape(params["body"])

        def run(*values: Any) -> tuple[Any, ...]:
            outside = values[params["carry"] :]
            return self.repeat(lambda c: holds(*c, *outside)[0], lambda c: after(*c, *outside), values, params)

        return run

    def repeat(self, holds: Any, after: Any, values: Values, params: Params) -> tuple[Any, ...]:
        """The loop in Python, with functions that say whether it goes on and do one step."""
        count = params["carry"]
        specs = params["body"].inputs[:count]
        last = run_loop(
            "while_loop",
            holds,
            lambda carry: all_conformed(after(carry), specs),
            all_conformed(values[:count], specs),
            params["max_steps"],
        )
        return tuple(unshared(value, values) for value in last)

    def __call__(self, *operands: Any, **params: Any) -> Any:
        if not must_stage(operands):  # every step's own operations are recorded, as Python's loops are
            return self.run(*operands, **params)
        return super().__call__(*operands, **params)

    def push(self, values: Values, tangents: Values, params: Params) -> tuple[Values, Values]:
        count, body = params["carry"], params["body"]
        outside = values[count:]
        carried = moving(body, count, tangents)
        fixed = [k for k in range(count, len(values)) if tangents[k] is not None]
        first = [zeros(spec_of(values[k]), values[k]) if tangents[k] is None else tangents[k] for k in carried]
        holds = tape_condition(params["condition"], outside)

        def step(carry: Any) -> Any:
            full = all_conformed([*carry[0], *outside], body.inputs)
            outs, found = push_tape(body, full, [*carried, *fixed], [*carry[1], *(tangents[k] for k in fixed)])
            return list(outs), [found[k] for k in carried]

        init = (list(values[:count]), first)
        last, moved = repeat_with(self, "while_loop", lambda c: holds(c[0]), step, init, params["max_steps"])
        changes = dict(zip(carried, moved, strict=True))
        return last, [changes.get(k) for k in range(count)]

    def pull(self, g: Values, residuals: Any, positions: Sequence[int]) -> Values:
        values, params = residuals
        if params["max_steps"] is None:
            return self.unwinding.pulled(g, values, params, positions)
        smooth = [k for k in smooth_outputs(params["body"]) if g[k] is not None]

        def run(*selected: Any) -> tuple[Any, ...]:
            full = list(values)
            for p, value in zip(positions, selected, strict=True):
                full[p] = value
            outs = bounded_loop(full, params)
            return tuple(outs[k] for k in smooth)

        return vjp(run, *(values[p] for p in positions))[1](tuple(g[k] for k in smooth))  # type: ignore[no-any-return]

    def run_batch(self, values: Values, batched: Sequence[bool], params: Params) -> tuple[Any, ...]:
        count = params["carry"]
        size = size_of_batch(values, batched)
        flags, tapes, more = batched_tapes(batched, size, params)
        first = [
            repeated(value, size, values) if wanted and not own else value
            for value, own, wanted in zip(values, batched, flags, strict=False)
        ]
        with np.errstate(all="ignore"):  # of examples that have stopped
            last = self(*first, *values[count:], *more, **{**params, **tapes})
        return tuple(value if own else repeated(value, size, last) for value, own in zip(last, flags, strict=True))


looped = WhileCall("while_loop")
