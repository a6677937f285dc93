"""What derivatives of decompositions ask: which values are equal, and whether a cotangent needs what is arbitrary."""

from __future__ import annotations

from math import prod

import numpy as np

from autodiff.backends.kernels.programs.calling_out import SELDOM, placed, write_call
from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import Buffer, Impossible, Shape
from autodiff.backends.kernels.programs.writer import Writer
from autodiff.trace.tape import Equation, Operand

SELDOM |= {"drop_gauge"}


def largest(writer: Writer, buffer: Buffer, first: str, count: int, found: str) -> str:
    """The largest of so many absolute values and a number; NaN if one of them is."""
    with writer.loop(0, count) as k:
        writer.assign(found, f"maximum({found}, absolute({writer.at(buffer.base, f'{first} + {k}')}))")
    return found


@handles("equal_pairs", "zero_pairs", "zero_columns")
def close_values(scope: Scope, equation: Equation) -> None:
    """Which pairs of values, or values and zero, are closer than rounding tells."""
    own, name = scope.spec(equation.operands[0]), equation.primitive.name
    if own.dtype.kind != "f" or scope.emitter.rows is not None:
        raise Impossible(f"{name} of {own.dtype.name}")
    writer = Writer(scope, equation, own.dtype)
    count, out = own.shape[-1], equation.specs[0]
    values = scope.emitter.allocate(own.shape, own.dtype)
    scope.copied(values, equation.operands[0])
    scope.emitter.flush()
    target = scope.emitter.allocate(out.shape, out.dtype)
    factor = float(4 * count * np.finfo(own.dtype).eps)
    with writer.loop(0, prod(own.shape[:-1])) as k:
        most = largest(writer, values, f"{k} * {count}", count, writer.let(writer.number(0), "t"))
        limit = writer.let(f"{writer.number(factor)} * {most}", "t")
        rows = 1 if name == "zero_columns" else count
        with writer.loop(0, rows) as i, writer.loop(0, count) as j:
            column, row = (writer.at(values.base, f"{k} * {count} + {one}") for one in (j, i))
            off = {"equal_pairs": f"{column} - {row}", "zero_pairs": f"{column} + {row}"}.get(name, column)
            place = f"{k} * {rows * count} + {i} * {count} + {j}"
            scope.emitter.line(f"store_bool({target.base}, {place}, absolute({off}) <= {limit})")
    scope.keep(equation, target)


@handles("size_of")
def size_of(scope: Scope, equation: Equation) -> None:
    """The largest absolute value of matrices that belong together."""
    out = equation.specs[0]
    if out.dtype.kind != "f" or any(scope.spec(o).dtype != out.dtype for o in equation.operands):
        raise Impossible(f"size_of of {out.dtype.name}, or of mixed dtypes")
    if scope.emitter.rows is not None:
        raise Impossible("size_of in a part of the rows")
    writer, buffers = Writer(scope, equation, out.dtype), []
    for operand in equation.operands:
        buffers.append(scope.emitter.allocate(scope.spec(operand).shape, out.dtype))
        scope.copied(buffers[-1], operand)
    scope.emitter.flush()
    target = scope.emitter.allocate(out.shape, out.dtype)
    with writer.loop(0, prod(out.shape)) as k:
        found = writer.let(writer.number(0), "t")
        for buffer in buffers:
            size = prod(buffer.shape[-2:])
            largest(writer, buffer, f"{k} * {size}", size, found)
        writer.put(target.base, k, found)
    scope.keep(equation, target)


def broadcast(scope: Scope, operand: Operand, own: Buffer, shape: Shape) -> Buffer:
    """An operand that is in a buffer of its own shape, in one of another shape."""
    if own.shape == shape:
        return own
    found = scope.emitter.allocate(shape, own.dtype)
    scope.copied(found, operand)
    scope.emitter.flush()
    return found


@handles("drop_gauge")
def drop_gauge(scope: Scope, equation: Equation) -> None:
    """A cotangent without its free elements. Where these are not small the kernel calls out: there is a warning."""
    params, out = dict(equation.params), equation.specs[0]
    if out.dtype.kind != "f" or scope.emitter.rows is not None:
        raise Impossible(f"drop_gauge of {out.dtype.name}")
    writer, where = Writer(scope, equation, out.dtype), placed(scope, equation)
    if len(where.buffers) != 3:
        raise Impossible("drop_gauge of constants")
    x, (target,) = where.buffers[0], where.outs
    free = broadcast(scope, equation.operands[1], where.buffers[1], out.shape)
    size = broadcast(scope, equation.operands[2], where.buffers[2], (*out.shape[:-2], 1, 1))
    (rows, columns), pairs = out.shape[-2:], params["part"] == "pairs"
    flag = writer.let("False", "s")
    precision = float(np.sqrt(np.finfo(out.dtype).eps))
    with writer.loop(0, prod(out.shape[:-2])) as k:
        limit = writer.let(f"{writer.number(precision)} * {writer.at(size.base, k)}", "t")
        with writer.loop(0, rows) as i, writer.loop(0, columns) as j:
            place = writer.let(f"{k} * {rows * columns} + {i} * {columns} + {j}", "i")
            whole = turn = writer.let(writer.at(x.base, place))
            if params["part"] != "columns":
                other = writer.at(x.base, f"{k} * {rows * columns} + {j} * {columns} + {i}")
                turn = writer.let(f"({whole} - {other}) / {writer.number(2)}")
            is_free = writer.let(f"load_bool({free.base}, {place})", "b")
            across = f"where({i} == {j}, {turn}, {whole})" if pairs else turn
            with writer.inside(f"if {is_free} & (absolute({across}) > {limit}):"):
                writer.assign(flag, "True")
            writer.put(target.base, place, f"where({is_free}, {writer.number(0)}, {turn})")
    with writer.inside(f"if {flag}:"):
        write_call(scope, equation, where, seldom=True)
    scope.keep(equation, target)
