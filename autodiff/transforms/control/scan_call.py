"""A loop over slices as one operation, which carries the tape of one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from autodiff.backends.reference import last_uses, run_tape
from autodiff.ops.elementwise import cast
from autodiff.trace.parameters import COUNT, FLAG, LENGTH, require
from autodiff.trace.parameters import Params as Domains
from autodiff.trace.spec import Spec, spec, spec_of
from autodiff.trace.tape import Tape
from autodiff.trace.tape_call import TAPE, check_operands
from autodiff.trace.values.arrays import module_of
from autodiff.transforms.batch import moved, repeated, run_batched
from autodiff.transforms.control.calls import (
    ControlCall,
    Params,
    Step,
    Values,
    batched_carry,
    batched_outputs,
    check_carry,
    size_of_batch,
)
from autodiff.transforms.control.dependence import Sources, of_loop
from autodiff.transforms.control.rows import order, row_spec
from autodiff.transforms.control.scan_derivative import parts_of, pull_scan, push_scan
from autodiff.transforms.control.staging import Recorded, leaves_structure, record_body
from autodiff.transforms.control.values import all_conformed, unshared


class ScanCall(ControlCall):
    """The primitive of ``scan``.

    Its operands are the first carry, the arrays whose slices come in, and what the body closes over. Its parameters
    are the ``tape`` of the body, how many operands are ``carry`` and ``slices``, ``length``, ``reverse``, ``unroll``.
    """

    __slots__ = ()
    keeps_out = True
    domains: ClassVar[Domains] = {
        "tape": TAPE, "carry": LENGTH, "slices": LENGTH, "length": LENGTH, "reverse": FLAG, "unroll": COUNT,
    }  # fmt: skip

    def check_operands(
        self, *specs: Spec, tape: Tape, carry: int, slices: int, length: int, reverse: bool, unroll: int
    ) -> None:
        require(
            carry + slices <= len(specs), f"{len(specs)} operands are less than {carry} carries and {slices} slices"
        )
        stacked = specs[carry : carry + slices]
        require(
            all(s.shape[:1] == (length,) for s in stacked), f"{length} steps take as many slices, and not of {stacked}"
        )
        check_operands(tape, [*specs[:carry], *map(row_spec, stacked), *specs[carry + slices :]])
        check_carry(tape, carry)

    def result_specs(self, *specs: Spec, tape: Tape, carry: int, length: int, **_: Any) -> tuple[Spec, ...]:
        rows = [spec((length, *s.shape), s.dtype) for s in tape.output_specs[carry:]]
        return (*tape.inputs[:carry], *rows)

    def dependence(self, params: Params) -> list[Sources]:
        return of_loop(params["tape"], params["carry"])

    def run(self, *values: Any, **params: Any) -> tuple[Any, ...]:
        tape = params["tape"]
        dead = last_uses(tape)
        return self.repeat(lambda *inputs: run_tape(tape, inputs, dead), values, params)

    def compiled(self, compile_tape: Callable[[Tape], Step], **params: Any) -> Step:
        step = compile_tape(params["tape"])
        return lambda *values: self.repeat(step, values, params)

    def repeat(self, step: Step, values: Values, params: Params) -> tuple[Any, ...]:
        """The loop in Python, with a function that does one step."""
        tape, count = params["tape"], params["carry"]
        init, xs, outside = parts_of(values, params)
        carry = all_conformed(init, tape.inputs[:count])
        rows = [empty(values, (params["length"], *s.shape), s.dtype) for s in tape.output_specs[count:]]
        for k in order(params["length"], params["reverse"]):
            outs = step(*carry, *(x[k] for x in xs), *outside)
            carry = all_conformed(outs[:count], tape.inputs[:count])
            for row, out in zip(rows, outs[count:], strict=True):
                row[k] = out
        return (*(unshared(value, values) for value in carry), *rows)

    def kept(self, operands: Values, params: Params) -> Any:
        tape, count = params["tape"], params["carry"]
        if saves_carries(tape, count):
            return super().kept(operands, params)
        saving = replace(tape, outputs=(*tape.outputs, *range(count)))
        return super().kept(operands, {**params, "tape": saving})[: len(tape.outputs)]

    def residuals(self, values: Values, out: Values, params: Params) -> Any:
        count = params["carry"]
        return tuple(values[count:]), out[len(out) - count :] if type(out) is tuple else out, params

    def pull(self, g: Values, residuals: Any, positions: Sequence[int]) -> Values:
        values, out, params = residuals
        return pull_scan(self, g, values, out[len(out) - params["carry"] :], params, positions)

    def push(self, values: Values, tangents: Values, params: Params) -> tuple[Values, Values]:
        return push_scan(self, values, tangents, params)

    def run_batch(self, values: Values, batched: Sequence[bool], params: Params) -> tuple[Any, ...]:
        tape, count = params["tape"], params["carry"]
        size = size_of_batch(values, batched)
        init, xs, outside = parts_of(values, params)
        flags = parts_of(batched, params)
        rest = [*flags.xs, *flags.outside]
        carried = batched_carry(lambda own: batched_outputs(tape, [*own, *rest])[:count], flags.init)
        inputs = [*carried, *rest]
        wide = batched_body(tape, inputs, carried, size)
        first = [
            repeated(value, size, values) if wanted and not own else value
            for value, own, wanted in zip(init, flags.init, carried, strict=True)
        ]
        columns = [moved(x, 1, 0) if own else x for x, own in zip(xs, flags.xs, strict=True)]
        outs = self(*first, *columns, *outside, *wide.outside, **{**params, "tape": wide.tape})
        differs = [*carried, *batched_outputs(tape, inputs)[count:]]
        return tuple(
            repeated(out, size, outs) if not own else out if k < count else moved(out, 1, 0)
            for k, (out, own) in enumerate(zip(outs, differs, strict=True))
        )


def saves_carries(tape: Tape, count: int) -> bool:
    """Whether the last results of a body are the carry that came in: then all carries are there for reverse mode."""
    return tape.outputs[len(tape.outputs) - count :] == tuple(range(count)) and len(tape.outputs) >= 2 * count


def empty(values: Values, shape: tuple[int, ...], dtype: Any) -> Any:
    """Room for stacked results, of the kind of array that the operands are."""
    return module_of(*values).empty(shape, dtype)


def batched_body(tape: Tape, flags: Sequence[bool], carried: Sequence[bool], size: int) -> Recorded:
    """The step for a whole batch."""
    specs = [batched_spec(s, size) if own else s for s, own in zip(tape.inputs, flags, strict=True)]

    def wide(values: list[Any]) -> list[Any]:
        outs = run_batched(tape, values, flags, size)
        carry = [
            fitted(*pair, wanted, s, size)
            for pair, wanted, s in zip(outs[: len(carried)], carried, tape.inputs, strict=False)
        ]
        return [*carry, *(value for value, _ in outs[len(carried) :])]

    return record_body(wide, specs, leaves_structure(len(specs)))


def fitted(value: Any, batched: bool, wanted: bool, s: Spec, size: int) -> Any:
    """A leaf of the carry of the dtype that it must keep, with a batch axis where it is wanted."""
    if spec_of(value).dtype != s.dtype:
        value = cast(value, dtype=s.dtype)
    return repeated(value, size) if wanted and not batched else value


def batched_spec(s: Spec, size: int) -> Spec:
    """The spec of a whole batch."""
    return spec((size, *s.shape), s.dtype)


scanned = ScanCall("scan")
