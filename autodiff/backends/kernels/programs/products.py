"""Products of matrices: of variables written out, of memory by one tile after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from autodiff.backends.kernels.programs.emitter import Scope, handles
from autodiff.backends.kernels.programs.structure import viewed
from autodiff.backends.kernels.programs.values import Buffer, Impossible, Registers, Value, objects, text
from autodiff.backends.kernels.scalars import cast
from autodiff.trace.tape import Equation, Operand

WRITTEN_OUT = 256
"""Products of at most so many multiplications are written out."""


@handles("matmul", "linear_map", "matvec", "dot")
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
        and prod(equation.specs[0].shape) <= scope.emitter.registers
    ):
        scope.keep(equation, written_out(scope, equation, x, y))
    else:
        scope.keep(equation, in_memory(scope, equation, x, y))


def written_out(scope: Scope, equation: Equation, x: Operand, y: Operand) -> Value:
    """Every multiplication by itself."""
    a, b = scope.registers(x).elements, scope.registers(y).elements
    out = equation.specs[0]
    a, b = oriented(equation.primitive.name, a, b)
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
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
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = viewed(a, lambda v: np.broadcast_to(v, (*lead, *v.shape[-2:])))
    b = viewed(b, lambda v: np.broadcast_to(v, (*lead, *v.shape[-2:])))
    target = scope.target(equation.results[0], out.shape, out.dtype)
    rows, columns, inner = a.shape[-2], b.shape[-1], a.shape[-1]
    emitter = scope.emitter
    emitter.flush()
    indices = [emitter.name("s") for _ in lead]
    for index, length in zip(indices, lead, strict=True):
        emitter.line(f"for {index} in range({length}):")
        emitter.depth += 1
    places = [place(emitter.name("p"), scope, buffer, indices) for buffer in (a, b)]
    step = rows * columns
    goal = place(
        emitter.name("p"), scope, Buffer(target.base, lead, steps_of(lead, step), target.offset, out.dtype), indices
    )
    emitter.line(
        f"multiply_matrices_{out.dtype}({places[0]}, {a.strides[-2]}, {a.strides[-1]}, {places[1]}, {b.strides[-2]}, "
        f"{b.strides[-1]}, {goal}, {columns}, {rows}, {columns}, {inner}, 0)"
    )
    emitter.depth -= len(indices)
    emitter.loops += 2 + len(indices)
    return target


def steps_of(lead: Sequence[int], step: int) -> tuple[int, ...]:
    return tuple(prod(lead[k + 1 :]) * step for k in range(len(lead)))


def place(name: str, scope: Scope, buffer: Buffer, indices: Sequence[str]) -> str:
    """The address of one matrix of a stack."""
    size = buffer.dtype.itemsize
    terms = [f"{index} * {step * size}" for index, step in zip(indices, buffer.strides, strict=False) if step]
    if buffer.offset or not terms:
        terms.append(str(buffer.offset * size))
    scope.emitter.line(f"{name} = shifted({buffer.base}, {' + '.join(terms)})")
    return name


@handles("gather")
def gather(scope: Scope, equation: Equation) -> None:
    """Elements picked along the first axis; an index out of range is noted, and nothing is read there."""
    x, i = equation.operands
    params = dict(equation.params)
    source, index = scope.spec(x).shape, scope.spec(i)
    if len(source) - 1 != params["rest"]:
        raise Impossible("a gather with leading axes")
    out = equation.specs[0]
    table = scope.buffer(x)
    places = scope.buffer(i)
    target = scope.target(equation.results[0], out.shape, out.dtype)
    emitter = scope.emitter
    emitter.flush()
    picked = emitter.name("g")
    emitter.line(f"for {picked} in range({prod(index.shape)}):")
    emitter.depth += 1
    row = checked(scope, places, index.shape, picked, source[0])
    rest = source[1:]
    copy_row(
        scope,
        Buffer(table.base, rest, table.strides[1:], table.offset, table.dtype),
        f"{row} * {table.strides[0]}",
        Buffer(target.base, rest, tuple(steps_of(rest, 1)), target.offset, target.dtype),
        f"{picked} * {prod(rest)}",
        False,
    )
    emitter.depth -= 1
    emitter.loops += 2
    scope.keep(equation, target)


def checked(scope: Scope, places: Buffer, shape: Sequence[int], number: str, length: int) -> str:
    """The name of an index between 0 and a length; others leave a mark that the caller sees."""
    emitter = scope.emitter
    emitter.checks = True
    where = linear(places, shape, number)
    raw = emitter.define(cast(f"load_{places.dtype}({places.base}, {where})", places.dtype, np.dtype(np.int64)))
    found = emitter.define(f"where({raw} < 0, {raw} + {length}, {raw})")
    emitter.line(f"if {found} < 0 or {found} >= {length}:")
    emitter.line("    store_int64(status, 0, i8(1))")
    emitter.line(f"    {found} = 0")
    return found


def linear(buffer: Buffer, shape: Sequence[int], number: str) -> str:
    """The place of an element of a buffer by its number in C order."""
    if buffer.contiguous:
        return f"{number} + {buffer.offset}" if buffer.offset else number
    terms = [str(buffer.offset)]
    below = 1
    for length, stride in zip(reversed(shape), reversed(buffer.strides), strict=True):
        terms.append(f"({number} // {below} % {length}) * {stride}")
        below *= length
    return " + ".join(terms)


def copy_row(scope: Scope, source: Buffer, from_row: str, target: Buffer, to_row: str, adding: bool) -> None:
    """One row copied, or added, element by element."""
    emitter = scope.emitter
    names = []
    for length in source.shape:
        names.append(emitter.name("r"))
        emitter.line(f"for {names[-1]} in range({length}):")
        emitter.depth += 1
    read = " + ".join((from_row, *inner_terms(source, names)))
    written = " + ".join((to_row, *inner_terms(target, names)))
    value = f"load_{source.dtype}({source.base}, {read})"
    if adding:
        value = f"load_{target.dtype}({target.base}, {written}) + {value}"
    emitter.line(f"store_{target.dtype}({target.base}, {written}, {value})")
    emitter.depth -= len(names)


def inner_terms(buffer: Buffer, names: Sequence[str]) -> list[str]:
    terms = [f"{name} * {step}" for name, step in zip(names, buffer.strides, strict=True) if step]
    return [*terms, str(buffer.offset)] if buffer.offset else terms


@handles("scatter_add")
def scatter_add(scope: Scope, equation: Equation) -> None:
    """Rows added at the places that an index names."""
    g, i = equation.operands
    params = dict(equation.params)
    out = equation.specs[0]
    own, index = scope.spec(g).shape, scope.spec(i).shape
    if len(own) != params["rest"] + params["rank"] or out.dtype.kind != "f":
        raise Impossible("a scatter with leading axes, or of integers")
    from autodiff.trace.tape import Literal  # noqa: PLC0415

    target = scope.target(equation.results[0], out.shape, out.dtype)
    scope.copied(target, Literal(out.dtype.type(0)))
    rows, places = scope.buffer(g), scope.buffer(i)
    if not rows.contiguous:
        from autodiff.backends.kernels.programs.structure import copy_of  # noqa: PLC0415

        rows = copy_of(scope, g)
    emitter = scope.emitter
    emitter.flush()
    number = emitter.name("g")
    emitter.line(f"for {number} in range({prod(index)}):")
    emitter.depth += 1
    row = checked(scope, places, index, number, params["length"])
    rest = out.shape[1:]
    step = prod(rest)
    copy_row(
        scope,
        Buffer(rows.base, rest, steps_of(rest, 1), rows.offset, rows.dtype),
        f"{number} * {step}",
        Buffer(target.base, rest, steps_of(rest, 1), target.offset, target.dtype),
        f"{row} * {step}",
        True,
    )
    emitter.depth -= 1
    emitter.loops += 2
    scope.keep(equation, target)
