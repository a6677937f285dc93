"""Operations that only move elements: they rename variables, or look at memory in another way."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.axes import Names, Step
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


def same_axes(step: Step) -> None:
    """Everything stays where it is."""
    step.aligned(step.operands[0], step.results[0])


def reshaped_axes(step: Step) -> None:
    """Axes of one length that begin after as many elements go along."""
    (own,), (out,) = step.operands, step.results
    lengths = step.axes.lengths
    places = {(prod(lengths[k] for k in out[:number]), lengths[axis]): axis for number, axis in enumerate(out)}
    for number, axis in enumerate(own):
        other = places.get((prod(lengths[k] for k in own[:number]), lengths[axis]))
        if other is not None:
            step.along(axis, other)


def permuted_axes(step: Step) -> None:
    """Each axis goes along with the one that it becomes."""
    (own,), (out,) = step.operands, step.results
    axes = parameters(step.equation)["axes"]
    lead = len(own) - len(axes)
    order = (*range(lead), *(lead + axis % len(axes) for axis in axes))
    for axis, other in zip(order, out, strict=True):
        step.along(own[axis], other)


def kept_axes(step: Step, whole: Names, part: Names, key: tuple[Any, ...]) -> None:
    """The axes of which a basic index takes everything go along with those of what it takes."""
    left, others = iter(whole), iter(part)
    for entry in key:
        if entry is None:
            step.same_everywhere((next(others),))
        elif isinstance(entry, slice):
            axis, other = next(left), next(others)
            if entry == slice(None):
                step.along(axis, other)
        elif entry is not Ellipsis:
            next(left)


def sliced_axes(step: Step) -> None:
    (own,), (out,) = step.operands, step.results
    kept_axes(step, own, out, plain_key(parameters(step.equation)["key"], len(own)))


def filled_axes(step: Step) -> None:
    (own,), (out,) = step.operands, step.results
    kept_axes(step, out, own, plain_key(parameters(step.equation)["key"], len(out)))


def written_axes(step: Step) -> None:
    (own, part), (out,) = step.operands, step.results
    kept_axes(step, out, part, plain_key(parameters(step.equation)["key"], len(out)))
    step.aligned(own, out)


def repeated_axes(step: Step) -> None:
    """A value is the same along an axis that it is repeated along."""
    (own, *_), (out,) = step.operands, step.results
    lengths = step.axes.lengths
    step.aligned(own, out)
    step.same_everywhere(out[: len(out) - len(own)])
    step.same_everywhere(tuple(b for a, b in zip(own[::-1], out[::-1], strict=False) if lengths[a] == 1))


def constant_axes(step: Step) -> None:
    """A new array of one value; or of a value that broadcasts, which its rule is."""
    (_, value), (out,) = step.operands, step.results
    step.aligned(value, out)
    step.same_everywhere((*step.operands[0], *out) if not value else step.operands[0])


def joined_axes(step: Step) -> None:
    """All axes go along but the one along which values lie one after the other."""
    (out,) = step.results
    place = parameters(step.equation)["axis"] % len(out)
    for own in step.operands:
        step.aligned(own[place + 1 :], out[place + 1 :])
        step.aligned(own[:place], out[:place])


def stacked_axes(step: Step) -> None:
    """All axes go along; the new one goes through the operands."""
    (out,) = step.results
    place = parameters(step.equation)["axis"] % len(out)
    for own in step.operands:
        step.aligned(own, (*out[:place], *out[place + 1 :]))


def parted_axes(step: Step) -> None:
    """The other way round: all axes go along but the one that is cut."""
    (own,) = step.operands
    place = parameters(step.equation)["axis"] % len(own)
    for out in step.results:
        step.aligned(own[:place], out[:place])
        step.aligned(own[place + 1 :], out[place + 1 :])


def unstacked_axes(step: Step) -> None:
    (own,) = step.operands
    place = parameters(step.equation)["axis"] % len(own)
    for out in step.results:
        step.aligned((*own[:place], *own[place + 1 :]), out)


def renamed(scope: Scope, equation: Equation, evaluate: Callable[[np.ndarray], np.ndarray]) -> None:
    """A view: of variables by their names, of memory by its strides."""
    found = scope.settled(equation.operands[0])
    if isinstance(found, Registers):
        value: Value = Registers(np.asarray(evaluate(found.elements), object), found.dtype)
    else:
        value = viewed(found, evaluate)
    scope.keep(equation, value)


@handles("reshape", kin=reshaped_axes)
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


@handles("copy", kin=same_axes)
def copy(scope: Scope, equation: Equation) -> None:
    """Nothing: no value is written to while somebody needs it."""
    scope.keep(equation, scope.settled(equation.operands[0]))


@handles("transpose", kin=permuted_axes)
def transpose(scope: Scope, equation: Equation) -> None:
    axes = parameters(equation)["axes"]

    def change(x: np.ndarray) -> np.ndarray:
        lead = x.ndim - len(axes)
        return x.transpose((*range(lead), *(lead + a % len(axes) for a in axes)))

    renamed(scope, equation, change)


@handles("slice_of", kin=sliced_axes)
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


@handles("broadcast_to", kin=repeated_axes)
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


@handles("concatenate", kin=joined_axes)
def concatenate(scope: Scope, equation: Equation) -> None:
    axis, ends = parameters(equation)["axis"], parameters(equation)["ends"]
    shape = equation.specs[0].shape
    keys = []
    for begin, end in zip((0, *ends[:-1]), ends, strict=True):
        key: list[Any] = [slice(None)] * len(shape)
        key[axis] = slice(begin, end)
        keys.append(tuple(key))
    assembled(scope, equation, keys)


@handles("stack", kin=stacked_axes)
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


@handles("split", kin=parted_axes)
def split(scope: Scope, equation: Equation) -> None:
    axis, ends = parameters(equation)["axis"], parameters(equation)["ends"]
    found = scope.settled(equation.operands[0])
    pieces: list[Value] = []
    for begin, end in zip((0, *ends[:-1]), ends, strict=True):
        key: list[Any] = [slice(None)] * len(found.shape)
        key[axis] = slice(begin, end)
        pieces.append(part(found, tuple(key)))
    scope.keep(equation, *pieces)


@handles("unstack", kin=unstacked_axes)
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


@handles("full", kin=constant_axes)
def full(scope: Scope, equation: Equation) -> None:
    out = equation.specs[0]
    value = equation.operands[1]
    if isinstance(value, Literal) and not scope.emitter.split(out.shape):
        scope.keep(equation, Registers(numbers(value.value, out.shape, out.dtype), out.dtype))
        return
    target = scope.target(equation.results[0], out.shape, out.dtype)
    scope.copied(target, value)
    scope.keep(equation, target)


@handles("slice_into", kin=filled_axes)
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


@handles("slice_set", kin=written_axes)
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
