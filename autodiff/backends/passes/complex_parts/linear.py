"""Linear and multilinear operations: done to the parts one by one."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.passes.complex_parts.conversion import (
    FAMILIES,
    ZERO,
    Conversion,
    Found,
    Parts,
    is_complex,
    real_spec,
)
from autodiff.backends.passes.complex_parts.pairs import real_dtype
from autodiff.ops.elementwise import add, subtract
from autodiff.trace.tape import Equation, Operand

OTHERWISE = frozenset({"fft", "rfft", "irfft", "drop_gauge"})
"""Linear operations with complex coefficients of their own."""

MANY_PRODUCTS = 32_768
"""From so many multiplications on a product of complex matrices is BLAS's."""


def real_params(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters with the dtypes of parts."""
    return {
        name: real_dtype(value) if isinstance(value, np.dtype) and value.kind == "c" else value
        for name, value in params.items()
    }


def of_linear(c: Conversion, equation: Equation) -> tuple[Found, ...] | None:
    """The operation on the real parts, and on the imaginary ones."""
    primitive = equation.primitive
    if primitive.name in OTHERWISE:
        return None
    ways: tuple[list[Operand], list[Operand]] = ([], [])
    for place, operand in enumerate(equation.operands):
        own = c.spec(operand)
        if primitive.rule(place) is not None:
            parts = c.parts(operand)
            both: tuple[Operand, Operand] = (parts.real, c.spread(parts.imag, real_spec(own)))
        elif is_complex(own):
            both = c.parts(operand).real, c.parts(operand).real  # what says a shape and a place only
        else:
            both = c.whole(operand), c.whole(operand)
        for way, part in zip(ways, both, strict=True):
            way.append(part)
    params = real_params(dict(equation.params))
    reals, imags = (several(c, primitive, way, params) for way in ways)
    return tuple(map(Parts, reals, imags))


def several(c: Conversion, primitive: Any, operands: list[Operand], params: dict[str, Any]) -> tuple[Operand, ...]:
    """The results of an operation, of which there may be several."""
    specs = primitive.spec(*map(c.builder.spec, operands), **params)
    specs = specs if isinstance(specs, tuple) else (specs,)
    written = Equation(primitive, tuple(operands), tuple(sorted(params.items())), (), specs, c.builder.source)
    return c.builder.place(written)


def of_multilinear(c: Conversion, equation: Equation) -> Found | None:
    """The sum of the operation on all choices of one part each, times i for each imaginary one."""
    places = [k for k, operand in enumerate(equation.operands) if is_complex(c.spec(operand))]
    if len(places) > 2 or work(c, equation) > MANY_PRODUCTS:
        return None
    found: list[list[Operand]] = [[], [], []]  # by how many imaginary parts went in
    for choice in product((0, 1), repeat=len(places)):
        operands = [c.value(operand) for operand in equation.operands]
        for place, which in zip(places, choice, strict=True):
            operands[place] = c.parts(equation.operands[place])[which]
        if any(operand is ZERO for operand in operands):
            return None
        params = real_params(dict(equation.params))
        found[sum(choice)].append(c.emit(equation.primitive, *operands, **params))  # type: ignore[arg-type]
    real, imag, both = found
    x, y = real[0], imag[0]
    if both:
        x, y = c.emit(subtract, x, both[0]), c.emit(add, imag[0], imag[1])
    return Parts(x, y)


def work(c: Conversion, equation: Equation) -> int:
    """About how many multiplications a product takes."""
    sizes = sorted(prod(c.spec(operand).shape) for operand in equation.operands)
    out = prod(equation.specs[0].shape)
    return int((prod(sizes[-2:]) * out) ** 0.5)  # exact for a product of two matrices


FAMILIES.update(linear=of_linear, multilinear=of_multilinear)
