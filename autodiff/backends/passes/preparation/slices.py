"""Slices of slices, slices of arithmetic, and parts put into parts: what is cut away is never computed.

All bits are kept, but for the signs of zeros around a part that is negated.
"""

from __future__ import annotations

from typing import Any

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.elementwise import negative
from autodiff.ops.index import plain_key, slice_into, slice_of
from autodiff.trace.tape import Equation, Operand

Span = tuple[int, int, int]
"""Where a slice begins, its step, and how many elements it has."""


FEW = 2
"""So many may read a part among zeros: the cotangent of a difference goes to both of its ends."""


def spans_of(key: tuple[Any, ...], shape: tuple[int, ...]) -> list[Span] | None:
    """What a key takes along each axis, if it is made of slices that go forward."""
    own = key[:-1] if key and key[-1] is Ellipsis else key
    found: list[Span] = []
    for part, length in zip(plain_key(own, len(shape)), shape, strict=False):
        if not isinstance(part, slice):
            return None
        start, stop, step = part.indices(length)
        if step < 1:
            return None
        found.append((start, step, len(range(start, stop, step))))
    return found if len(found) == len(shape) else None


def key_of(spans: list[Span]) -> tuple[Any, ...]:
    """The key that takes so much along each axis, and gives an array."""
    return (*((start, start + step * (count - 1) + 1 if count else start, step) for start, step, count in spans), ...)


def within(outer: list[Span], inner: list[Span]) -> list[Span]:
    """What one key takes of what another one has taken."""
    return [
        (start + step * own_start, step * own_step, count)
        for (start, step, _), (own_start, own_step, count) in zip(outer, inner, strict=True)
    ]


def slice_again(builder: Builder, equation: Equation) -> Operand | None:
    """A slice of a slice is one slice."""
    made = builder.made(equation.operands[0], "slice_of")
    if made is None or equation.specs[0].kind != "array":
        return None
    x = made.operands[0]
    first = spans_of(dict(made.params)["key"], builder.spec(x).shape)
    second = spans_of(dict(equation.params)["key"], made.specs[0].shape)
    if first is None or second is None:
        return None
    return builder.emit(slice_of, x, key=key_of(within(first, second)))


def slice_before(builder: Builder, equation: Equation) -> Operand | None:
    """A slice of arithmetic that nobody else reads is arithmetic of slices."""
    x = equation.operands[0]
    made = builder.makers[x] if isinstance(x, int) else None
    if made is None or made.primitive.family != "elementwise" or len(made.specs) != 1 or not builder.used_once(x):
        return None
    shape = made.specs[0].shape
    if not shape or spans_of(dict(equation.params)["key"], shape) is None:
        return None
    if any(builder.spec(operand).shape not in ((), shape) for operand in made.operands):
        return None
    key = dict(equation.params)["key"]
    operands = [builder.emit(slice_of, o, key=key) if builder.spec(o).shape else o for o in made.operands]
    return builder.emit(made.primitive, *operands, **dict(made.params))


def place_again(builder: Builder, equation: Equation) -> Operand | None:
    """A part that is put into a part, which few others read, is put where it belongs at once."""
    made = builder.made(equation.operands[0], "slice_into")
    if made is None or not builder.used_at_most(equation.operands[0], FEW):
        return None
    params, inner = dict(equation.params), dict(made.params)
    outer = spans_of(params["key"], params["shape"])
    own = spans_of(inner["key"], inner["shape"])
    if outer is None or own is None:
        return None
    return builder.emit(slice_into, made.operands[0], key=key_of(within(outer, own)), shape=params["shape"])


def negative_before(builder: Builder, equation: Equation) -> Operand | None:
    """A part that is put among zeros, which few others read, is negated before."""
    made = builder.made(equation.operands[0], "slice_into")
    if made is None or not builder.used_at_most(equation.operands[0], FEW):
        return None
    return builder.emit(slice_into, builder.emit(negative, made.operands[0]), **dict(made.params))


SLICES: Rules = {
    "slice_of": (slice_again, slice_before),
    "slice_into": (place_again,),
    "negative": (negative_before,),
}
