"""Numbers of one type as those of another, and expressions and statements with others in place of parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from autodiff.backends.language.errors import Unsuited
from autodiff.backends.language.tree import (
    Array,
    Binary,
    Call,
    Choice,
    Compare,
    Conditions,
    Convert,
    Expression,
    For,
    If,
    Let,
    Load,
    Name,
    Number,
    Run,
    Shifted,
    Statement,
    Store,
    Unary,
    While,
)
from autodiff.backends.language.types import FLOATS, SIZES, UNSIGNED

Change = Callable[[Expression], Expression | None]

WHOLE_BITS = {"u1": 8, "i4": 32, "i8": 64}


def converted(value: Expression, type_: str) -> Expression:
    """A number in another type; one of the text at once, where that is exact or rounds once.

    Raises:
        Unsuited: if it is no number, or would become a float without having a sign.
    """
    if value.type == type_:
        return value
    if value.type not in SIZES:
        raise Unsuited(f"it makes a number of type {type_} of an address")
    if value.type == UNSIGNED and type_ in FLOATS:
        raise Unsuited("it makes a float of whole numbers without sign")
    if isinstance(value, Number) and type_ != UNSIGNED and (value.type not in FLOATS or type_ in FLOATS):
        return number(value.value, type_)
    return Convert(value, type_)


def number(value: float, type_: str) -> Number:
    """A number of a type, which it may have to wrap around or be rounded to."""
    if type_ in WHOLE_BITS:
        half, whole_ = 1 << WHOLE_BITS[type_] - 1, int(value)
        return Number(whole_ % (2 * half) if type_ == "u1" else (whole_ + half) % (2 * half) - half, type_)
    if type_ == "b1":
        return Number(bool(value), type_)
    return Number(float(np.float32(value)) if type_ == "f4" else float(value), type_)


def substituted(node: Expression, names: Mapping[str, Expression]) -> Expression:
    """An expression with others, of the same types, in place of names."""
    return rebuilt(node, lambda part: names.get(part.name) if isinstance(part, Name) else None)


def rebuilt(node: Expression, change: Change) -> Expression:
    """An expression with others, of the same types, in place of parts; None for a part that stays."""

    def of(part: Expression) -> Expression:
        return rebuilt(part, change)

    found = change(node)
    if found is not None:
        return found
    match node:
        case Name() | Number():
            return node
        case Array(block, word):
            return Array(of(block), word)
        case Shifted(base, offset):
            return Shifted(of(base), of(offset))
        case Load(element, base, index, type_):
            return Load(element, of(base), of(index), type_)
        case Convert(operand, type_):
            return converted(of(operand), type_)
        case Unary(sign, operand, type_):
            return Unary(sign, of(operand), type_)
        case Binary(sign, left, right, type_):
            return Binary(sign, of(left), of(right), type_)
        case Compare(sign, left, right):
            return Compare(sign, of(left), of(right))
        case Conditions(every, operands):
            return Conditions(every, tuple(map(of, operands)))
        case Choice(test, body, orelse):
            return Choice(of(test), of(body), of(orelse))
        case Call(name, operands, type_):
            return Call(name, tuple(map(of, operands)), type_)
    raise TypeError(f"no expression of a kernel: {node!r}")


def rebuilt_statement(node: Statement, change: Change) -> Statement:
    """A statement, and those in it, with other expressions in place of parts."""

    def of(part: Expression) -> Expression:
        return rebuilt(part, change)

    def block(inner: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(rebuilt_statement(each, change) for each in inner)

    match node:
        case Let(names, values, line):
            return Let(names, tuple(map(of, values)), line)
        case Store(element, base, index, value, line):
            return Store(element, of(base), of(index), of(value), line)
        case Run(name, operands, line):
            return Run(name, tuple(map(of, operands)), line)
        case For(name, start, stop, step, body, line):
            return For(name, of(start), of(stop), step, block(body), line)
        case While(test, body, line):
            return While(of(test), block(body), line)
        case If(test, body, orelse, line):
            return If(of(test), block(body), block(orelse), line)
    return node
