"""A loop with a condition for a whole batch: it goes on until all examples have stopped. Those keep their carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.ops.elementwise import cast, where
from autodiff.ops.reductions.reduce import any_axes
from autodiff.ops.shape import reshape
from autodiff.trace.spec import Spec, spec, spec_of
from autodiff.trace.tape import Tape
from autodiff.transforms.batch import repeated, run_batched
from autodiff.transforms.control.calls import Params, Values, batched_carry, batched_outputs
from autodiff.transforms.control.staging import joined, leaves_structure, record_body


def batched_tapes(batched: Sequence[bool], size: int, params: Params) -> tuple[list[bool], dict[str, Tape], list[Any]]:
    """The loop for a batch.

    Args:
        batched: which of the loop's operands differ between examples.
        size: how many examples there are.
        params: the loop's parameters.

    Returns:
        which leaves of the carry differ, the tapes of condition and body, and the values of their further inputs.
    """
    body, condition, count = params["body"], params["condition"], params["carry"]
    flags, several = batched_flags(batched, params)
    inputs = [*flags, *batched[count:]]
    specs = [spec((size, *s.shape), s.dtype) if own else s for s, own in zip(body.inputs, inputs, strict=True)]

    def going(values: Values) -> Any:
        return run_batched(condition, values, inputs, size)[0][0]

    def holds(values: Values) -> Any:
        return any_axes(going(values), axes=(-1,)) if several else going(values)

    def step(values: Values) -> list[Any]:
        on = going(values) if several else None
        outs = run_batched(body, values, inputs, size)
        return [
            updated(values[k], *pair, on, body.inputs[k], size) if own else pair[0]
            for k, (pair, own) in enumerate(zip(outs, flags, strict=True))
        ]

    structure = leaves_structure(len(specs))
    tapes, outside = joined([record_body(holds, specs, structure), record_body(step, specs, structure)], len(specs))
    return flags, dict(zip(("condition", "body"), tapes, strict=True)), outside


def updated(now: Any, value: Any, batched: bool, going: Any, s: Spec, size: int) -> Any:
    """A leaf of the carry after a step, in which some examples stand still."""
    value = value if spec_of(value).dtype == s.dtype else cast(value, dtype=s.dtype)
    value = value if batched else repeated(value, size)
    return value if going is None else where(reshape(going, shape=(size, *(1,) * s.ndim)), value, now)


def batched_flags(batched: Sequence[bool], params: Params) -> tuple[list[bool], bool]:
    """Which leaves of the carry differ between examples, and whether the condition does."""
    count, body, condition = params["carry"], params["body"], params["condition"]
    outside = list(batched[count:])

    def flow(own: list[bool]) -> list[bool]:
        if batched_outputs(condition, [*own, *outside])[0]:  # then some examples go on when others have stopped
            return [own[k] or out != k for k, out in enumerate(body.outputs)]
        return batched_outputs(body, [*own, *outside])

    flags = batched_carry(flow, batched[:count])
    return flags, batched_outputs(condition, [*flags, *outside])[0]
