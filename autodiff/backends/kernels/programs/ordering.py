"""Places: the permutation that sorts, the largest element, where a number belongs in a sorted vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.backends.kernels.programs.axes import Step
from autodiff.backends.kernels.programs.running import loops_over, other_axes, place_of
from autodiff.backends.kernels.programs.scope import Scope, handles
from autodiff.backends.kernels.programs.storage import Buffer, Impossible
from autodiff.backends.kernels.scalars import DTYPES, cast
from autodiff.trace.tape import Equation

INSERTED = 16
"""Lines of up to the square of it are sorted, by insertion: longer ones take longer than NumPy does."""

I8 = np.dtype(np.int64)


def before(one: str, other: str, dtype: np.dtype[Any]) -> str:
    """Whether one value comes before another one: NaN come last."""
    if dtype.kind != "f":
        return f"{one} < {other}"
    return f"({one} < {other}) | (({other} != {other}) & ({one} == {one}))"


@handles("argsort", kin=other_axes)
def argsort(scope: Scope, equation: Equation) -> None:
    """The stable permutation: elements are moved down while those before them are larger."""
    params, (x,) = dict(equation.params), equation.operands
    own, out, emitter = scope.spec(x), equation.specs[0], scope.emitter
    axis = params["axis"] % len(out.shape)
    length = out.shape[axis]
    if params["kind"] != "stable":
        raise Impossible("argsort in an order of equal elements that is NumPy's own; kind='stable' has a kernel")
    if length > INSERTED * INSERTED:
        raise Impossible(f"argsort of {length} elements")
    source = scope.buffer(x)
    target = scope.target(equation.results[0], out.shape, out.dtype)
    emitter.flush()
    others = [k for k in range(len(out.shape)) if k != axis]
    with loops_over(scope, [out.shape[k] for k in others]) as names:
        indices = dict(zip(others, names, strict=True))
        start, value, place, other = (emitter.name(stem) for stem in "kvpj")

        def at(k: str) -> str:
            return f"{target.base}, {place_of(target, {**indices, axis: k})}"

        def element(k: str) -> str:
            return f"load_{own.dtype}({source.base}, {place_of(source, {**indices, axis: k})})"

        lines = [
            f"for {start} in range({length}):",
            f"    {value} = {element(start)}",
            f"    {place} = {start} - 1",
            f"    while {place} >= 0:",
            f"        {other} = load_int64({at(place)})",
            f"        {other}_value = {element(other)}",
            f"        if {before(value, other + '_value', own.dtype)}:",
            f"            store_int64({at(f'({place} + 1)')}, {other})",
            f"            {place} = {place} - 1",
            "        else:",
            "            break",
            f"    store_int64({at(f'({place} + 1)')}, {start})",
        ]
        for line in lines:
            emitter.line(line)
        emitter.loops += 2
    scope.keep(equation, target)


def axis_that_goes(step: Step) -> None:
    """All axes go along but the one that is looked through."""
    (own,), (out,) = step.operands, step.results
    axis = dict(step.equation.params).get("axis")
    if axis is not None and len(out) == len(own) - 1:
        place = axis % len(own)
        step.aligned((*own[:place], *own[place + 1 :]), out)


@handles("argmax", "argmin", kin=axis_that_goes)
def extreme_place(scope: Scope, equation: Equation) -> None:
    """The first place of the largest or smallest element along an axis; NaN is both."""
    (x,) = equation.operands
    own, out, emitter = scope.spec(x), equation.specs[0], scope.emitter
    axis = dict(equation.params)["axis"] % len(own.shape)
    sign = ">" if equation.primitive.name == "argmax" else "<"
    source = scope.buffer(x)
    target = scope.target(equation.results[0], out.shape, out.dtype)
    emitter.flush()
    others = [k for k in range(len(own.shape)) if k != axis]
    with loops_over(scope, [own.shape[k] for k in others]) as names:
        indices = dict(zip(others, names, strict=True))
        best, place, k, value = (emitter.name(stem) for stem in "bpkv")

        def element(k: str) -> str:
            return cast(f"load_{own.dtype}({source.base}, {place_of(source, {**indices, axis: k})})", own.dtype, wide)

        wide = own.dtype if own.dtype.kind == "f" else I8
        beaten = f"{value} {sign} {best}"
        if own.dtype.kind == "f":
            beaten = f"({beaten}) | (({value} != {value}) & ({best} == {best}))"
        written = place_of(target, dict(enumerate(names)))
        lines = [
            f"{best} = {element('0')}",
            f"{place} = i8(0)",
            f"for {k} in range(1, {own.shape[axis]}):",
            f"    {value} = {element(k)}",
            f"    if {beaten}:",
            f"        {best} = {value}",
            f"        {place} = {k}",
            f"store_int64({target.base}, {written}, {place})",
        ]
        for line in lines:
            emitter.line(line)
        emitter.loops += 1
    scope.keep(equation, target)


def elements_searched(step: Step) -> None:
    """What is looked for goes along with where it belongs."""
    (_, own), (out,) = step.operands, step.results
    step.aligned(own, out)


@handles("searchsorted", kin=elements_searched)
def searchsorted(scope: Scope, equation: Equation) -> None:
    """Where elements belong in a sorted vector, by halving."""
    table, x = equation.operands
    own, out, emitter = scope.spec(x), equation.specs[0], scope.emitter
    length = scope.spec(table).shape[0]
    common = np.result_type(scope.spec(table).dtype, own.dtype)
    if common not in DTYPES:
        raise Impossible(f"searchsorted in {common.name}")
    places, source = scope.buffer(table), scope.buffer(x)
    target = scope.target(equation.results[0], out.shape, out.dtype)
    emitter.flush()
    with loops_over(scope, out.shape) as names:
        indices = dict(enumerate(names))
        low, high, middle, value, other = (emitter.name(stem) for stem in "lhmvo")
        loaded = load(places, f"{middle} * {places.strides[0]} + {places.offset}", common)
        left = dict(equation.params)["side"] == "left"
        goes_on = before(other, value, common) if left else f"({before(value, other, common)}) ^ True"
        lines = [
            f"{value} = {load(source, place_of(source, indices), common)}",
            f"{low} = i8(0)",
            f"{high} = i8({length})",
            f"while {low} < {high}:",
            f"    {middle} = ({low} + {high}) // 2",
            f"    {other} = {loaded}",
            f"    if {goes_on}:",
            f"        {low} = {middle} + 1",
            "    else:",
            f"        {high} = {middle}",
            f"store_int64({target.base}, {place_of(target, indices)}, {low})",
        ]
        for line in lines:
            emitter.line(line)
        emitter.loops += 1
    scope.keep(equation, target)


def load(buffer: Buffer, place: str, wanted: np.dtype[Any]) -> str:
    """An element in a dtype."""
    return cast(f"load_{buffer.dtype}({buffer.base}, {place})", buffer.dtype, wanted)


__all__: Sequence[str] = ["argsort", "extreme_place", "searchsorted"]
