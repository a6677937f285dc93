"""Elements put where an index says, over those that are there."""

from __future__ import annotations

from itertools import product
from math import prod

from autodiff.backends.kernels.programs.running import loops_over, place_of
from autodiff.backends.kernels.programs.scope import INDEX, Scope, handles
from autodiff.backends.kernels.programs.storage import Buffer, Registers, text
from autodiff.backends.kernels.scalars import cast
from autodiff.trace.tape import Equation

CHOICES = 64
"""A value in variables takes over what is put into it by choosing for each element, if there are not more choices."""


@handles("put")
def put(scope: Scope, equation: Equation) -> None:
    """A value with others in places of its last axis; an index out of range is noted."""
    x, i, v = equation.operands
    out, index = equation.specs[0], scope.spec(i).shape
    if not scope.emitter.split(out.shape) and prod(index) * out.shape[-1] <= CHOICES:
        scope.keep(equation, chosen(scope, equation))
        return
    target = scope.updated(equation.results[0], x)
    places, values = (scope.buffer(scope.apart(each, target)) for each in (i, v))
    scope.emitter.flush()
    with loops_over(scope, index) as names:
        here = dict(enumerate(names))
        there = {**here, len(index) - 1: checked(scope, places, here, out.shape[-1])}
        value = f"load_{values.dtype}({values.base}, {place_of(values, here)})"
        scope.emitter.line(f"store_{out.dtype}({target.base}, {place_of(target, there)}, {value})")
    scope.keep(equation, target)


def chosen(scope: Scope, equation: Equation) -> Registers:
    """The same of a value in variables."""
    x, i, v = map(scope.registers, equation.operands)
    elements, emitter = x.elements.copy(), scope.emitter
    *lead, length = elements.shape
    for row in product(*map(range, lead)):
        for place, value in zip(i.elements[row], v.elements[row], strict=True):
            number = emitter.in_range(cast(text(place, i.dtype), i.dtype, INDEX), length)
            for k in range(length):
                before, after = text(elements[(*row, k)], x.dtype), text(value, v.dtype)
                elements[(*row, k)] = emitter.define(f"where({number} == {k}, {after}, {before})")
    return Registers(elements, x.dtype)


def checked(scope: Scope, places: Buffer, here: dict[int, str], length: int) -> str:
    """The name of an index between 0 and a length; others leave a mark that the caller sees."""
    loaded = f"load_{places.dtype}({places.base}, {place_of(places, here)})"
    return scope.emitter.in_range(cast(loaded, places.dtype, INDEX), length)


@handles("last_writes")
def last_writes(scope: Scope, equation: Equation) -> None:
    """Which writes stay: each notes its number in its place, and looks afterwards whether it is still there."""
    (i,), (out,) = equation.operands, equation.specs
    length, lead = dict(equation.params)["length"], out.shape[:-1]
    emitter, places = scope.emitter, scope.buffer(i)
    writers = emitter.allocate((*lead, length), INDEX)
    target = scope.target(equation.results[0], out.shape, out.dtype)
    emitter.flush()
    for line in (
        "store_int64({writers}, {place}, {number})",
        "store_bool({target}, {own}, load_int64({writers}, {place}) == {number})",
    ):
        with loops_over(scope, out.shape) as names:
            here = dict(enumerate(names))
            there = {**here, len(lead): checked(scope, places, here, length)}
            emitter.line(
                line.format(
                    writers=writers.base,
                    place=place_of(writers, there),
                    number=names[-1],
                    target=target.base,
                    own=place_of(target, here),
                )
            )
    scope.keep(equation, target)
