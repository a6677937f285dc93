"""Elementwise operations broadcast by themselves: nothing is repeated before them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.shape import broadcast_to, reshape
from autodiff.trace.spec import spec_of
from autodiff.trace.tape import Equation, Literal, Operand


def before_repeating(builder: Builder, equation: Equation) -> Operand | None:
    """f(broadcast_to(x), y) is f(x, y), repeated where that is smaller.

    So a cotangent that is one number all over stays a number, and the other operands alone are read.
    """
    small = tuple(unrepeated(builder, operand) for operand in equation.operands)
    if small == equation.operands:
        return None
    out = equation.specs[0]
    params = dict(equation.params)
    found = equation.primitive.spec(*map(builder.spec, small), **params)
    if found.dtype != out.dtype or (found.shape == out.shape and found != out):
        return None
    (result,) = builder.place(replace(equation, operands=small, specs=(found,)))
    return result if found.shape == out.shape else builder.emit(broadcast_to, result, shape=out.shape)


def unrepeated(builder: Builder, operand: Operand) -> Operand:
    """What an operand repeats, or the operand itself. A Python number becomes one of the dtype that it was given."""
    maker = builder.made(operand, "broadcast_to")
    if maker is None:
        return operand
    (source,) = maker.operands
    if builder.spec(source).kind != "python":
        return source
    if isinstance(source, Literal):
        return Literal(np.asarray(source.value, spec_of(source.value).dtype)[()])
    return operand


def before_reshaping(builder: Builder, equation: Equation) -> Operand | None:
    """f(reshape(x), reshape(y)) is reshape(f(x, y)), where only axes of length one come and go.

    So what is one number for each row stays in one shape, and reshapes meet each other and cancel.
    """
    out = equation.specs[0]
    shapes: set[tuple[int, ...]] = set()
    small: list[Operand] = []
    for operand in equation.operands:
        inner = builder.made(operand, "reshape")
        if inner is not None and builder.spec(operand).shape == out.shape:
            shapes.add(builder.spec(inner.operands[0]).shape)
            small.append(inner.operands[0])
        elif builder.spec(operand).shape:
            return None
        else:
            small.append(operand)
    if len(shapes) != 1 or not all(shapes):
        return None
    (shape,) = shapes
    if without_ones(shape) != without_ones(out.shape):
        return None
    found = equation.primitive.spec(*map(builder.spec, small), **dict(equation.params))
    if found.dtype != out.dtype or found.shape != shape:
        return None
    (result,) = builder.place(replace(equation, operands=tuple(small), specs=(found,)))
    return builder.emit(reshape, result, shape=out.shape)


def without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without the axes of length one."""
    return tuple(length for length in shape if length != 1)


BROADCASTS: Rules = {"<elementwise>": (before_repeating, before_reshaping)}
