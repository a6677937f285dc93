"""Products of matrices: of variables written out, of memory by one tile after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from autodiff.backends.kernels.programs.axes import Step
from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import (
    Buffer,
    Impossible,
    Registers,
    objects,
    text,
)
from autodiff.backends.kernels.programs.values import Value
from autodiff.backends.kernels.programs.views import viewed
from autodiff.trace.spec import broadcast_shapes
from autodiff.trace.tape import Equation, Operand

WRITTEN_OUT = 256
"""Products of at most so many multiplications are written out."""


def stacked_axes(step: Step) -> None:
    """The axes of stacks of matrices go along; products mix rows and columns."""
    name = step.equation.primitive.name
    if name == "dot":
        return
    (x, y), (out,) = step.operands, step.results
    vectors = name == "matvec"
    step.aligned(x[:-2], out[:-1] if vectors else out[:-2])
    if name != "linear_map":
        step.aligned(y[:-1] if vectors else y[:-2], out[:-1] if vectors else out[:-2])


@handles("matmul", "linear_map", "matvec", "dot", kin=stacked_axes)
def multiply(scope: Scope, equation: Equation) -> None:
    """A product of vectors, matrices or stacks of matrices."""
    name = equation.primitive.name
    x, y = equation.operands
    shapes = [scope.spec(o).shape for o in (x, y)]
    if name == "dot" and max(map(len, shapes)) > 2:
        raise Impossible("a dot product of arrays with more than two axes")
    if any(scope.spec(o).dtype != equation.specs[0].dtype for o in (x, y)) or equation.specs[0].dtype.kind != "f":
        raise Impossible(f"{name} of {' and '.join(scope.spec(o).dtype.name for o in (x, y))}")
    if all(isinstance(found, Registers) for found in (scope.settled(x), scope.settled(y))) and (
        prod(equation.specs[0].shape) * shapes[0][-1] <= WRITTEN_OUT
        and scope.emitter.small(prod(equation.specs[0].shape))
    ):
        scope.keep(equation, written_out(scope, equation, x, y))
    else:
        scope.keep(equation, in_memory(scope, equation, x, y))


def written_out(scope: Scope, equation: Equation, x: Operand, y: Operand) -> Value:
    """Every multiplication by itself."""
    a, b = scope.registers(x).elements, scope.registers(y).elements
    out = equation.specs[0]
    a, b = oriented(equation.primitive.name, a, b)
    lead = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (np.broadcast_to(v, (*lead, *v.shape[-2:])) for v in (a, b))
    found = objects((*lead, a.shape[-2], b.shape[-1]))
    for index in product(*map(range, found.shape)):
        *stack, row, column = index
        total = ""
        for k in range(a.shape[-1]):
            term = f"{text(a[(*stack, row, k)], out.dtype)} * {text(b[(*stack, k, column)], out.dtype)}"
            total = scope.emitter.define(f"{total} + {term}" if total else term)
        found[index] = total
    return Registers(found.reshape(out.shape), out.dtype)


def oriented(name: str, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Operands as matrices whose product is meant."""
    if name == "linear_map":
        return a, b.T
    if name == "matvec":
        return a, b[..., None]
    return a[None] if a.ndim == 1 else a, b[:, None] if b.ndim == 1 else b


def in_memory(scope: Scope, equation: Equation, x: Operand, y: Operand) -> Value:
    """A product of matrices in memory."""
    name, out = equation.primitive.name, equation.specs[0]
    a, b = scope.buffer(x), scope.buffer(y)
    if name == "linear_map":
        b = viewed(b, lambda v: v.T)
    elif name == "matvec":
        b = viewed(b, lambda v: v[..., None])
    else:
        a = viewed(a, lambda v: v[None]) if len(a.shape) == 1 else a
        b = viewed(b, lambda v: v[:, None]) if len(b.shape) == 1 else b
    lead = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = viewed(a, lambda v: np.broadcast_to(v, (*lead, *v.shape[-2:])))
    b = viewed(b, lambda v: np.broadcast_to(v, (*lead, *v.shape[-2:])))
    target = scope.target(equation.results[0], out.shape, out.dtype)
    rows, columns, inner = a.shape[-2], b.shape[-1], a.shape[-1]
    emitter = scope.emitter
    emitter.flush()
    indices = [emitter.name("s") for _ in lead]
    for index, length in zip(indices, lead, strict=True):
        bounds = "first, last" if length == emitter.rows else str(length)
        emitter.line(f"for {index} in range({bounds}):")
        emitter.depth += 1
    places = [place(emitter.name("p"), scope, buffer, indices) for buffer in (a, b)]
    goal = place(
        emitter.name("p"),
        scope,
        Buffer(target.base, lead, target.strides[: len(lead)], target.offset, out.dtype),
        indices,
    )
    sizes = (out.dtype, a.strides[-2:], b.strides[-2:], rows, columns, inner)
    emitter.line(
        f"multiply_matrices_{out.dtype}({places[0]}, {a.strides[-2]}, {a.strides[-1]}, {places[1]}, {b.strides[-2]}, "
        f"{b.strides[-1]}, {goal}, {columns}, {rows}, {columns}, {inner}, 0)"
    )
    emitter.depth -= len(indices)
    emitter.loops += len(indices) + (0 if sizes in emitter.products else 2)  # repeated, it is a call of a function
    emitter.products.add(sizes)
    return target


def place(name: str, scope: Scope, buffer: Buffer, indices: Sequence[str]) -> str:
    """The address of one matrix of a stack."""
    size = buffer.dtype.itemsize
    terms = [f"{index} * {step * size}" for index, step in zip(indices, buffer.strides, strict=False) if step]
    if buffer.offset or not terms:
        terms.append(str(buffer.offset * size))
    scope.emitter.line(f"{name} = shifted({buffer.base}, {' + '.join(terms)})")
    return name
