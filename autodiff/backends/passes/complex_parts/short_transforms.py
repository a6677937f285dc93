"""Fourier transforms of two, three and four numbers: sums and differences, in the order in which NumPy adds them up.

A call of NumPy's loop prepares the roots of unity anew. Longer transforms are worth that.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod, sqrt

import numpy as np

from autodiff.backends.passes.complex_parts.conversion import Conversion, Found, Parts, in_parts, is_complex
from autodiff.ops.elementwise import add, multiply, subtract
from autodiff.ops.index import slice_of
from autodiff.ops.join import concatenate
from autodiff.ops.shape import broadcast_to
from autodiff.trace.tape import Equation, Literal

FEW = 64
"""So many numbers are transformed here; of more NumPy does several at a time."""


class Sums:
    """Arithmetic of parts in the new tape, and quarter turns for a direction of the transform."""

    def __init__(self, conversion: Conversion, inverse: bool) -> None:
        self.emit, self.inverse = conversion.emit, inverse

    def add(self, x: Parts, y: Parts) -> Parts:
        return Parts(self.emit(add, x.real, y.real), self.emit(add, x.imag, y.imag))

    def subtract(self, x: Parts, y: Parts) -> Parts:
        return Parts(self.emit(subtract, x.real, y.real), self.emit(subtract, x.imag, y.imag))

    def times(self, x: Parts, number: float) -> Parts:
        factor = Literal(np.float64(number))
        return Parts(self.emit(multiply, x.real, factor), self.emit(multiply, x.imag, factor))

    def turned(self, x: Parts) -> Parts:
        """Times i of the inverse transform, times -i of the other one."""
        minus = Literal(np.float64(-1))
        if self.inverse:
            return Parts(self.emit(multiply, x.imag, minus), x.real)
        return Parts(x.imag, self.emit(multiply, x.real, minus))


def of_two(s: Sums, a: Parts, b: Parts) -> list[Parts]:
    """The transform of two numbers."""
    return [s.add(a, b), s.subtract(a, b)]


def of_three(s: Sums, a: Parts, b: Parts, c: Parts) -> list[Parts]:
    """The transform of three numbers."""
    both = s.add(b, c)
    middle = s.add(a, s.times(both, -0.5))
    side = s.turned(s.times(s.subtract(b, c), sqrt(3) / 2))
    return [s.add(a, both), s.add(middle, side), s.subtract(middle, side)]


def of_four(s: Sums, a: Parts, b: Parts, c: Parts, d: Parts) -> list[Parts]:
    """The transform of four numbers."""
    even, odd = of_two(s, a, c), of_two(s, b, d)
    side = s.turned(odd[1])
    return [s.add(even[0], odd[0]), s.add(even[1], side), s.subtract(even[0], odd[0]), s.subtract(even[1], side)]


SHORT: dict[int, Callable[..., list[Parts]]] = {2: of_two, 3: of_three, 4: of_four}
"""The transforms by their lengths."""


@in_parts("fft")
def short_transform(c: Conversion, equation: Equation) -> Found | None:
    """A transform of few numbers; None of more, and of other precisions than double."""
    (operand,), params = equation.operands, dict(equation.params)
    own, axis = c.spec(operand), params["axis"]
    length = own.shape[axis]
    if length not in SHORT or prod(own.shape) > FEW or equation.specs[0].dtype != np.complex128:
        return None
    if own.dtype.itemsize != (16 if is_complex(own) else 8):
        return None
    real, imag = c.numbers(operand, np.dtype(np.float64))
    if isinstance(imag, Literal):
        imag = c.emit(broadcast_to, imag, shape=own.shape)
    rest = ((None, None, None),) * (-axis - 1)
    keys = [((k, k + 1, None), *rest) for k in range(length)]
    given = [Parts(c.emit(slice_of, real, key=key), c.emit(slice_of, imag, key=key)) for key in keys]
    sums = Sums(c, params["inverse"])
    found = SHORT[length](sums, *given)
    ends = tuple(range(1, length + 1))
    whole = Parts(*(c.emit(concatenate, *parts, axis=axis, ends=ends) for parts in zip(*found, strict=True)))
    norm = params["norm"]
    if norm != "ortho" and (norm == "forward") == params["inverse"]:
        return whole
    return sums.times(whole, float(np.reciprocal(np.sqrt(length) if norm == "ortho" else float(length))))
