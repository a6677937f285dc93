"""Arithmetic that is only read in parts is computed in parts: the kernel that reads one computes it as well.

As where the gates of an LSTM are sums of products that are split: no kernel stores the whole sum.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import combinations
from typing import Any

from autodiff.backends.kernels.folds import reduces
from autodiff.backends.passes.preparation.slices import Span, key_of, spans_of
from autodiff.ops.index import slice_of
from autodiff.ops.join import split
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape, operand_specs

Key = tuple[Any, ...]
Cuts = dict[int, dict[Key, None]]
"""For slots the slices in which they are read, by their keys."""

MOST = 8
"""Into so many parts operations are taken apart: each of them is an operation of its own."""


def compute_parts(tape: Tape) -> Tape:
    """The tape with elementwise operations done for each slice of their results, where nothing else reads these.

    The slices are few and do not overlap, so nothing is computed twice; and kernels read them. Others, such as products
    of matrices, go on reading slices of one array that one kernel stores. All bits are kept.
    """
    cuts, apart = in_parts(tape)
    if not apart:
        return tape
    specs, equations = list(tape.inputs), list[Equation]()
    now: list[Operand] = list(range(len(tape.inputs)))
    made: dict[tuple[int, Key], Operand] = {}

    def emit(equation: Equation) -> tuple[int, ...]:
        results = tuple(range(len(specs), len(specs) + len(equation.specs)))
        equations.append(replace(equation, results=results))
        specs.extend(equation.specs)
        return results

    def part(operand: Operand, key: Key, shape: tuple[int, ...], source: str) -> Operand:
        """The part of an operand that is needed for a part of a result."""
        own = tape.specs[operand] if isinstance(operand, int) else None
        aligned = aligned_key(key, own, shape)
        if own is None or aligned is None or not isinstance(operand, int):
            return now[operand] if isinstance(operand, int) else operand
        if (operand, aligned) not in made:
            outcome = slice_of.spec(own, key=aligned)
            cut = Equation(slice_of, (now[operand],), (("key", aligned),), (), (outcome,), source)
            made[operand, aligned] = emit(cut)[0]
        return made[operand, aligned]

    for equation in tape.equations:
        first, operand = equation.results[0], equation.operands[0] if equation.operands else None
        if first in apart:
            shape = equation.specs[0].shape
            for key in cuts[first]:
                operands = tuple(part(o, key, shape, equation.source) for o in equation.operands)
                outcome = equation.primitive.spec(*operand_specs(operands, specs), **dict(equation.params))
                made[first, key] = emit(replace(equation, operands=operands, specs=(outcome,)))[0]
            now.append(first)  # nobody reads it
        elif isinstance(operand, int) and operand in apart:
            now.extend(made[operand, key] for key in keys_of_parts(equation, tape))
        else:
            operands = tuple(now[o] if isinstance(o, int) else o for o in equation.operands)
            now.extend(emit(replace(equation, operands=operands)))
    outputs = tuple(now[o] if isinstance(o, int) else o for o in tape.outputs)
    return replace(tape, equations=tuple(equations), outputs=outputs)


def in_parts(tape: Tape) -> tuple[Cuts, set[int]]:
    """The slices in which slots are read, and the slots of arithmetic that are read in no other way."""
    cuts: Cuts = {}
    stored = {out for out in tape.outputs if isinstance(out, int)}  # what others than kernels read
    whole = set(stored)
    apart: set[int] = set()
    for equation in reversed(tape.equations):
        slots = [o for o in equation.operands if isinstance(o, int)]
        keys = keys_of_parts(equation, tape)
        if keys and stored.isdisjoint(equation.results):
            cuts.setdefault(slots[0], {}).update(dict.fromkeys(keys))
        elif separable(equation, cuts, whole):
            (result,) = equation.results
            apart.add(result)
            for slot in slots:
                needed = [aligned_key(k, tape.specs[slot], equation.specs[0].shape) for k in cuts[result]]
                known = [k for k in needed if k is not None]
                cuts.setdefault(slot, {}).update(dict.fromkeys(known))
                if len(known) < len(needed):
                    whole.add(slot)
        else:
            whole.update(slots)
            if not in_kernels(equation):
                stored.update(slots)
    return cuts, apart


def in_kernels(equation: Equation) -> bool:
    """Whether kernels compute their operands themselves for such an operation."""
    return equation.primitive.family == "elementwise" or reduces(equation)


def separable(equation: Equation, cuts: Cuts, whole: Collection[int]) -> bool:
    """Whether an operation may be done part by part."""
    if equation.primitive.family != "elementwise" or len(equation.results) != 1 or equation.specs[0].kind != "array":
        return False
    (result,), shape = equation.results, equation.specs[0].shape
    keys = cuts.get(result, {})
    if result in whole or not 2 <= len(keys) <= MOST:
        return False
    spans = [spans_of(key, shape) for key in keys]
    return all(not meet(one, other) for one, other in combinations(spans, 2) if one is not None and other is not None)


def meet(one: list[Span], other: list[Span]) -> bool:
    """Whether two slices may have elements in common: not where they are apart along an axis."""
    return all(
        first < start + step * (count - 1) + 1 and start < first + own * (many - 1) + 1
        for (start, step, count), (first, own, many) in zip(one, other, strict=True)
    )


def keys_of_parts(equation: Equation, tape: Tape) -> list[Key]:
    """The keys, in one form, of the parts that an operation takes of an array: slices that go forward; or none."""
    x = equation.operands[0] if equation.operands else None
    if not isinstance(x, int) or tape.specs[x].kind != "array" or equation.specs[0].kind != "array":
        return []
    shape, params = tape.specs[x].shape, dict(equation.params)
    if equation.primitive is split:
        axis, ends = params["axis"] % len(shape), params["ends"]
        spans = [
            [(begin, 1, end - begin) if k == axis else (0, 1, length) for k, length in enumerate(shape)]
            for begin, end in zip((0, *ends), ends, strict=False)
        ]
        return list(map(key_of, spans))
    if equation.primitive is not slice_of or not shape or None in params["key"]:
        return []
    found = spans_of(params["key"], shape)
    return [] if found is None else [key_of(found)]


def aligned_key(key: Key, own: Spec | None, shape: tuple[int, ...]) -> Key | None:
    """The part of an operand for a part of the result to whose shape it is broadcast; None if it is needed whole."""
    spans = spans_of(key, shape)
    if own is None or own.kind != "array" or not own.shape or spans is None:
        return None
    needed = [
        span if length == whole else (0, 1, 1)
        for length, whole, span in zip(own.shape[::-1], shape[::-1], spans[::-1], strict=False)
    ][::-1]
    return None if needed == [(0, 1, length) for length in own.shape] else key_of(needed)


__all__ = ["compute_parts"]
