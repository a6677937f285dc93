"""The forward mode of a tape as a tape."""

from __future__ import annotations

from typing import Any

from autodiff.backends.reference import run_tape
from autodiff.trace.spec import spec
from autodiff.trace.tape import Tape
from autodiff.transforms.forward import tangents_of
from autodiff.transforms.jit.cutting import staged
from autodiff.transforms.partial import Form, Forms, form_of, joined, parts_of, specs_of
from autodiff.transforms.recompute import of_positions, smooth_outputs


def pushing(tape: Tape, given: Forms) -> tuple[Tape, Forms]:
    """The tape of forward mode for inputs with tangents of these forms, and the forms of the outputs' tangents.

    Its inputs are those of the tape and the parts of the tangents, its outputs those of the tape and the parts of
    theirs. Outputs that do not depend smoothly on the inputs have none: zeros would meet infinite derivatives further
    on.
    """
    count, smooth = len(tape.inputs), smooth_outputs(tape)
    positions = [position for position, form in enumerate(given) if form != "none"]
    found: list[Form] = ["none"] * len(tape.outputs)

    def both(*everything: Any) -> tuple[Any, ...]:
        values, tangents = everything[:count], joined(everything[count:], given)
        outs = run_tape(tape, values)
        of_selected = of_positions(tape, values, positions, smooth)
        pairs = tangents_of(of_selected, [values[p] for p in positions], [tangents[p] for p in positions])
        for place, (_, tangent) in zip(smooth, pairs, strict=True):
            found[place] = form_of(tangent)
        return tuple(outs), tuple(part for _, tangent in pairs for part in parts_of(tangent))

    slots = [spec(s.shape, s.dtype) for s in tape.inputs]
    parts = [part for slot, form in zip(slots, given, strict=True) for part in specs_of(slot, form)]
    return staged(both, [*tape.inputs, *parts]), tuple(found)
