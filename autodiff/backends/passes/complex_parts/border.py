"""Where a program on parts meets complex numbers: its arguments and results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from autodiff.backends.passes.complex_parts import control, elements, functions, linear, short_transforms
from autodiff.backends.passes.complex_parts.conversion import (
    Conversion,
    Found,
    Parts,
    computes_complex,
    is_complex,
    real_spec,
)
from autodiff.backends.passes.complex_parts.pairs import paired, pairs, put_together, real_dtype, taken_apart, unpaired
from autodiff.backends.passes.rewrite.rewriting import Builder
from autodiff.ops.index import slice_of
from autodiff.trace.spec import Spec, spec
from autodiff.trace.tape import Operand, Tape

MODULES = (control, elements, functions, linear, short_transforms)
"""Where it is written what operations are in terms of parts."""


@dataclass(frozen=True)
class Border:
    """A program on complex numbers as one on real ones, with operations around it that copy no array.

    Attributes:
        tape: the program as it was.
        core: the same on pairs of real numbers, as far as results need more than the arguments themselves.
        whole: for each of the tape's outputs whether the core gives it as it is.
    """

    tape: Tape
    core: Tape
    whole: tuple[bool, ...]

    def around(self, core: Tape) -> Tape:
        """The program, with its core as it is run."""
        builder = Builder(self.tape.inputs, {}, merge=True)
        now: list[Operand] = []
        for slot, own in enumerate(self.tape.inputs):
            if not is_complex(own):
                now.append(slot)
            else:
                now.extend([builder.emit(pairs, slot)] if own.kind == "array" else taken_apart(builder, slot))
        for equation in core.equations:
            now.extend(builder.append(equation, tuple(now[o] if isinstance(o, int) else o for o in equation.operands)))
        outs = iter([now[o] if isinstance(o, int) else o for o in core.outputs])
        outputs = tuple(
            out if passed_on(self.tape, out) else next(outs) if whole else leaving(builder, outs, own)
            for out, own, whole in zip(self.tape.outputs, self.tape.output_specs, self.whole, strict=True)
        )
        return replace(self.tape, equations=tuple(builder.equations), outputs=outputs)


def leaving(builder: Builder, outs: Iterator[Operand], own: Spec) -> Operand:
    """A complex result, of what the core gives for it."""
    if own.kind == "array":
        return builder.emit(unpaired, next(outs), dtype=own.dtype)
    return put_together(builder, next(outs), next(outs), own)


def on_parts(tape: Tape) -> Border | None:
    """A simplified program on complex numbers as one on real ones, for kernels.

    Returns:
        None where nothing is complex.
    """
    if not computes_complex(tape):
        return None
    inputs = [part for own in tape.inputs for part in entered(own)]
    builder = Builder(inputs, {}, merge=True)
    slots = iter(range(len(inputs)))
    given: list[Found] = []
    for own in tape.inputs:
        slot = next(slots)
        if not is_complex(own):
            given.append(slot)
        elif own.kind == "array":
            given.append(Parts(builder.emit(slice_of, slot, key=(0,)), builder.emit(slice_of, slot, key=(1,))))
        else:
            given.append(Parts(slot, next(slots)))
    conversion = Conversion(builder, given, tape.specs)
    found = conversion.run(tape)
    outputs: list[Operand] = []
    for old, own, out in zip(tape.outputs, tape.output_specs, found, strict=True):
        if passed_on(tape, old):
            continue
        if not isinstance(out, Parts):
            outputs.append(out)
        else:
            outputs.extend([paired(builder, *out)] if own.kind == "array" else out)
    core = Tape(tuple(inputs), tuple(builder.equations), tuple(outputs))
    return Border(tape, core, tuple(not isinstance(out, Parts) for out in found))


def passed_on(tape: Tape, out: Operand) -> bool:
    """Whether an output is an argument or a number, which the core does not see."""
    return not isinstance(out, int) or out < len(tape.inputs)


def entered(own: Spec) -> list[Spec]:
    """What the core gets for an argument."""
    if not is_complex(own):
        return [own]
    return [spec((*own.shape, 2), real_dtype(own.dtype))] if own.kind == "array" else [real_spec(own)] * 2
