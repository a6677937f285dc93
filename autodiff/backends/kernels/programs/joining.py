"""Values that are put together of others, or cut to pieces."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.axes import Step
from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import Buffer, Registers, objects, text
from autodiff.backends.kernels.programs.values import Pending, Value
from autodiff.backends.kernels.programs.views import at, viewed
from autodiff.backends.kernels.scalars import cast
from autodiff.trace.tape import Equation, Operand


def joined_axes(step: Step) -> None:
    """All axes go along but the one along which values lie one after the other."""
    (out,) = step.results
    place = dict(step.equation.params)["axis"] % len(out)
    for own in step.operands:
        step.aligned(own[place + 1 :], out[place + 1 :])
        step.aligned(own[:place], out[:place])


def stacked_axes(step: Step) -> None:
    """All axes go along; the new one goes through the operands."""
    (out,) = step.results
    place = dict(step.equation.params)["axis"] % len(out)
    for own in step.operands:
        step.aligned(own, (*out[:place], *out[place + 1 :]))


def parted_axes(step: Step) -> None:
    """The other way round: all axes go along but the one that is cut."""
    (own,) = step.operands
    place = dict(step.equation.params)["axis"] % len(own)
    for out in step.results:
        step.aligned(own[:place], out[:place])
        step.aligned(own[place + 1 :], out[place + 1 :])


def unstacked_axes(step: Step) -> None:
    """The other way round: all axes go along but the one that is taken apart."""
    (own,) = step.operands
    place = dict(step.equation.params)["axis"] % len(own)
    for out in step.results:
        step.aligned((*own[:place], *own[place + 1 :]), out)


@handles("concatenate", kin=joined_axes)
def concatenate(scope: Scope, equation: Equation) -> None:
    """Values one after the other."""
    axis, ends = dict(equation.params)["axis"], dict(equation.params)["ends"]
    shape = equation.specs[0].shape
    keys = []
    for begin, end in zip((0, *ends[:-1]), ends, strict=True):
        key: list[Any] = [slice(None)] * len(shape)
        key[axis] = slice(begin, end)
        keys.append(tuple(key))
    assembled(scope, equation, keys)


@handles("stack", kin=stacked_axes)
def stack(scope: Scope, equation: Equation) -> None:
    """Values along a new axis."""
    axis = dict(equation.params)["axis"]
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
        elements = objects(found.shape)
        for index in product(*map(range, found.shape)):
            elements[index] = scope.emitter.define(cast(text(found.elements[index], found.dtype), found.dtype, dtype))
        return elements
    return found.elements


def within(scope: Scope, equation: Equation, keys: list[tuple[Any, ...]], depth: int) -> None:
    """Values put together along axes that are not loops: names in a loop over the others."""
    out = equation.specs[0]
    dims = out.shape[:depth]
    shapes = []
    for operand in equation.operands:
        own = scope.spec(operand)
        shapes.append(own.shape)
        scope.prepare(operand, (*dims, *own.shape[depth:]), dims)
    nest = scope.emitter.nest(dims)
    elements = objects(out.shape[depth:])
    for key, operand, shape in zip(keys, equation.operands, shapes, strict=True):
        column = scope.fetched(operand, nest, (*dims, *shape[depth:]))
        given = scope.spec(operand).dtype
        if given != out.dtype:
            column = np.array([cast(text(e, given), given, out.dtype) for e in column.flat], object).reshape(
                column.shape
            )
        at(elements, key[depth:])[...] = np.broadcast_to(column, shape[depth:])
    scope.keep(equation, Pending(nest, elements, out.shape, out.dtype))


@handles("split", kin=parted_axes)
def split(scope: Scope, equation: Equation) -> None:
    """Parts along an axis."""
    axis, ends = dict(equation.params)["axis"], dict(equation.params)["ends"]
    found = scope.settled(equation.operands[0])
    pieces: list[Value] = []
    for begin, end in zip((0, *ends[:-1]), ends, strict=True):
        key: list[Any] = [slice(None)] * len(found.shape)
        key[axis] = slice(begin, end)
        pieces.append(part(found, tuple(key)))
    scope.keep(equation, *pieces)


@handles("unstack", kin=unstacked_axes)
def unstack(scope: Scope, equation: Equation) -> None:
    """What lies along an axis, one by one."""
    axis = dict(equation.params)["axis"]
    found = scope.settled(equation.operands[0])
    pieces: list[Value] = []
    for number in range(len(equation.specs)):
        key: list[Any] = [slice(None)] * len(found.shape)
        key[axis] = number
        pieces.append(part(found, tuple(key)))
    scope.keep(equation, *pieces)


def part(value: Registers | Buffer, key: tuple[Any, ...]) -> Value:
    """A part of a value: names, or memory looked at from another place."""
    if isinstance(value, Buffer):
        return viewed(value, lambda x: at(x, key))
    return Registers(at(value.elements, key), value.dtype)
