"""The forward mode of a tape as a tape, or as two: of what is known before the tangents are, and of the rest."""

from __future__ import annotations

from typing import Any, NamedTuple

from autodiff.backends.reference import run_tape
from autodiff.trace.spec import spec
from autodiff.trace.tape import Tape, ordered
from autodiff.transforms.forward import tangents_of
from autodiff.transforms.jit.cutting import cut, dependent, staged
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


class Linearized(NamedTuple):
    """The forward mode of a tape where tangents come later than values.

    Attributes:
        known: from the inputs to the outputs, and after them the residuals.
        linear: from some of the inputs and residuals, and the parts of the tangents, to those of the outputs' tangents.
        taken: which of the inputs and residuals.
        forms: of the outputs' tangents.
    """

    known: Tape
    linear: Tape
    taken: tuple[int, ...]
    forms: Forms


def linearized(tape: Tape, given: Forms) -> Linearized:
    """The two tapes for inputs with tangents of these forms."""
    whole, forms = pushing(tape, given)
    count, outputs = len(tape.inputs), whole.outputs[: len(tape.outputs)]
    pushed, parts = whole.outputs[len(tape.outputs) :], range(count, len(whole.inputs) - len(whole.constants))
    late = dependent(whole, parts)
    early = [equation for equation in whole.equations if equation.results[0] not in late]
    after = [equation for equation in whole.equations if equation.results[0] in late]
    read = {o for o in (*pushed, *(o for equation in after for o in equation.operands)) if isinstance(o, int)} - late
    residuals = sorted(slot for slot in read if slot >= len(whole.inputs))
    taken = [slot for slot in (*range(count), *residuals) if slot in read]
    turns = {equation.results[0] for equation in whole.equations if ordered(equation)}
    known = cut(whole, range(count), early, (*outputs, *residuals), turns)
    linear = cut(whole, (*taken, *parts), after, pushed, turns)
    place = {slot: k for k, slot in enumerate((*range(count), *residuals))}
    return Linearized(known, linear, tuple(place[slot] for slot in taken), forms)
