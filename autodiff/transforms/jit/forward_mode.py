"""The forward mode of a tape as a tape."""

from __future__ import annotations

from typing import Any

from autodiff.backends.reference import run_tape
from autodiff.trace.spec import spec
from autodiff.trace.tape import Tape
from autodiff.transforms.forward import jvp
from autodiff.transforms.jit.cutting import staged
from autodiff.transforms.recompute import of_positions, smooth_outputs


def pushing(tape: Tape, positions: tuple[int, ...]) -> Tape:
    """The tape of forward mode.

    Its inputs are those of the tape and the tangents of some of them, its outputs those of the tape and the tangents of
    the smooth ones.
    """
    count, smooth = len(tape.inputs), smooth_outputs(tape)

    def both(*given: Any) -> tuple[Any, Any]:
        values, tangents = given[:count], given[count:]
        selected = [values[p] for p in positions]
        outs = run_tape(tape, values)
        return tuple(outs), jvp(of_positions(tape, values, positions, smooth), selected, list(tangents))[1]

    return staged(both, [*tape.inputs, *(spec(tape.inputs[p].shape, tape.inputs[p].dtype) for p in positions)])
