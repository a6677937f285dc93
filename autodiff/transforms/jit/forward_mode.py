"""The forward mode of a tape as a tape."""

from __future__ import annotations

from typing import Any

from autodiff.backends.reference import run_tape
from autodiff.trace.spec import spec
from autodiff.trace.tape import Tape
from autodiff.transforms.forward import tangents_of
from autodiff.transforms.jit.cutting import staged
from autodiff.transforms.recompute import of_positions, smooth_outputs


def pushing(tape: Tape, positions: tuple[int, ...]) -> tuple[Tape, tuple[int, ...]]:
    """The tape of forward mode, and which outputs have tangents.

    Its inputs are those of the tape and the tangents of some of them, its outputs those of the tape and their tangents.
    Outputs that do not depend smoothly on the inputs have none: zeros would meet infinite derivatives further on.
    """
    count, smooth = len(tape.inputs), smooth_outputs(tape)
    found: list[int] = []

    def both(*given: Any) -> tuple[Any, Any]:
        values, tangents = given[:count], given[count:]
        selected = [values[p] for p in positions]
        outs = run_tape(tape, values)
        pushed = tangents_of(of_positions(tape, values, positions, smooth), selected, tangents)
        found[:] = [k for k, tangent in zip(smooth, pushed, strict=True) if tangent is not None]
        return tuple(outs), tuple(tangent for tangent in pushed if tangent is not None)

    inputs = [*tape.inputs, *(spec(tape.inputs[p].shape, tape.inputs[p].dtype) for p in positions)]
    return staged(both, inputs), tuple(found)
