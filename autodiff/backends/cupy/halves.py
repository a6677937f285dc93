"""float16 and bfloat16 in programs on GPUs: loaded and stored with 16 bits, computed as float32, rounded once.

Operation by operation every result is rounded to 16 bits. Here what a kernel computes in between is not, and sums are
taken in float32, so that they overflow only where their result does. What a program converts itself is rounded
where it says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff.backends.cupy.kernels.call import device_kernel
from autodiff.backends.kernels.folds import reduces
from autodiff.backends.kernels.forms import PASSING, Unfit, grid_of
from autodiff.backends.kernels.halves import is_half, narrow, unrounded, widen
from autodiff.backends.kernels.scalars import unsupported
from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.ops.elementwise import cast
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, spec
from autodiff.trace.tape import Equation, Literal, Operand, Tape

SINGLE = np.dtype(np.float32)

WRITTEN_OUT = "softmax", "log_softmax", "logsumexp"
"""Operations on rows that are written out once they are float32: in 16 bits CuPy has no functions for all of them."""


def has_halves(tape: Tape) -> bool:
    """Whether there are numbers of 16 bits in a tape."""
    return any(is_half(own.dtype) for own in tape.specs)


def widened(own: Spec) -> Spec:
    """float32 in the place of 16 bits."""
    if not is_half(own.dtype):
        return own
    return spec(own.shape, SINGLE, "array" if own.kind == "array" else "scalar")


class Widening:
    """The tape with float32 in the places of 16 bits, and conversions where others than kernels read or write.

    Args:
        tape: without constants.

    Attributes:
        specs: of the new tape's slots.
        equations: of the new tape.
        stored: for each slot of the old tape the one that holds the same, if there is one.
        wide: for each slot with numbers of 16 bits the one that holds them as float32, if there is one.
        views: operations that only change the shape of such numbers: they are done where they are needed.
        kept: slots that are stored in any case: everybody reads them with 16 bits.
    """

    def __init__(self, tape: Tape) -> None:
        self.old = tape
        self.specs: list[Spec] = list(tape.inputs)
        self.equations: list[Equation] = []
        self.stored: dict[int, int] = {slot: slot for slot in range(len(tape.inputs))}
        self.wide: dict[int, int] = {}
        self.views: dict[int, Equation] = {}
        self.source = ""
        self.known = tape.specs
        self.kept = self.found_kept()
        for equation in tape.equations:
            self.source = equation.source
            self.take(equation)

    def tape(self) -> Tape:
        """The new tape."""
        outputs = tuple(self.as_stored(out) for out in self.old.outputs)
        old = self.old
        return drop_dead(Tape(old.inputs, tuple(self.equations), outputs, old.constants, old.arguments, old.results))

    def found_kept(self) -> set[int]:
        """The slots that results, and others than kernels, want stored."""
        found = {out for out in self.old.outputs if isinstance(out, int)}
        for equation in reversed(self.old.equations):
            name = equation.primitive.name
            passes = name in PASSING and found.intersection(equation.results)
            if passes or not (name == "cast" or name in PASSING or self.computable(equation)):
                found.update(o for o in equation.operands if isinstance(o, int))
        return found

    # Values.

    def emit(self, primitive: Primitive, operands: Sequence[Operand], params: Any, specs: Sequence[Spec]) -> int:
        """Enter an operation: the slot of its first result."""
        first = len(self.specs)
        results = tuple(range(first, first + len(specs)))
        self.equations.append(Equation(primitive, tuple(operands), params, results, tuple(specs), self.source))
        self.specs.extend(specs)
        return first

    def as_stored(self, operand: Operand) -> Operand:
        """An operand as it is in the old tape."""
        if not isinstance(operand, int):
            return operand
        if operand not in self.stored:
            own = self.known[operand]
            if operand in self.views:
                view = self.views[operand]
                given = [self.as_stored(o) for o in view.operands]
                self.stored[operand] = self.emit(view.primitive, given, view.params, view.specs)
            else:
                self.stored[operand] = self.emit(narrow, [self.wide[operand]], (("dtype", own.dtype),), [own])
        return self.stored[operand]

    def as_wide(self, operand: Operand, exact: bool = False) -> Operand:
        """An operand as float32 if it has 16 bits.

        Args:
            operand: of the old tape.
            exact: whether numbers in the text are rounded to 16 bits, too.
        """
        if not isinstance(operand, int):
            value = operand.value
            if isinstance(value, (float, np.generic)) and is_half(np.asarray(value).dtype):
                return Literal(SINGLE.type(value))
            return operand
        own = self.known[operand]
        if not is_half(own.dtype):
            return self.as_stored(operand)
        if operand not in self.wide:
            view = self.views.get(operand)
            if view is not None:
                given, specs = [self.as_wide(o) for o in view.operands], list(map(widened, view.specs))
                self.wide[operand] = self.emit(view.primitive, given, view.params, specs)
            else:
                self.wide[operand] = self.emit(widen, [self.stored[operand]], (), [widened(own)])
        return self.wide[operand]

    # Operations.

    def take(self, equation: Equation) -> None:
        """Enter what stands for an operation of the old tape."""
        name = equation.primitive.name
        halves = [isinstance(o, int) and is_half(self.known[o].dtype) for o in equation.operands]
        made = [is_half(own.dtype) for own in equation.specs]
        if not any(halves) and not any(made):
            self.copy(equation)
        elif name == "cast":
            self.converted(equation)
        elif name in PASSING and halves[0]:
            self.views[equation.results[0]] = equation
        elif self.computable(equation):
            self.computed(equation)
        else:
            self.copy(equation)

    def copy(self, equation: Equation) -> None:
        """The same operation on the same numbers."""
        operands = [self.as_stored(o) for o in equation.operands]
        first = self.emit(equation.primitive, operands, equation.params, equation.specs)
        self.stored.update((slot, first + k) for k, slot in enumerate(equation.results))

    def converted(self, equation: Equation) -> None:
        """A conversion that the program asks for: it rounds."""
        (operand,), (result,), (own,) = equation.operands, equation.results, equation.specs
        given = self.as_wide(operand)
        if is_half(own.dtype):
            self.stored[result] = self.emit(narrow, [given], (("dtype", own.dtype),), [own])
        elif own.dtype == SINGLE and isinstance(given, int) and self.specs[given] == own:
            self.stored[result] = given
        else:
            self.stored[result] = self.emit(cast, [given], equation.params, [own])

    def computable(self, equation: Equation) -> bool:
        """Whether a kernel can compute it in float32."""
        name, (own, *others) = equation.primitive.name, equation.specs
        if others or reduces(equation) or name in (*PASSING, *WRITTEN_OUT, "pick", "place"):
            return not others and own.kind == "array"
        if equation.primitive.family != "elementwise" or own.kind != "array":
            return False
        operands = [widened(self.known[o]) if isinstance(o, int) else o.value for o in equation.operands]
        return not unsupported(equation.primitive, operands, widened(own))

    def computed(self, equation: Equation) -> None:
        """The same operation on float32."""
        (result,), (own,) = equation.results, equation.specs
        operands = [self.as_wide(o) for o in equation.operands]
        element = equation.primitive.facts.element
        if element is not None and element.computes == "operands":
            operands = [self.compared(o, equation.operands) for o in operands]
        params = tuple(
            (key, SINGLE if key == "dtype" and is_half(np.dtype(value)) else value) for key, value in equation.params
        )
        found = self.emit(equation.primitive, operands, params, [widened(own)])
        if not is_half(own.dtype):
            self.stored[result] = found
        elif result in self.kept:
            self.stored[result] = self.emit(narrow, [found], (("dtype", own.dtype),), [own])
        elif reduces(equation):
            self.wide[result] = found
        else:
            self.wide[result] = self.emit(unrounded, [found], (("dtype", own.dtype),), [widened(own)])

    def compared(self, operand: Operand, all_operands: Sequence[Operand]) -> Operand:
        """A number that is compared with numbers of 16 bits is rounded as they are."""
        if isinstance(operand, int) or not isinstance(operand.value, (int, float)):
            return operand
        dtypes = [self.known[o].dtype for o in all_operands if isinstance(o, int)]
        halves = [dtype for dtype in dtypes if is_half(dtype)]
        if len(halves) < len(dtypes):
            return operand
        with np.errstate(over="ignore"):
            return Literal(SINGLE.type(halves[0].type(operand.value)))


def compute_in_float32(tape: Tape) -> Tape:
    """The tape whose numbers of 16 bits are computed as float32; itself if it has none."""
    return Widening(tape).tape() if has_halves(tape) else tape


# After kernels are made.

Handed = dict[int, np.dtype[Any]]
"""Slots with float32 in the place of 16 bits, and the dtypes that they stand for."""


def store_halves(tape: Tape) -> Tape:
    """The tape in which kernels hand on numbers of 16 bits as such, where they computed them as float32."""
    handed: Handed = {slot: dtype for equation in tape.equations for slot, dtype in handed_on(equation).items()}
    while handed:
        found = [with_halves(equation, handed) for equation in tape.equations]
        unfit = [old for old, new in zip(tape.equations, found, strict=True) if new is None]
        if not unfit:
            return replace(tape, equations=tuple(filter(None, found)))
        refused = {slot for equation in unfit for slot in touched(equation, handed)}
        handed = {slot: dtype for slot, dtype in handed.items() if slot not in refused}
    return tape


def is_grid(equation: Equation) -> bool:
    """Whether it is a kernel on a grid."""
    return equation.primitive is device_kernel and dict(equation.params)["kind"] == "grid"


def handed_on(equation: Equation) -> Handed:
    """The results of a kernel that stand for numbers of 16 bits."""
    if not is_grid(equation):
        return {}
    inner = dict(equation.params)["tape"]
    made = {e.results[0]: e for e in inner.equations if e.primitive is unrounded}
    pairs = zip(equation.results, inner.outputs, strict=True)
    return {slot: dict(made[out].params)["dtype"] for slot, out in pairs if out in made}


def touched(equation: Equation, handed: Handed) -> list[int]:
    """The slots of numbers of 16 bits that an operation reads; those that it writes if it reads none."""
    given = [o for o in equation.operands if isinstance(o, int) and o in handed]
    return given or [slot for slot in equation.results if slot in handed]


def with_halves(equation: Equation, handed: Handed) -> Equation | None:
    """An operation that reads and writes 16 bits in the places of some slots; None if it cannot."""
    given = {k: handed[o] for k, o in enumerate(equation.operands) if isinstance(o, int) and o in handed}
    made = {k: handed[slot] for k, slot in enumerate(equation.results) if slot in handed}
    if not given and not made:
        return equation
    if not is_grid(equation):
        return None
    params = dict(equation.params)
    inner = converted_inside(params["tape"], given, made)
    try:
        grid_of(inner.equations, dict(enumerate(inner.specs)), params["shape"])
    except Unfit:
        return None
    params["tape"] = inner
    return replace(equation, params=tuple(sorted(params.items())), specs=inner.output_specs)


def converted_inside(tape: Tape, given: Handed, made: Handed) -> Tape:
    """The tape of a kernel with conversions of some inputs and outputs, by their numbers."""
    inputs = tuple(spec(own.shape, given[k]) if k in given else own for k, own in enumerate(tape.inputs))
    number = {slot: slot for slot in range(len(inputs))}
    equations: list[Equation] = []

    def add(equation: Equation) -> int:
        first = len(inputs) + sum(len(e.results) for e in equations)
        equations.append(replace(equation, results=tuple(range(first, first + len(equation.specs)))))
        return first

    for k in given:
        number[k] = add(Equation(widen, (k,), (), (), (tape.inputs[k],)))
    for equation in tape.equations:
        operands = tuple(number[o] if isinstance(o, int) else o for o in equation.operands)
        first = add(replace(equation, operands=operands))
        number.update((slot, first + k) for k, slot in enumerate(equation.results))
    outputs: list[Operand] = [number[out] if isinstance(out, int) else out for out in tape.outputs]
    for k, dtype in made.items():
        own = spec(tape.output_specs[k].shape, dtype)
        outputs[k] = add(Equation(narrow, (outputs[k],), (("dtype", dtype),), (), (own,)))
    return replace(tape, inputs=inputs, equations=tuple(equations), outputs=tuple(outputs))
