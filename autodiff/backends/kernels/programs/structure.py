"""Operations that only move elements: they rename variables, or look at memory in another way."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.values import (
    Buffer,
    Impossible,
    Pending,
    Registers,
    Shape,
    Value,
    numbers,
    objects,
    steps,
)
from autodiff.backends.kernels.programs.views import at, leading, viewed
from autodiff.ops.index import plain_key
from autodiff.trace.spec import spec
from autodiff.trace.tape import Equation, Literal, Operand


def parameters(equation: Equation) -> dict[str, Any]:
    return dict(equation.params)


def renamed(scope: Scope, equation: Equation, evaluate: Callable[[np.ndarray], np.ndarray]) -> None:
    """A view: of variables by their names, of memory by its strides."""
    found = scope.settled(equation.operands[0])
    if isinstance(found, Registers):
        value: Value = Registers(np.asarray(evaluate(found.elements), object), found.dtype)
    else:
        value = viewed(found, evaluate)
    scope.keep(equation, value)


@handles("reshape")
def reshape(scope: Scope, equation: Equation) -> None:
    shape = equation.specs[0].shape
    found = scope.value(equation.operands[0])
    if isinstance(found, Pending):
        depth = len(found.nest.dims)
        if scope.emitter.split(shape) == depth and shape[:depth] == found.nest.dims:
            scope.keep(equation, Pending(found.nest, found.elements.reshape(shape[depth:]), shape, found.dtype))
            return
    settled = scope.settled(equation.operands[0])
    if isinstance(settled, Buffer) and not squeezed(settled, shape):
        if not settled.contiguous:
            settled = copy_of(scope, equation.operands[0])
        scope.keep(equation, Buffer(settled.base, shape, steps(shape), settled.offset, settled.dtype))
        return
    renamed(scope, equation, lambda x: x.reshape(shape))


def squeezed(buffer: Buffer, shape: Shape) -> bool:
    """Whether a reshape only adds and removes axes of length one."""
    return not buffer.contiguous and [n for n in buffer.shape if n != 1] == [n for n in shape if n != 1]


def copy_of(scope: Scope, operand: Operand) -> Buffer:
    """A value in memory, in C order."""
    own = scope.spec(operand)
    target = scope.emitter.allocate(own.shape, own.dtype)
    scope.copied(target, operand)
    return target


@handles("copy")
def copy(scope: Scope, equation: Equation) -> None:
    """Nothing: no value is written to while somebody needs it."""
    scope.keep(equation, scope.settled(equation.operands[0]))


@handles("transpose")
def transpose(scope: Scope, equation: Equation) -> None:
    axes = parameters(equation)["axes"]

    def change(x: np.ndarray) -> np.ndarray:
        lead = x.ndim - len(axes)
        return x.transpose((*range(lead), *(lead + a % len(axes) for a in axes)))

    renamed(scope, equation, change)


@handles("slice_of")
def slice_of(scope: Scope, equation: Equation) -> None:
    key = plain_key(parameters(equation)["key"], len(scope.spec(equation.operands[0]).shape))
    shape = equation.specs[0].shape
    found = scope.value(equation.operands[0])
    if isinstance(found, Pending):
        depth = len(found.nest.dims)
        untouched = len(key) >= depth and all(part == slice(None) for part in key[:depth])
        if untouched and shape[:depth] == found.nest.dims and scope.emitter.split(shape) in (depth, 0):
            inner = at(found.elements, key[depth:])
            scope.keep(equation, Pending(found.nest, inner.reshape(shape[depth:]), shape, found.dtype))
            return
    renamed(scope, equation, lambda x: at(x, key))


@handles("broadcast_to")
def broadcast_to(scope: Scope, equation: Equation) -> None:
    shape = equation.specs[0].shape
    operand = equation.operands[0]
    found = scope.settled(operand)
    if isinstance(found, Registers) and scope.emitter.split(shape):
        if prod(found.shape) != 1 and any(n != 1 for n in leading(found.shape, shape, scope.emitter.split(shape))):
            found = scope.buffer(operand)
        elif prod(found.shape) == 1:
            stored = scope.spilled(found)
            found = Buffer(stored.base, (), (), 0, stored.dtype)
        else:
            found = scope.buffer(operand)
    if isinstance(found, Registers):
        scope.keep(equation, Registers(np.broadcast_to(found.elements, shape), found.dtype))
    else:
        missing = len(shape) - len(found.shape)
        strides = [0 if own == 1 else step for own, step in zip(found.shape, found.strides, strict=True)]
        scope.keep(equation, Buffer(found.base, shape, (*(0,) * missing, *strides), found.offset, found.dtype))


@handles("concatenate")
def concatenate(scope: Scope, equation: Equation) -> None:
    axis, ends = parameters(equation)["axis"], parameters(equation)["ends"]
    shape = equation.specs[0].shape
    keys = []
    for begin, end in zip((0, *ends[:-1]), ends, strict=True):
        key: list[Any] = [slice(None)] * len(shape)
        key[axis] = slice(begin, end)
        keys.append(tuple(key))
    assembled(scope, equation, keys)


@handles("stack")
def stack(scope: Scope, equation: Equation) -> None:
    axis = parameters(equation)["axis"]
    shape = equation.specs[0].shape
    keys = []
    for number in range(len(equation.operands)):
        key: list[Any] = [slice(None)] * len(shape)
        key[axis] = number
        keys.append(tuple(key))
    assembled(scope, equation, keys)


def assembled(scope: Scope, equation: Equation, keys: list[tuple[Any, ...]]) -> None:
    """A value that is made of others, each in its place."""
    out = equation.specs[0]
    depth = scope.emitter.split(out.shape)
    if not depth:
        elements = objects(out.shape)
        for key, operand in zip(keys, equation.operands, strict=True):
            at(elements, key)[...] = converted(scope, operand, out.dtype)
        scope.keep(equation, Registers(elements, out.dtype))
        return
    if all(part == slice(None) for key in keys for part in key[:depth]):
        within(scope, equation, keys, depth)
        return
    target = scope.target(equation.results[0], out.shape, out.dtype)
    for key, operand in zip(keys, equation.operands, strict=True):
        scope.copied(viewed(target, lambda x, key=key: at(x, key)), operand)  # type: ignore[misc]
    scope.keep(equation, target)


def converted(scope: Scope, operand: Operand, dtype: np.dtype[Any]) -> np.ndarray:
    """Variables of a dtype."""
    found = scope.registers(operand)
    if found.dtype != dtype:
        raise Impossible(f"{found.dtype.name} put together with {dtype.name}")
    return found.elements


def within(scope: Scope, equation: Equation, keys: list[tuple[Any, ...]], depth: int) -> None:
    """Values put together along axes that are not loops: names in a loop over the others."""
    out = equation.specs[0]
    dims = out.shape[:depth]
    shapes = []
    for operand in equation.operands:
        own = scope.spec(operand)
        if own.dtype != out.dtype:
            raise Impossible(f"{own.dtype.name} put together with {out.dtype.name}")
        shapes.append(own.shape)
        scope.prepare(operand, (*dims, *own.shape[depth:]), dims)
    nest = scope.emitter.nest(dims)
    elements = objects(out.shape[depth:])
    for key, operand, shape in zip(keys, equation.operands, shapes, strict=True):
        column = scope.fetched(operand, nest, (*dims, *shape[depth:]))
        at(elements, key[depth:])[...] = np.broadcast_to(column, shape[depth:])
    scope.keep(equation, Pending(nest, elements, out.shape, out.dtype))


@handles("split")
def split(scope: Scope, equation: Equation) -> None:
    axis, ends = parameters(equation)["axis"], parameters(equation)["ends"]
    found = scope.settled(equation.operands[0])
    pieces: list[Value] = []
    for begin, end in zip((0, *ends[:-1]), ends, strict=True):
        key: list[Any] = [slice(None)] * len(found.shape)
        key[axis] = slice(begin, end)
        pieces.append(part(found, tuple(key)))
    scope.keep(equation, *pieces)


@handles("unstack")
def unstack(scope: Scope, equation: Equation) -> None:
    axis = parameters(equation)["axis"]
    found = scope.settled(equation.operands[0])
    pieces: list[Value] = []
    for number in range(len(equation.specs)):
        key: list[Any] = [slice(None)] * len(found.shape)
        key[axis] = number
        pieces.append(part(found, tuple(key)))
    scope.keep(equation, *pieces)


def part(value: Registers | Buffer, key: tuple[Any, ...]) -> Value:
    if isinstance(value, Buffer):
        return viewed(value, lambda x: at(x, key))
    return Registers(at(value.elements, key), value.dtype)


@handles("full")
def full(scope: Scope, equation: Equation) -> None:
    out = equation.specs[0]
    value = equation.operands[1]
    if isinstance(value, Literal) and not scope.emitter.split(out.shape):
        scope.keep(equation, Registers(numbers(value.value, out.shape, out.dtype), out.dtype))
        return
    target = scope.target(equation.results[0], out.shape, out.dtype)
    scope.copied(target, value)
    scope.keep(equation, target)


@handles("slice_into")
def slice_into(scope: Scope, equation: Equation) -> None:
    out = equation.specs[0]
    key = plain_key(parameters(equation)["key"], len(out.shape))
    if not scope.emitter.split(out.shape):
        elements = numbers(0, out.shape, out.dtype)
        at(elements, key)[...] = scope.registers(equation.operands[0]).elements
        scope.keep(equation, Registers(elements, out.dtype))
        return
    operand = equation.operands[0]
    if not isinstance(operand, int):
        raise Impossible("a number put into zeros")
    scope.keep_parts(equation, None, ((key, operand),))


@handles("slice_set")
def slice_set(scope: Scope, equation: Equation) -> None:
    out = equation.specs[0]
    key = plain_key(parameters(equation)["key"], len(out.shape))
    if not scope.emitter.split(out.shape):
        elements = scope.registers(equation.operands[0]).elements.copy()
        at(elements, key)[...] = scope.registers(equation.operands[1]).elements
        scope.keep(equation, Registers(elements, out.dtype))
        return
    target = scope.target(equation.results[0], out.shape, out.dtype)
    scope.copied(target, equation.operands[0])
    scope.emitter.ready(target)
    scope.copied(viewed(target, lambda x: at(x, key)), equation.operands[1])
    scope.keep(equation, target)


@handles("roll", "diagonal")
def moved(scope: Scope, equation: Equation) -> None:
    """Moves that are done on the names of variables alone."""
    if scope.emitter.split(scope.spec(equation.operands[0]).shape):
        raise Impossible(f"{equation.primitive.name} of an array that is not small")
    found = scope.registers(equation.operands[0])
    elements = equation.primitive.evaluate(found.elements, **parameters(equation))
    scope.keep(equation, Registers(np.asarray(elements, object), found.dtype))


__all__ = ["spec", "viewed"]
