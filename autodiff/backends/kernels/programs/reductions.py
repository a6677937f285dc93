"""Sums and extremes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from autodiff.backends.kernels.folds import beginning, combined, fold_of, folded
from autodiff.backends.kernels.programs.axes import Step
from autodiff.backends.kernels.programs.nest import Nest
from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import (
    Buffer,
    Element,
    Registers,
    Shape,
    objects,
    text,
)
from autodiff.backends.kernels.programs.values import Awaited, Pending, Value
from autodiff.backends.kernels.scalars import cast
from autodiff.trace.facts import ADDED
from autodiff.trace.spec import spec_of
from autodiff.trace.tape import Equation, Literal


def reduced_axes(step: Step) -> None:
    """The axes that stay go along; a sum of everything that leaves the program is made of the sums of blocks."""
    (own, *_), (out,) = step.operands, step.results
    gone = {a % len(own) for a in dict(step.equation.params)["axes"]}
    for axis, other in zip((a for k, a in enumerate(own) if k not in gone), out, strict=True):
        step.along(axis, other)
    if not out and fold_of(step.equation) is ADDED and step.leaves():
        step.same_everywhere(own)


@handles("sum", "sum_as", "max", "min", "prod", "any", "all", kin=reduced_axes)
def reduce(scope: Scope, equation: Equation) -> None:
    """A reduction: over elements in variables at once, over the axes of loops in the loops."""
    operand = equation.operands[0]
    own = scope.spec(operand)
    axes = sorted(a % len(own.shape) for a in dict(equation.params)["axes"])
    scope.keep(equation, reduced(scope, equation, operand, own.shape, axes))


def reduced(scope: Scope, equation: Equation, operand: Any, shape: Shape, axes: Sequence[int]) -> Value:
    """A reduction of an operand over some axes."""
    emitter = scope.emitter
    out = equation.specs[0]
    depth = emitter.split(shape)
    if not depth:
        value = scope.registers(operand)
        return Registers(in_variables(scope.emitter.define, equation, value.elements, axes, value.dtype), out.dtype)
    dims = shape[:depth]
    outer, inner = [a for a in axes if a < depth], [a - depth for a in axes if a >= depth]
    last = outer == list(range(depth - len(outer), depth))
    if outer and not last and depth - 1 in outer:
        return rearranged(scope, equation, operand, shape, outer)
    if outer and not last:
        return accumulated(scope, equation, operand, shape, axes)
    scope.prepare(operand, shape, dims)
    nest = emitter.nest(dims)
    elements = scope.fetched(operand, nest, shape)

    def define(written: str) -> str:
        name = emitter.name()
        nest.line(f"{name} = {written}")
        return name

    dtype = spec_of(scope.spec(operand)).dtype
    if inner:
        elements = in_variables(define, equation, elements, inner, dtype)
        dtype = out.dtype
    if not outer:
        return Pending(nest, elements, out.shape, out.dtype)
    return in_loops(scope, equation, nest, elements, depth - len(outer), dtype)


def in_variables(
    define: Any, equation: Equation, elements: np.ndarray, axes: Sequence[int], dtype: np.dtype[Any]
) -> np.ndarray:
    """A reduction of variables along some axes of an array of them."""
    fold, out = fold_of(equation), equation.specs[0].dtype
    kept = [k for k in range(elements.ndim) if k not in axes]
    rows = elements.transpose((*kept, *axes)).reshape((*(elements.shape[k] for k in kept), -1))
    found = objects(rows.shape[:-1])
    for index in product(*map(range, found.shape)):
        parts = [cast(text(e, dtype), dtype, out) for e in rows[index]]
        total = parts[0]
        for part in parts[1:]:
            total = define(combined(fold, total, part, out))
        found[index] = total
    return found


def in_loops(
    scope: Scope, equation: Equation, nest: Nest, elements: np.ndarray, depth: int, dtype: np.dtype[Any]
) -> Value:
    """A reduction along the last loops."""
    emitter, fold, out = scope.emitter, fold_of(equation), equation.specs[0]
    totals = objects(elements.shape)
    for index in product(*map(range, elements.shape)):
        total = totals[index] = emitter.name("total")
        nest.starts.setdefault(depth, []).append(f"{total} = {beginning(fold, out.dtype)}")
        value = cast(text(elements[index], dtype), dtype, out.dtype)
        nest.line(f"{total} = {folded(fold, total, value, out.dtype)}")
    if emitter.rows in nest.dims[depth:]:
        total = totals.reshape(-1)[0]
        nest.starts[depth].remove(f"{total} = {beginning(fold, out.dtype)}")
        emitter.totals.append((total, beginning(fold, out.dtype), out.dtype))
    if not depth:
        return Awaited(nest, Registers(totals.reshape(out.shape), out.dtype))
    target = scope.target(equation.results[0], out.shape, out.dtype)
    inner = out.shape[depth:]
    for index in product(*map(range, inner)):
        offset = target.offset + sum(k * s for k, s in zip(index, target.strides[depth:], strict=True))
        place = nest.place(offset, (*target.strides[:depth], *(0,) * (len(nest.dims) - depth)))
        line = f"store_{out.dtype}({target.base}, ", place, f", {totals.reshape(inner)[index]})"
        nest.ends.setdefault(depth, []).append(line)
    nest.starts.setdefault(depth, [])
    return Awaited(nest, target)


def accumulated(scope: Scope, equation: Equation, operand: Any, shape: Shape, axes: Sequence[int]) -> Value:
    """A reduction over loops around others: in memory, in the order in which the operand lies there."""
    emitter, fold, out = scope.emitter, fold_of(equation), equation.specs[0]
    depth = emitter.split(shape)
    dims = shape[:depth]
    target = scope.target(equation.results[0], out.shape, out.dtype)
    scope.copied(target, Literal(fold.beginning(out.dtype)))
    emitter.ready(target)
    scope.prepare(operand, shape, dims)
    nest = emitter.nest(dims)
    elements = scope.fetched(operand, nest, shape)
    own = scope.spec(operand).dtype
    kept = [k for k in range(len(shape)) if k not in axes]
    steps = dict(zip(kept, target.strides, strict=True))
    for index in product(*map(range, shape[depth:])):
        value = cast(text(np.broadcast_to(elements, shape[depth:])[index], own), own, out.dtype)
        offset = target.offset + sum(k * steps.get(depth + axis, 0) for axis, k in enumerate(index))
        place = nest.place(offset, tuple(steps.get(axis, 0) for axis in range(depth)))
        name = emitter.name()
        nest.line((f"{name} = load_{out.dtype}({target.base}, ", place, ")"))
        nest.line((f"store_{out.dtype}({target.base}, ", place, f", {combined(fold, name, value, out.dtype)})"))
    emitter.writing[target.base] = [nest]
    return target


def rearranged(scope: Scope, equation: Equation, operand: Any, shape: Shape, outer: Sequence[int]) -> Value:
    """A reduction over loops that are not the last ones: of the same memory with the axes in another order."""
    value: Element = scope.buffer(operand)
    assert isinstance(value, Buffer)
    axes = sorted(a % len(shape) for a in dict(equation.params)["axes"])
    kept = [k for k in range(len(shape)) if k not in axes]
    order = [*kept, *axes]
    moved = Buffer(
        value.base,
        tuple(value.shape[k] for k in order),
        tuple(value.strides[k] for k in order),
        value.offset,
        value.dtype,
    )
    depth = len(kept)
    nest = scope.emitter.nest(moved.shape)
    elements = scope.loads(moved, nest, moved.shape)
    return in_loops(scope, equation, nest, elements, depth, value.dtype)
