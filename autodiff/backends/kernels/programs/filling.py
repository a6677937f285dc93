"""New values: full of a number, or of zeros with a part that is another value."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.axes import Names, Step
from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import (
    Impossible,
    Registers,
    numbers,
    objects,
    text,
)
from autodiff.backends.kernels.programs.views import at, viewed
from autodiff.backends.kernels.scalars import literal
from autodiff.ops.index import plain_key
from autodiff.trace.tape import Equation, Literal


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


def filled_axes(step: Step) -> None:
    """What is put in goes along with where it lies."""
    (own,), (out,) = step.operands, step.results
    kept_axes(step, out, own, plain_key(dict(step.equation.params)["key"], len(out)))


def written_axes(step: Step) -> None:
    """The old value goes along, and what is written with where it lies."""
    (own, part), (out,) = step.operands, step.results
    kept_axes(step, out, part, plain_key(dict(step.equation.params)["key"], len(out)))
    step.aligned(own, out)


def constant_axes(step: Step) -> None:
    """A new array of one value; or of a value that broadcasts, which its rule is."""
    (_, value), (out,) = step.operands, step.results
    step.aligned(value, out)
    step.same_everywhere((*step.operands[0], *out) if not value else step.operands[0])


@handles("full", kin=constant_axes)
def full(scope: Scope, equation: Equation) -> None:
    """One value everywhere."""
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
    """Zeros with a part."""
    out = equation.specs[0]
    key = plain_key(dict(equation.params)["key"], len(out.shape))
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
    """A value of which a part is written over."""
    out = equation.specs[0]
    key = plain_key(dict(equation.params)["key"], len(out.shape))
    if not scope.emitter.split(out.shape):
        elements = scope.registers(equation.operands[0]).elements.copy()
        at(elements, key)[...] = scope.registers(equation.operands[1]).elements
        scope.keep(equation, Registers(elements, out.dtype))
        return
    target = scope.updated(equation.results[0], equation.operands[0])
    value = scope.apart(equation.operands[1], target)
    scope.copied(viewed(target, lambda x: at(x, key)), value)
    scope.keep(equation, target)


@handles("from_diagonal")
def from_diagonal(scope: Scope, equation: Equation) -> None:
    """Zeros with a diagonal."""
    params, out = dict(equation.params), equation.specs[0]

    def on_diagonal(x: np.ndarray) -> np.ndarray:
        return np.diagonal(x, params["offset"], -2, -1)

    if not scope.emitter.split(out.shape):
        elements = numbers(0, out.shape, out.dtype)
        index = np.arange(scope.spec(equation.operands[0]).shape[-1])
        rows, columns = index - min(params["offset"], 0), index + max(params["offset"], 0)
        elements[..., rows, columns] = scope.registers(equation.operands[0]).elements
        scope.keep(equation, Registers(elements, out.dtype))
        return
    target = scope.target(equation.results[0], out.shape, out.dtype)
    scope.copied(target, Literal(out.dtype.type(0)))
    scope.emitter.ready(target)
    scope.copied(viewed(target, on_diagonal), equation.operands[0])
    scope.keep(equation, target)


@handles("samples")
def samples(scope: Scope, equation: Equation) -> None:
    """Numbers at equal distances, by NumPy's arithmetic: where the step is zero the distance is multiplied."""
    out, params, emitter = equation.specs[0], dict(equation.params), scope.emitter
    first, last = equation.operands
    if len(out.shape) != 1 or out.dtype.kind != "f" or any(scope.spec(o).dtype != out.dtype for o in (first, last)):
        raise Impossible("samples between arrays, or between numbers of other dtypes")
    count = params["count"]
    between = count - 1 if params["endpoint"] else count
    start, stop = (text(scope.registers(o).elements.reshape(-1)[0], out.dtype) for o in (first, last))
    distance = emitter.define(f"{stop} - {start}")
    divisor = literal(max(between, 1), out.dtype)
    step = emitter.define(f"{distance} / {divisor}")
    found = objects(out.shape)
    if scope.emitter.split(out.shape):
        raise Impossible("samples that are not few")
    for k in range(count):
        number = literal(k, out.dtype)
        moved = f"where({step} == {literal(0, out.dtype)}, {number} / {divisor} * {distance}, {number} * {step})"
        found[k] = stop if params["endpoint"] and 0 < k == count - 1 else emitter.define(f"{moved} + {start}")
    scope.keep(equation, Registers(found, out.dtype))
