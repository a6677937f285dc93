"""Elements picked by indices, and added or put where indices say."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from autodiff.backends.kernels.programs.axes import Step
from autodiff.backends.kernels.programs.running import loops_over, place_of
from autodiff.backends.kernels.programs.scope import INDEX, Scope, handles
from autodiff.backends.kernels.programs.storage import Buffer, Impossible, steps
from autodiff.backends.kernels.scalars import cast
from autodiff.trace.tape import Equation, Literal


def index_axis(step: Step) -> None:
    """The elements of an index that is a vector go along with what they pick."""
    (_, index), (out,) = step.operands, step.results
    if len(index) == 1:
        step.along(index[0], out[0])
        step.same_everywhere(out[1:])


@handles("gather", kin=index_axis)
def gather(scope: Scope, equation: Equation) -> None:
    """Elements picked along the first axis; an index out of range is noted, and nothing is read there."""
    x, i = equation.operands
    params = dict(equation.params)
    source, index = scope.spec(x).shape, scope.spec(i)
    if len(source) - 1 != params["rest"]:
        gather_in_lines(scope, equation)
        return
    out = equation.specs[0]
    rows = scope.emitter.rows
    table = scope.buffer(x)
    places = scope.buffer(i)
    target = scope.target(equation.results[0], out.shape, out.dtype)
    emitter = scope.emitter
    emitter.flush()
    picked = emitter.name("g")
    bounds = "first, last" if index.shape == (rows,) else str(prod(index.shape))
    emitter.line(f"for {picked} in range({bounds}):")
    emitter.depth += 1
    row = checked(scope, places, index.shape, picked, source[0])
    rest = source[1:]
    copy_row(
        scope,
        Buffer(table.base, rest, table.strides[1:], table.offset, table.dtype),
        f"{row} * {table.strides[0]}",
        Buffer(target.base, rest, steps(rest), target.offset, target.dtype),
        f"{picked} * {prod(rest)}",
    )
    emitter.depth -= 1
    emitter.loops += 2
    scope.keep(equation, target)


def gather_in_lines(scope: Scope, equation: Equation) -> None:
    """Elements picked along an axis that is not the first one, by an index for each line."""
    x, i = equation.operands
    out, emitter = equation.specs[0], scope.emitter
    axis = len(scope.spec(x).shape) - 1 - dict(equation.params)["rest"]
    table, places = scope.buffer(x), scope.buffer(i)
    rank = len(places.shape) - axis
    target = scope.target(equation.results[0], out.shape, out.dtype)
    emitter.flush()
    with loops_over(scope, out.shape) as names:
        lead, inner, rest = names[:axis], names[axis : axis + rank], names[axis + rank :]
        where = place_of(places, dict(enumerate((*lead, *inner))))
        raw = cast(f"load_{places.dtype}({places.base}, {where})", places.dtype, INDEX)
        row = emitter.in_range(raw, table.shape[axis])
        value = f"load_{table.dtype}({table.base}, {place_of(table, dict(enumerate((*lead, row, *rest))))})"
        emitter.line(f"store_{out.dtype}({target.base}, {place_of(target, dict(enumerate(names)))}, {value})")
    scope.keep(equation, target)


def checked(scope: Scope, places: Buffer, shape: Sequence[int], number: str, length: int) -> str:
    """The name of an index between 0 and a length; others leave a mark that the caller sees."""
    where = linear(places, shape, number)
    loaded = cast(f"load_{places.dtype}({places.base}, {where})", places.dtype, INDEX)
    return scope.emitter.in_range(loaded, length)


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


def copy_row(scope: Scope, source: Buffer, from_row: str, target: Buffer, to_row: str) -> None:
    """One row copied, element by element."""
    emitter = scope.emitter
    names = []
    for length in source.shape:
        names.append(emitter.name("r"))
        emitter.line(f"for {names[-1]} in range({length}):")
        emitter.depth += 1
    read = " + ".join((from_row, *inner_terms(source, names)))
    written = " + ".join((to_row, *inner_terms(target, names)))
    emitter.line(f"store_{target.dtype}({target.base}, {written}, load_{source.dtype}({source.base}, {read}))")
    emitter.depth -= len(names)


def inner_terms(buffer: Buffer, names: Sequence[str]) -> list[str]:
    """What the indices of a row add to the place where it begins."""
    terms = [f"{name} * {step}" for name, step in zip(names, buffer.strides, strict=True) if step]
    return [*terms, str(buffer.offset)] if buffer.offset else terms


@handles("scatter_add")
def scatter_add(scope: Scope, equation: Equation) -> None:
    """Rows added at the places that an index names."""
    g, i = equation.operands
    out, emitter = equation.specs[0], scope.emitter
    index = scope.spec(i).shape
    if out.dtype.kind == "b":
        raise Impossible("a scatter of truth values")
    lead = len(index) - dict(equation.params)["rank"]
    if not lead and prod(index) == 1 and isinstance(g, int) and isinstance(i, int) and emitter.split(out.shape):
        scope.keep_row(equation, i, g)
        return
    target = scope.target(equation.results[0], out.shape, out.dtype)
    scope.copied(target, Literal(out.dtype.type(0)))
    emitter.ready(target)
    rows, places = scope.buffer(g), scope.buffer(i)
    emitter.flush()
    with loops_over(scope, index) as names:
        loaded = f"load_{places.dtype}({places.base}, {place_of(places, dict(enumerate(names)))})"
        row = emitter.in_range(cast(loaded, places.dtype, INDEX), out.shape[lead])
        with loops_over(scope, out.shape[lead + 1 :]) as inner:
            read = place_of(rows, dict(enumerate((*names, *inner))))
            written = place_of(target, dict(enumerate((*names[:lead], row, *inner))))
            value = f"load_{out.dtype}({target.base}, {written}) + load_{rows.dtype}({rows.base}, {read})"
            emitter.line(f"store_{out.dtype}({target.base}, {written}, {value})")
    scope.keep(equation, target)


@handles("pick", "place")
def pick_or_place(scope: Scope, equation: Equation) -> None:
    """Elements of each line picked along an axis, or put into lines of zeros."""
    first, i = equation.operands
    out, emitter = equation.specs[0], scope.emitter
    picks = equation.primitive.name == "pick"
    source, places = scope.buffer(first), scope.buffer(i)
    index = scope.spec(i).shape
    axis = dict(equation.params)["axis"] % len(index)
    target = scope.target(equation.results[0], out.shape, out.dtype)
    if not picks:
        scope.copied(target, Literal(out.dtype.type(0)))
        emitter.ready(target)
    emitter.flush()
    with loops_over(scope, index) as names:
        here = dict(enumerate(names))
        length = (source if picks else target).shape[axis]
        raw = cast(f"load_{places.dtype}({places.base}, {place_of(places, here)})", places.dtype, INDEX)
        there = {**here, axis: emitter.in_range(raw, length)}
        read, written = (there, here) if picks else (here, there)
        value = f"load_{source.dtype}({source.base}, {place_of(source, read)})"
        emitter.line(f"store_{out.dtype}({target.base}, {place_of(target, written)}, {value})")
    scope.keep(equation, target)
