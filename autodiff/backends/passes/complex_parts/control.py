"""Loops and branches whose bodies compute with complex numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff.backends.passes.complex_parts.conversion import (
    Conversion,
    Found,
    Parts,
    in_parts,
    is_complex,
    real_spec,
)
from autodiff.backends.passes.complex_parts.islands import of_parts, parts_of
from autodiff.backends.passes.rewrite.rewriting import Builder
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape, inner_tapes


@in_parts("scan")
def of_scan(c: Conversion, equation: Equation) -> tuple[Found, ...] | None:
    """A loop that carries, reads and stacks parts."""
    params = dict(equation.params)
    carry, slices = params["carry"], params["slices"]
    body = real_body(params["tape"])
    if body is None:
        return None
    inputs = params["tape"].inputs
    params |= {"tape": body, "carry": places(inputs[:carry]), "slices": places(inputs[carry : carry + slices])}
    return called(c, equation, inputs, params)


@in_parts("while_loop")
def of_while_loop(c: Conversion, equation: Equation) -> tuple[Found, ...] | None:
    """A loop that carries parts."""
    params = dict(equation.params)
    condition, body = real_body(params["condition"]), real_body(params["body"])
    if condition is None or body is None:
        return None
    inputs = params["body"].inputs
    params |= {"condition": condition, "body": body, "carry": places(inputs[: params["carry"]])}
    return called(c, equation, inputs, params)


@in_parts("switch")
def of_switch(c: Conversion, equation: Equation) -> tuple[Found, ...] | None:
    """A branch that is handed parts, and returns parts."""
    params = dict(equation.params)
    branches = [real_body(tape) for tape in params["branches"]]
    if any(tape is None for tape in branches):
        return None
    inputs = (c.spec(equation.operands[0]), *params["branches"][0].inputs)
    return called(c, equation, inputs, params | {"branches": tuple(branches)})


def called(
    c: Conversion, equation: Equation, inputs: Sequence[Spec], params: dict[str, Any]
) -> tuple[Found, ...] | None:
    """The results of a loop or branch, of which the complex ones come in parts.

    Args:
        c: the conversion.
        equation: the loop or branch.
        inputs: what its tape takes the operands for.
        params: with tapes on parts.
    """
    given: list[Operand] = []
    for operand, own in zip(equation.operands, inputs, strict=True):
        if is_complex(own) != is_complex(c.spec(operand)):
            return None  # made complex on the way in
        given.extend(c.parts(operand) if is_complex(own) else (c.whole(operand),))
    specs = equation.primitive.spec(*map(c.builder.spec, given), **params)
    written = Equation(equation.primitive, tuple(given), tuple(sorted(params.items())), (), specs, c.builder.source)
    outs = iter(c.builder.place(written))
    return tuple(Parts(next(outs), next(outs)) if is_complex(own) else next(outs) for own in equation.specs)


class OfBody(Conversion):
    """The conversion of the body of a loop or branch: what has no form in parts is given parts, and gives parts."""

    def island(self, equation: Equation) -> tuple[Found, ...]:
        if inner_tapes(equation):
            return super().island(equation)
        operands: list[Operand] = []
        dtypes: list[np.dtype[Any] | None] = []
        for operand in equation.operands:
            own = self.spec(operand)
            dtypes.append(own.dtype if is_complex(own) else None)
            operands.extend(self.parts(operand) if is_complex(own) else (self.whole(operand),))
        params = ("given", tuple(dtypes)), ("params", equation.params)
        specs = tuple(part for own in equation.specs for part in parts_of(own))
        written = Equation(of_parts(equation.primitive), tuple(operands), params, (), specs, equation.source)
        outs = iter(self.builder.append(written, tuple(operands)))
        return tuple(Parts(next(outs), next(outs)) if is_complex(own) else next(outs) for own in equation.specs)


def places(specs: Iterable[Spec]) -> int:
    """How many values the parts of values are."""
    return sum(2 if is_complex(own) else 1 for own in specs)


def real_body(tape: Tape) -> Tape | None:
    """A tape on parts; None where one of its operations has no form in parts."""
    specs = [part for own in tape.inputs for part in [real_spec(own)] * (2 if is_complex(own) else 1)]
    slots = iter(range(len(specs)))
    given: list[Found] = [Parts(next(slots), next(slots)) if is_complex(own) else next(slots) for own in tape.inputs]
    conversion = OfBody(Builder(specs, {}, merge=True), given, tape.specs)
    outs: list[Operand] = []
    for out, own in zip(conversion.run(tape), tape.output_specs, strict=True):
        if isinstance(out, Parts):
            outs.extend(out)
        elif is_complex(own) and not isinstance(out, int):
            outs.extend(conversion.parts(out))
        else:
            outs.append(out)
    if conversion.islands:
        return None
    return replace(
        tape, inputs=tuple(specs), equations=tuple(conversion.builder.equations), outputs=tuple(outs),
        arguments=None, results=None,
    )  # fmt: skip
