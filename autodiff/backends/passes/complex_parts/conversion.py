"""A tape in which complex values stand as their real and imaginary parts.

Kernels know real numbers only. So what complex operations do is written out in terms of parts, by the formulas that
NumPy computes with: a product is ``(a c - b d, a d + b c)``, with a zero for the imaginary part of a real operand, so
that signs of zeros and products of infinities come out as NumPy's. An operation that has no such form is an *island*:
its operands are put together, it runs as it is, and its results are taken apart where parts are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from autodiff.backends.passes.complex_parts.pairs import put_together, real_dtype, taken_apart
from autodiff.backends.passes.rewrite.rewriting import Builder
from autodiff.ops.elementwise import cast, positive, where
from autodiff.ops.shape import broadcast_to
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, spec
from autodiff.trace.tape import Equation, Literal, Operand, Tape, as_python, inner_tapes


class Parts(NamedTuple):
    """The parts of a complex value, in the new tape."""

    real: Operand
    imag: Operand


Found = Operand | Parts
Handler = Callable[["Conversion", Equation], "Found | tuple[Found, ...] | None"]

HANDLERS: dict[str, Handler] = {}
"""What operations are in terms of parts, by the name of the primitive."""

FAMILIES: dict[str, Handler] = {}
"""The same for the other operations of a family."""

ZERO = Literal(0.0)
"""The imaginary part of a real number, of whatever precision."""


def in_parts(*names: str) -> Callable[[Handler], Handler]:
    """Enter what operations of these names are in terms of parts."""

    def enter(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, handler))
        return handler

    return enter


def is_complex(own: Spec) -> bool:
    """Whether values of a spec are complex."""
    return own.dtype.kind == "c"


def real_spec(own: Spec) -> Spec:
    """The spec of the parts of a value: its own where it is real."""
    return spec(own.shape, real_dtype(own.dtype), own.kind) if is_complex(own) else own


def computes_complex(tape: Tape) -> bool:
    """Whether an operation, or one of a tape that it carries, gives complex numbers, or is given some."""
    return any(map(is_complex, tape.specs)) or any(
        computes_complex(inner) for equation in tape.equations for _, inner in inner_tapes(equation)
    )


class Conversion:
    """The new tape in the making.

    Args:
        builder: the new tape.
        given: what the inputs of the old one are in it.
        old: the specs of the old tape's slots.

    Attributes:
        islands: how many operations run on complex numbers as they are.
    """

    def __init__(self, builder: Builder, given: Iterable[Found], old: Sequence[Spec]) -> None:
        self.builder = builder
        self.values: list[Found] = list(given)
        self.old = old
        self.islands = 0
        self._weak = False
        self._dtype: np.dtype[Any] = np.dtype(np.float64)

    def run(self, tape: Tape) -> list[Found]:
        """The outputs of a tape, all of whose operations are done."""
        for equation in tape.equations:
            self.values.extend(self.results(equation))
        return [self.value(out) for out in tape.outputs]

    def results(self, equation: Equation) -> tuple[Found, ...]:
        """What an operation gives."""
        self.builder.source = equation.source
        specs = (*equation.specs, *map(self.spec, equation.operands))
        if not (any(map(is_complex, specs)) or any(computes_complex(tape) for _, tape in inner_tapes(equation))):
            return self.as_it_is(equation)
        handler = HANDLERS.get(equation.primitive.name) or FAMILIES.get(equation.primitive.family)
        if handler is not None:
            kinds = {self.spec(operand).kind for operand in equation.operands}
            self._weak = equation.specs[0].kind == "python" or kinds != {"python"}
            found = handler(self, equation)
            outs = (found,) if isinstance(found, Parts) or not isinstance(found, tuple) else found
            if self.fits(outs, equation.specs):
                return outs  # type: ignore[return-value] # none of them is None
        return self.island(equation)

    def island(self, equation: Equation) -> tuple[Found, ...]:
        """What an operation gives that has no form in parts."""
        self.islands += 1
        return self.as_it_is(equation)

    def as_it_is(self, equation: Equation) -> tuple[Operand, ...]:
        """The results of an operation on whole values."""
        return self.builder.append(equation, tuple(map(self.whole, equation.operands)))

    def fits(self, outs: Sequence[Found | None], specs: Sequence[Spec]) -> bool:
        """Whether these are the parts of values of such specs, or values of them."""
        if len(outs) != len(specs):
            return False
        for out, own in zip(outs, specs, strict=True):
            parts = out if isinstance(out, Parts) else (out,)
            if isinstance(out, Parts) != is_complex(own) or any(
                part is None or self.builder.spec(part) != real_spec(own) for part in parts
            ):
                return False
        return True

    def spec(self, operand: Operand) -> Spec:
        """The spec of an operand of the old tape."""
        return self.old[operand] if isinstance(operand, int) else self.builder.spec(operand)

    def value(self, operand: Operand) -> Found:
        """What an operand of the old tape is in the new one."""
        return self.values[operand] if isinstance(operand, int) else operand

    def parts(self, operand: Operand) -> Parts:
        """The parts of an operand of the old tape; a real one has a zero for its imaginary part."""
        value = self.value(operand)
        if isinstance(value, Parts):
            return value
        if isinstance(value, Literal):
            number = value.value
            return (
                Parts(Literal(number.real), Literal(number.imag))
                if is_complex(self.spec(operand))
                else Parts(value, ZERO)
            )
        if not is_complex(self.spec(operand)):
            return Parts(value, ZERO)
        return Parts(*taken_apart(self.builder, value))

    def whole(self, operand: Operand) -> Operand:
        """An operand of the old tape as one value."""
        value = self.value(operand)
        return put_together(self.builder, *value, self.spec(operand)) if isinstance(value, Parts) else value

    def emit(self, primitive: Primitive, *operands: Operand, **params: Any) -> Operand:
        """The result of an operation of the new tape: a Python number of such, if it meets values that are none."""
        specs = list(map(self.builder.spec, operands))
        found = primitive.spec(*specs, **params)
        if self._weak and primitive.operator is not None and all(own.kind == "python" for own in specs):
            found = as_python(found)
        source = self.builder.source
        return self.builder.place(Equation(primitive, operands, tuple(sorted(params.items())), (), (found,), source))[0]

    def choose(self, condition: Operand, x: Operand, y: Operand) -> Operand:
        """``np.where`` in the precision of the result; of numbers, of which NumPy makes an array, a number here."""
        x, y = (Literal(self._dtype.type(o.value)) if isinstance(o, Literal) else o for o in (x, y))
        found = self.emit(where, condition, x, y)
        return found if self.builder.spec(found).shape else self.emit(positive, found)

    @property
    def itemsize(self) -> int:
        """The bytes of a part of the result."""
        return self._dtype.itemsize

    def typed(self, operand: Operand, dtype: np.dtype[Any]) -> Operand:
        """A real value in a dtype, if it is not a Python number, whose precision is that of what it meets."""
        own = self.builder.spec(operand)
        return operand if own.dtype == dtype or own.kind == "python" else self.emit(cast, operand, dtype=dtype)

    def typed_parts(self, equation: Equation) -> list[Parts]:
        """The parts of all operands in the precision of the result."""
        dtype = self._dtype = real_dtype(equation.specs[0].dtype)
        found = [self.parts(operand) for operand in equation.operands]
        return [Parts(self.typed(parts.real, dtype), self.typed(parts.imag, dtype)) for parts in found]

    def numbers(self, operand: Operand, dtype: np.dtype[Any]) -> Parts:
        """The parts of an operand in a dtype, numbers that stand in the tape as well."""
        x, y = self.parts(operand)
        x, y = (Literal(dtype.type(part.value)) if isinstance(part, Literal) else part for part in (x, y))
        return Parts(self.typed(x, dtype), self.typed(y, dtype))

    def spread(self, operand: Operand, own: Spec) -> Operand:
        """A value as one of some spec: of its dtype if it is a number, and along all of its axes."""
        if isinstance(operand, Literal) and own.kind != "python":
            operand = Literal(own.dtype.type(operand.value))
        elif self.builder.spec(operand).kind == "python" and own.kind != "python":
            operand = self.emit(cast, operand, dtype=own.dtype)
        if self.builder.spec(operand) == own or own.kind != "array":
            return operand
        return self.builder.emit(broadcast_to, operand, shape=own.shape)
