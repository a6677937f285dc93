"""Reverse mode of a loop of which nobody knows how many steps it takes.

The operation runs the loop once more, puts every carry on a stack, and goes back through them. Where it is itself
differentiated with shapes only, a stack that grows has no place on a tape: then every carry is computed again from
the first one, by loops whose derivatives are loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from autodiff.trace.parameters import COUNT, LENGTH, each, require, same
from autodiff.trace.parameters import Params as Domains
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, result_spec
from autodiff.trace.tape import Tape
from autodiff.trace.tape_call import TAPE
from autodiff.transforms.batch import repeated
from autodiff.transforms.control.backwards import Way
from autodiff.transforms.control.calls import ControlCall, Params, Step, Values, check_loop, size_of_batch
from autodiff.transforms.control.dependence import active
from autodiff.transforms.control.repeat import tape_body
from autodiff.transforms.control.staging import must_stage
from autodiff.transforms.control.together import batched_tapes
from autodiff.transforms.control.values import all_conformed, unshared
from autodiff.transforms.forward import own_tangent, tangents_of
from autodiff.transforms.gradient import vjp


def tape_function(tape: Tape) -> Step:
    """A tape as a function of its inputs."""
    run = tape_body(tape, ())
    return lambda *inputs: run(inputs)


def typed(specs: Sequence[Spec]) -> list[Any]:
    """Shapes and dtypes."""
    return [(s.shape, s.dtype) for s in specs]


class Unwinding(ControlCall):
    """The primitive of a loop's reverse mode; see :class:`Way` for its operands and parameters.

    Further parameters are ``back``, the tape of :meth:`Way.back`, and ``smooth``: both are recorded when the operation
    is, from the body as it is then. Rewriting rules keep values, and may change what would be derivatives.

    Args:
        name: its name on a tape.
        loop: the primitive of the loop.
    """

    __slots__ = ("loop",)
    domains: ClassVar[Domains] = {
        "condition": TAPE, "body": TAPE, "back": TAPE, "carry": COUNT, "wanted": each(LENGTH), "used": each(LENGTH),
        "smooth": each(LENGTH),
    }  # fmt: skip

    def __init__(self, name: str, loop: Primitive) -> None:
        super().__init__(name)
        self.loop = loop

    def check_operands(
        self,
        *specs: Spec,
        condition: Tape,
        body: Tape,
        back: Tape,
        carry: int,
        wanted: tuple[int, ...],
        used: tuple[int, ...],
        smooth: tuple[int, ...],
    ) -> None:
        own, end = len(body.inputs), len(body.inputs) + len(used)
        require(end <= len(specs), f"{len(specs)} operands are less than {own} of the loop and {len(used)} cotangents")
        check_loop(specs[:own], condition, body, carry)
        for positions, most in ((used, carry), (smooth, carry), (wanted, own)):
            require(len(set(positions)) == len(positions), f"the positions {positions} must differ")
            require(all(p < most and body.inputs[p].inexact for p in positions), f"{positions} have no cotangents")
        for k, ct in zip(used, specs[own:end], strict=True):
            same("the shapes of a carry and its cotangent", body.inputs[k].shape, ct.shape)
        needed = {*active(body, carry, used), *(p for p in wanted if p < carry)}
        require(needed <= set(smooth), f"there are cotangents of {sorted(needed)}, and not of {smooth} alone")
        taken, returned = Way(condition, body, carry, wanted, used, smooth).back_specs()
        same("what the step back takes", typed([*taken, *specs[end:]]), typed(back.inputs))
        same("what the step back returns", typed(returned), typed(back.output_specs))

    def result_specs(self, *specs: Spec, body: Tape, wanted: tuple[int, ...], **_: Any) -> tuple[Spec, ...]:
        return tuple(result_spec(body.inputs[p].shape, body.inputs[p].dtype) for p in wanted)

    def run(self, *values: Any, **params: Any) -> tuple[Any, ...]:
        return tuple(self.compiled(tape_function, **params)(*values))

    def compiled(self, compile_tape: Callable[[Tape], Step], *, back: Tape, **params: Any) -> Step:  # type: ignore[override]
        way, specs = Way(**params), self.result_specs(**params)
        holds, after, before = map(compile_tape, (way.condition, way.body, back))

        def run(*values: Any) -> tuple[Any, ...]:
            found = way.by_stack(way.start(values), holds, after, before)
            return tuple(unshared(value, values) for value in all_conformed(found, specs))

        return run

    def __call__(self, *operands: Any, **params: Any) -> Any:
        way = Way(**{name: value for name, value in params.items() if name != "back"})
        if must_stage(operands):
            if "back" not in params:
                back = way.recorded_back()
                params = {**params, "back": back.tape, "smooth": tuple(way.smooth)}
                operands = *operands, *back.outside
            return super().__call__(*operands, **params)
        holds, after = tape_function(way.condition), tape_function(way.body)
        found = way.by_stack(way.start(operands[: way.given]), holds, after, way.back)
        return tuple(all_conformed(found, self.result_specs(**params)))

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
        pairs = tangents_of(run, [values[p] for p in positions], [tangents[p] for p in positions])
        return tuple(value for value, _ in pairs), tuple(own_tangent(*pair) for pair in pairs)

    def some(self, values: Values, params: Params, positions: Sequence[int], outs: Sequence[int]) -> Any:
        """Some of the results as a function of some of the operands, made of loops."""

        def run(*selected: Any) -> tuple[Any, ...]:
            full = list(values)
            for p, value in zip(positions, selected, strict=True):
                full[p] = value
            way = Way(**{name: value for name, value in params.items() if name != "back"})
            found = way.by_loops(self.loop, way.start(full[: way.given]))
            return tuple(found[k] for k in outs)

        return run

    def run_batch(self, values: Values, batched: Sequence[bool], params: Params) -> tuple[Any, ...]:
        body, count = params["body"], params["carry"]
        own, end = len(body.inputs), len(body.inputs) + len(params["used"])
        size = size_of_batch(values, batched)
        wide = [
            is_batched or k >= own or k in params["wanted"] or (k < count and body.inputs[k].inexact)
            for k, is_batched in enumerate(batched[:end])
        ]
        flags, tapes, more = batched_tapes(wide[:own], size, params)
        wide[:count] = flags
        spread = [
            repeated(value, size) if wanted and not is_batched else value
            for value, is_batched, wanted in zip(values, batched, wide, strict=False)
        ]
        loop = {name: params[name] for name in ("carry", "wanted", "used")} | tapes
        with np.errstate(all="ignore"):  # of examples that have stopped
            return self(*spread[:own], *more, *spread[own:], **loop)  # type: ignore[no-any-return]
