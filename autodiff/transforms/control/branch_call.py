"""A choice between functions as one operation, which carries the tape of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from autodiff.backends.reference import run_tape
from autodiff.ops.elementwise import equal, logical_or, where
from autodiff.ops.masked import Masked
from autodiff.ops.shape import reshape
from autodiff.trace.parameters import Params as Domains
from autodiff.trace.parameters import require
from autodiff.trace.spec import Spec, result_spec, spec_of
from autodiff.trace.tape import Tape
from autodiff.trace.tape_call import TAPES, check_operands
from autodiff.trace.tracer import concrete
from autodiff.transforms.call import run_for_batch
from autodiff.transforms.control.calls import (
    ControlCall,
    Params,
    Step,
    Values,
    push_tape,
    size_of_batch,
)
from autodiff.transforms.control.choose import choose_with
from autodiff.transforms.control.dependence import Sources, of_branches, sources
from autodiff.transforms.control.staging import known
from autodiff.transforms.control.values import all_conformed, unshared
from autodiff.transforms.gradient import vjp
from autodiff.transforms.recompute import of_positions, smooth_outputs


class BranchCall(ControlCall):
    """The primitive of ``cond`` and ``switch``.

    Its operands are the number of the branch, and what the branches take or close over; its parameter ``branches`` is
    a tuple of tapes.
    """

    __slots__ = ()
    domains: ClassVar[Domains] = {"branches": TAPES}

    def check_operands(self, *specs: Spec, branches: tuple[Tape, ...]) -> None:
        require(bool(specs), "the number of the branch is missing")
        require(specs[0].shape == () and specs[0].dtype.kind in "biu", f"{specs[0]!r} is no number of a branch")
        for tape in branches:
            check_operands(tape, specs[1:])
            found, first = ([(s.shape, s.dtype) for s in each.output_specs] for each in (tape, branches[0]))
            require(found == first, "the branches must return the same shapes and dtypes")

    def result_specs(self, *specs: Spec, branches: tuple[Tape, ...]) -> tuple[Spec, ...]:
        return tuple(result_spec(s.shape, s.dtype) for s in branches[0].output_specs)

    def dependence(self, params: Params) -> list[Sources]:
        return of_branches(params["branches"])

    def run(self, index: Any, *values: Any, branches: tuple[Tape, ...]) -> tuple[Any, ...]:
        tape = branches[number_of(index, branches)]
        return self.finish(lambda *now: run_tape(tape, now), tape, values, branches)

    def compiled(self, compile_tape: Callable[[Tape], Step], **params: Any) -> Step:
        branches: tuple[Tape, ...] = params["branches"]
        ready = [compile_tape(tape) for tape in branches]

        def run(index: Any, *values: Any) -> tuple[Any, ...]:
            number = number_of(index, branches)
            return self.finish(ready[number], branches[number], values, branches)

        return run

    def finish(self, branch: Step, tape: Tape, values: Values, branches: tuple[Tape, ...]) -> tuple[Any, ...]:
        """The results of one branch, of the specs that all of them have."""
        outs = branch(*all_conformed(values, tape.inputs))
        return tuple(unshared(out, values) for out in all_conformed(outs, self.result_specs(branches=branches)))

    def __call__(self, *operands: Any, **params: Any) -> Any:
        if known(operands[0]):  # the branch's own operations are recorded, as Python's branches are
            return self.run(*operands, **params)
        return super().__call__(*operands, **params)

    def push(self, values: Values, tangents: Values, params: Params) -> tuple[Values, Values]:
        branches = params["branches"]
        moving = [k for k, tangent in enumerate(tangents) if tangent is not None]
        smooth = smooth_outputs(branches[0])

        def pushed(tape: Tape) -> Any:
            def push(now: Values, changes: Values) -> tuple[Values, list[Any]]:
                outs, found = push_tape(tape, all_conformed(now, tape.inputs), [k - 1 for k in moving], changes)
                return outs, list(found.values())

            return push

        operands = (list(values[1:]), [tangents[k] for k in moving])
        outs, found = choose_with(self, "cond", values[0], [pushed(tape) for tape in branches], operands)
        changes = dict(zip(smooth, found, strict=True))
        return outs, [changes.get(k) for k in range(len(outs))]

    def pull(self, g: Values, residuals: Any, positions: Sequence[int]) -> Values:
        """The cotangents; an operand of some branches alone has one that is masked where another branch was taken."""
        (index, *values), params = residuals
        branches = params["branches"]
        smooth = smooth_outputs(branches[0])
        used = [k for k in smooth if g[k] is not None]
        if not used:
            return [None] * len(positions)

        def pulled(tape: Tape) -> Any:
            def back(now: Values, cotangents: Values) -> Any:
                full = all_conformed(now, tape.inputs)
                own = [p - 1 for p in positions]
                cts = vjp(of_positions(tape, full, own, used), *(full[p] for p in own))[1](tuple(cotangents))
                return list(cts)

            return back

        operands = (values, [g[k] for k in used])
        cts = choose_with(self, "cond", index, [pulled(tape) for tape in branches], operands)
        reached = [frozenset().union(*(on for k, on in enumerate(sources(tape)) if k in used)) for tape in branches]
        masks: dict[tuple[int, ...], Any] = {}
        for place, position in enumerate(positions):
            numbers = tuple(k for k, on in enumerate(reached) if position - 1 in on)
            if len(numbers) < len(branches):
                if numbers not in masks:
                    masks[numbers] = reduce(logical_or, (equal(index, k) for k in numbers))
                cts[place] = Masked(cts[place], masks[numbers])
        return cts  # type: ignore[no-any-return]

    def run_batch(self, values: Values, batched: Sequence[bool], params: Params) -> tuple[Any, ...]:
        branches = params["branches"]
        size = size_of_batch(values, batched)
        index, *operands = values
        if batched[0]:
            with np.errstate(all="ignore"):  # of branches that are not taken
                found = [run_for_batch(tape, operands, batched[1:], size) for tape in branches]
            return tuple(selected(index, column) for column in zip(*found, strict=True))

        def wide(tape: Tape) -> Any:
            return lambda *now: list(run_for_batch(tape, now, batched[1:], size))

        return tuple(choose_with(self, "cond", index, [wide(tape) for tape in branches], tuple(operands)))


def number_of(index: Any, branches: Sequence[Tape]) -> int:
    """The number of the branch that runs. A number that no branch has, which no recorded program gives, is the last."""
    number = int(concrete(index))
    return number if 0 <= number < len(branches) else len(branches) - 1


def selected(index: Any, column: Sequence[Any]) -> Any:
    """For each example the result of its branch."""
    found = column[-1]
    shape = (spec_of(index).shape[0], *(1,) * (spec_of(found).ndim - 1))
    for k, value in reversed(list(enumerate(column[:-1]))):
        found = where(equal(reshape(index, shape=shape), k), value, found)
    return found


branch = BranchCall("switch")
