"""The reverse mode of a tape as tapes: one forward, with residuals, and one backward for each kind of cotangents.

All are cut out of the tape that computes results and cotangents together: what depends on a cotangent runs backward.
Cotangents that are masked stay so, and those that are missing are left out, as the reader of live tapes has it: zeros
in their places would meet infinite derivatives.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff.trace.tape import Equation, Tape, in_turn, ordered, strict
from autodiff.transforms.gradient import Linearization
from autodiff.transforms.jit.cutting import cut, dependent, needed_of, staged
from autodiff.transforms.jit.packing import Place, packed, unpacked
from autodiff.transforms.partial import Form, Forms, cotangents, form_of, joined, parts_of, specs_of
from autodiff.transforms.recompute import of_positions, smooth_outputs


class Backward(NamedTuple):
    """A backward pass.

    Attributes:
        tape: from some of the inputs and residuals, and the parts of the cotangents of the smooth outputs, to the parts
            of the cotangents of the inputs at the positions.
        taken: which of the inputs and of what the forward pass returns after the outputs.
        forms: of the cotangents of the inputs.
    """

    tape: Tape
    taken: tuple[int, ...]
    forms: Forms


class ReverseMode:
    """The reverse mode of a tape with respect to some of its inputs.

    Args:
        tape: without constants.
        positions: the inputs.

    Attributes:
        smooth: which outputs have cotangents.
        forward: from the inputs to the outputs, and after them the residuals, those of the steps of loops as stacks.
    """

    def __init__(self, tape: Tape, positions: tuple[int, ...]) -> None:
        self.tape, self.positions = tape, positions
        self.smooth = smooth_outputs(tape)
        self.numbers: dict[Any, int] = {}
        whole, _ = self.whole(("plain",) * len(self.smooth))
        count, outputs = len(tape.inputs), len(tape.outputs)
        late = self.late(whole)
        read = {o for e in whole.equations if e.results[0] in late for o in e.operands} | set(whole.outputs[outputs:])
        numbers = self.numbered(whole)
        early_ones = sorted(slot for slot in read if isinstance(slot, int) and slot not in late and slot >= count)
        residuals = list({numbers[slot]: slot for slot in reversed(early_ones)}.values())[::-1]  # each of them once
        early = [equation for equation in whole.equations if equation.results[0] not in late]
        turns = {equation.results[0] for equation in early if ordered(equation)}
        forward = cut(whole, range(count), early, (*whole.outputs[:outputs], *residuals), turns)
        self.forward, places = packed(forward, outputs)
        self.specs = (*tape.inputs, *self.forward.output_specs[outputs:])
        self.available: dict[int, Place] = {numbers[slot]: (slot, None) for slot in range(count)}
        for slot, (place, row) in zip(residuals, places, strict=True):
            self.available[numbers[slot]] = count + place, row

    def backward(self, given: Forms) -> Backward:
        """The backward pass from cotangents of these forms."""
        whole, forms = self.whole(given)
        count = len(self.tape.inputs)
        seeds = range(count, len(whole.inputs) - len(whole.constants))
        at = {slot: self.available[number] for slot, number in self.numbered(whole).items() if number in self.available}
        results = whole.outputs[len(self.tape.outputs) :]
        late = self.late(whole) if in_turn(whole) else set()
        turns = {equation.results[0] for equation in whole.equations if ordered(equation)} & late
        equations = needed_of(whole.equations, results, at, turns)
        needed = {o for o in (*results, *(o for e in equations for o in e.operands)) if isinstance(o, int)}
        taken = [slot for slot in at if slot in needed]
        tape = cut(whole, (*taken, *seeds), equations, results, turns)
        return Backward(*unpacked(tape, [at[slot] for slot in taken], self.specs), forms)

    def late(self, whole: Tape) -> set[int]:
        """The slots that the backward pass computes: what depends on cotangents, and what had its turn among them."""
        found = set(range(len(self.tape.inputs), len(whole.inputs) - len(whole.constants)))
        turns = [equation.results for equation in whole.equations if ordered(equation)]
        for results in turns[sum(map(ordered, self.tape.equations)) :]:
            found.update(results)
        return dependent(whole, found)

    def whole(self, given: Forms) -> tuple[Tape, Forms]:
        """The tape of the outputs and the parts of all cotangents, and the forms of the inputs' cotangents."""
        tape, positions, smooth = self.tape, self.positions, self.smooth
        count, outputs = len(tape.inputs), len(tape.outputs)
        forms: list[Form] = []

        def run(*everything: Any) -> tuple[Any, ...]:
            values = everything[:count]

            def results(*selected: Any) -> tuple[Any, Any]:
                outs = of_positions(tape, values, positions, range(outputs))(*selected)
                return tuple(outs[k] for k in smooth), outs

            at = Linearization("jit", results, tuple(values[p] for p in positions), True)
            cts = cotangents(at, joined(everything[count:], given))
            forms[:] = map(form_of, cts)
            return at.aux, *(part for ct in cts for part in parts_of(ct))

        seeds = [slot for k, form in zip(smooth, given, strict=True) for slot in specs_of(tape.output_specs[k], form)]
        return staged(run, [*tape.inputs, *seeds]), tuple(forms)

    def numbered(self, tape: Tape) -> dict[int, int]:
        """A number for each slot of a tape: the same for those that are computed in the same way from the inputs."""
        found = {slot: self.number(("input", slot)) for slot in range(len(self.tape.inputs))}
        for slot, array in enumerate(tape.constants, len(tape.inputs) - len(tape.constants)):
            found[slot] = self.number(("constant", array.dtype, array.shape, np.asarray(array).tobytes()))
        for equation in tape.equations:
            if all(o in found for o in equation.operands if isinstance(o, int)):
                key = key_of(equation, found)
                for place, slot in enumerate(equation.results):
                    found[slot] = self.number((*key, place))
        return found

    def number(self, key: Any) -> int:
        return self.numbers.setdefault(key, len(self.numbers))


def key_of(equation: Equation, numbers: dict[int, int]) -> tuple[Any, ...]:
    """How an operation computes its results, in terms of numbered slots."""
    operands = tuple(("slot", numbers[o]) if isinstance(o, int) else o for o in equation.operands)
    return equation.primitive, operands, tuple((name, strict(value)) for name, value in equation.params)
