"""Running sums, products and extremes, and what their derivatives are made of: step after step along an axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.axes import Step
from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import (
    Buffer,
    Element,
    Impossible,
    Registers,
    objects,
    text,
)
from autodiff.backends.kernels.scalars import DTYPES, cast, literal
from autodiff.trace.tape import Equation

Fold = Callable[[str, Sequence[str], np.dtype[Any]], tuple[str, str]]
"""What a step gives, and what it hands on, of what it was handed and of an element of each operand."""


def added(so_far: str, elements: Sequence[str], dtype: np.dtype[Any]) -> tuple[str, str]:
    """The sum so far."""
    found = of_dtype(f"{so_far} + {elements[0]}", dtype)
    return found, found


def multiplied(so_far: str, elements: Sequence[str], dtype: np.dtype[Any]) -> tuple[str, str]:
    """The product so far."""
    found = of_dtype(f"{so_far} * {elements[0]}", dtype)
    return found, found


def multiplied_before(so_far: str, elements: Sequence[str], dtype: np.dtype[Any]) -> tuple[str, str]:
    """The product of all before."""
    return so_far, of_dtype(f"{so_far} * {elements[0]}", dtype)


def moved_on(so_far: str, elements: Sequence[str], dtype: np.dtype[Any]) -> tuple[str, str]:
    """The element before."""
    return so_far, elements[0]


def recurred(so_far: str, elements: Sequence[str], dtype: np.dtype[Any]) -> tuple[str, str]:
    """b plus a times what was before."""
    b, a = elements
    return f"{b} + {a} * {so_far}", f"{b} + {a} * {so_far}"


def largest(so_far: str, elements: Sequence[str], dtype: np.dtype[Any]) -> tuple[str, str]:
    """The largest so far."""
    return f"maximum({so_far}, {elements[0]})", f"maximum({so_far}, {elements[0]})"


def smallest(so_far: str, elements: Sequence[str], dtype: np.dtype[Any]) -> tuple[str, str]:
    """The smallest so far."""
    return f"minimum({so_far}, {elements[0]})", f"minimum({so_far}, {elements[0]})"


# fmt: off
FOLDS: dict[str, tuple[Fold, float | None]] = {
    # what a step does, and what the first one is handed; None: its own element
    "cumsum":          (added,             None),
    "cumprod":         (multiplied,        None),
    "cummax":          (largest,           None),
    "cummin":          (smallest,          None),
    "recurrence":      (recurred,          None),
    "products_before": (multiplied_before, 1),
    "shift":           (moved_on,          0),
}
# fmt: on


def of_dtype(written: str, dtype: np.dtype[Any]) -> str:
    """Integers are computed in the longest; results have their own dtype."""
    return written if dtype.kind == "f" else f"{DTYPES[dtype]}({written})"


def other_axes(step: Step) -> None:
    """All axes go along but the one that is run along."""
    axis = dict(step.equation.params)["axis"]
    (out,) = step.results
    for own in step.operands:
        kept = len(own) + axis
        step.aligned(own[kept + 1 :], out[len(out) + axis + 1 :])
        step.aligned(own[:kept], out[: len(out) + axis])


@handles(*FOLDS, kin=other_axes)
def run_along(scope: Scope, equation: Equation) -> None:
    """One step after the other: in variables if the value is small, else in a loop for each line."""
    out = equation.specs[0]
    if out.dtype.kind == "b":
        raise Impossible(f"{equation.primitive.name} of {out.dtype.name}")
    in_variables = not scope.emitter.split(out.shape)
    scope.keep(equation, of_variables(scope, equation) if in_variables else in_memory(scope, equation))


def steps_of(equation: Equation) -> tuple[int, int, range]:
    """The axis, counted from the front, its length, and the order of the steps."""
    params, shape = dict(equation.params), equation.specs[0].shape
    axis = params["axis"] % len(shape)
    order = range(shape[axis])
    return axis, shape[axis], order[::-1] if params.get("reverse") else order


def of_variables(scope: Scope, equation: Equation) -> Registers:
    """Every step written out."""
    out = equation.specs[0]
    fold, first = FOLDS[equation.primitive.name]
    axis, _, order = steps_of(equation)
    columns = [np.moveaxis(np.broadcast_to(scope.registers(o).elements, out.shape), axis, 0) for o in equation.operands]
    given = [scope.spec(o).dtype for o in equation.operands]
    found = objects(out.shape)
    rows = np.moveaxis(found, axis, 0)
    for index in product(*map(range, rows.shape[1:])):
        so_far: Element | None = None if first is None else literal(first, out.dtype)
        for k in order:
            elements = [
                cast(text(column[(k, *index)], own), own, out.dtype) for column, own in zip(columns, given, strict=True)
            ]
            if so_far is None:
                rows[(k, *index)] = so_far = scope.emitter.define(elements[0])
                continue
            here, following = fold(so_far, elements, out.dtype)
            rows[(k, *index)] = scope.emitter.define(here)
            so_far = rows[(k, *index)] if following == here else scope.emitter.define(following)
    return Registers(found, out.dtype)


def in_memory(scope: Scope, equation: Equation) -> Buffer:
    """A loop over the steps inside of loops over the other axes."""
    out, emitter = equation.specs[0], scope.emitter
    fold, first = FOLDS[equation.primitive.name]
    axis, length, order = steps_of(equation)
    sources = [scope.buffer(o) for o in equation.operands]
    target = scope.target(equation.results[0], out.shape, out.dtype)
    emitter.flush()
    others = [k for k in range(len(out.shape)) if k != axis]
    with loops_over(scope, [out.shape[k] for k in others]) as names:
        indices = dict(zip(others, names, strict=True))

        def elements(k: str) -> list[str]:
            found = []
            for source in sources:
                place = place_of(source, {**indices, axis: k})
                found.append(cast(f"load_{source.dtype}({source.base}, {place})", source.dtype, out.dtype))
            return [emitter.define(each) for each in found]

        def store(k: str, value: str) -> None:
            place = place_of(target, {**indices, axis: k})
            emitter.line(f"store_{out.dtype}({target.base}, {place}, {value})")

        so_far, begin = emitter.name("c"), 0
        if first is None:
            emitter.line(f"{so_far} = {elements(str(order[0]))[0]}")
            store(str(order[0]), so_far)
            begin = 1
        else:
            emitter.line(f"{so_far} = {literal(first, out.dtype)}")
        step, k = emitter.name("s"), emitter.name("k")
        emitter.line(f"for {step} in range({begin}, {length}):")
        emitter.depth += 1
        emitter.line(f"{k} = {step}" if order.step > 0 else f"{k} = {length - 1} - {step}")
        here, following = fold(so_far, elements(k), out.dtype)
        value = emitter.define(here)
        store(k, value)
        emitter.line(f"{so_far} = {value if following == here else following}")
        emitter.depth -= 1
        emitter.loops += 1
    return target


@contextmanager
def loops_over(scope: Scope, lengths: Sequence[int]) -> Iterator[list[str]]:
    """Loops whose bodies are written meanwhile; the names of their variables."""
    emitter = scope.emitter
    names = [emitter.name("o") for _ in lengths]
    for name, length in zip(names, lengths, strict=True):
        bounds = "first, last" if length == emitter.rows else str(length)
        emitter.line(f"for {name} in range({bounds}):")
        emitter.depth += 1
    emitter.loops += len(names)
    yield names
    emitter.depth -= len(names)


def place_of(buffer: Buffer, indices: dict[int, str]) -> str:
    """The place of an element in memory, by an index for each axis of the result; axes of one element stay at it."""
    missing = max(indices, default=-1) + 1 - len(buffer.shape)
    terms = [
        f"{indices[k + missing]} * {stride}"
        for k, (length, stride) in enumerate(zip(buffer.shape, buffer.strides, strict=True))
        if length != 1 and stride
    ]
    return " + ".join([*terms, str(buffer.offset)] if buffer.offset or not terms else terms)
