"""Operations that only look at elements in another way: they rename variables, or give memory other strides."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from autodiff.backends.kernels.programs.axes import Step
from autodiff.backends.kernels.programs.filling import kept_axes
from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import Buffer, Registers, Shape, steps
from autodiff.backends.kernels.programs.values import Pending, Value
from autodiff.backends.kernels.programs.views import at, leading, viewed
from autodiff.ops.index import plain_key
from autodiff.trace.tape import Equation, Operand


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
    axes = dict(step.equation.params)["axes"]
    lead = len(own) - len(axes)
    order = (*range(lead), *(lead + axis % len(axes) for axis in axes))
    for axis, other in zip(order, out, strict=True):
        step.along(own[axis], other)


def sliced_axes(step: Step) -> None:
    """What is taken whole goes along."""
    (own,), (out,) = step.operands, step.results
    kept_axes(step, own, out, plain_key(dict(step.equation.params)["key"], len(own)))


def repeated_axes(step: Step) -> None:
    """A value is the same along an axis that it is repeated along."""
    (own, *_), (out,) = step.operands, step.results
    lengths = step.axes.lengths
    step.aligned(own, out)
    step.same_everywhere(out[: len(out) - len(own)])
    step.same_everywhere(tuple(b for a, b in zip(own[::-1], out[::-1], strict=False) if lengths[a] == 1))


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
    """The same elements in another shape: names, or memory without a copy where it is contiguous."""
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
    """Axes in another order."""
    axes = dict(equation.params)["axes"]

    def change(x: np.ndarray) -> np.ndarray:
        lead = x.ndim - len(axes)
        return x.transpose((*range(lead), *(lead + a % len(axes) for a in axes)))

    renamed(scope, equation, change)


@handles("slice_of", kin=sliced_axes)
def slice_of(scope: Scope, equation: Equation) -> None:
    """A basic index."""
    key = plain_key(dict(equation.params)["key"], len(scope.spec(equation.operands[0]).shape))
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
    """Elements repeated: by their names, or by strides of zero."""
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


@handles("diagonal")
def diagonal(scope: Scope, equation: Equation) -> None:
    """The names on the diagonal, or memory looked at with another stride."""
    offset = dict(equation.params)["offset"]
    renamed(scope, equation, lambda x: np.diagonal(x, offset, -2, -1))
