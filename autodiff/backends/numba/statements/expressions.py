"""Expressions of a kernel's text as instructions on single numbers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.backends.numba import memory, numpy_loops, special
from autodiff.backends.numba.mathematics.names import FUNCTIONS
from autodiff.backends.numba.mathematics.plain import PLAIN
from autodiff.backends.numba.products.machine import Machine
from autodiff.backends.numba.products.printer import Printer as Products
from autodiff.backends.numba.special import CALLS
from autodiff.backends.numba.statements.philox import random_words
from autodiff.backends.numba.statements.procedures import PROCEDURES, place
from autodiff.backends.numba.vectors.elements import (
    CASTS,
    FLOATS,
    SIZES,
    STORED,
    Pointer,
    Type,
    binary,
    compared,
    unary,
)
from autodiff.backends.numba.vectors.operations import Operations
from autodiff.backends.numba.vectors.translation import SIGNS, WHOLE_BITS, first_line
from autodiff.backends.numba.vectors.tree import Unsuited

Typed = tuple[Any, Type]
"""A value of LLVM and its type."""

WORDS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "word": ("i8", memory.integer),
    "real64": ("f8", memory.real64),
    "real32": ("f4", memory.real32),
}
EXTREMES = {"min": "<", "max": ">"}


class Expressions(Operations):
    """Prints expressions at the place of a builder.

    Args:
        builder: an `llvmlite.ir.IRBuilder`.
        machine: for which processor.
        fused: whether it has a fused multiply-add.
    """

    def __init__(self, builder: Any, machine: Machine, fused: bool) -> None:
        super().__init__(builder, 1, fused)
        self.machine = machine

    def variable(self, name: str) -> Typed:
        """What a name stands for here."""
        raise NotImplementedError

    def value(self, node: ast.expr) -> Typed:
        """Any expression."""
        match node:
            case ast.Name(name):
                return self.variable(name)
            case ast.Constant(bool() | int() | float() as number):
                return self.number(number)
            case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as number)) if not isinstance(number, bool):
                return self.number(-number)
            case ast.UnaryOp(sign, operand):
                return self.unary(node, "not" if isinstance(sign, ast.Not) else "negative", self.value(operand))
            case ast.BinOp(left, sign, right) if type(sign) in SIGNS:
                return self.binary(node, SIGNS[type(sign)], self.value(left), self.value(right))
            case ast.Compare(left, [sign], [right]) if type(sign) in SIGNS:
                return self.comparison(node, SIGNS[type(sign)], self.value(left), self.value(right))
            case ast.BoolOp(operator, operands):
                return self.short(isinstance(operator, ast.And), operands), "b1"
            case ast.IfExp(test, body, orelse):
                return self.either(node, test, body, orelse)
            case ast.Call(ast.Name(name), operands, []):
                return self.call_of(node, name, operands)
        raise Unsuited(f"it has {first_line(node)!r}")

    def as_type(self, node: ast.expr, type_: str) -> Any:
        """An expression that must have a type."""
        value, found = self.value(node)
        if found != type_:
            raise Unsuited(f"{first_line(node)!r} is no {type_}")
        return value

    def number(self, number: Any, type_: str = "") -> Typed:
        """A number of a type, or of its own."""
        own = type_ or ("b1" if isinstance(number, bool) else "i8" if isinstance(number, int) else "f8")
        if own in WHOLE_BITS:
            half, number = 1 << WHOLE_BITS[own] - 1, int(number)
            number = number % (2 * half) if own == "u1" else (number + half) % (2 * half) - half
        elif own == "b1":
            number = int(bool(number))
        else:
            number = float(np.float32(number)) if own == "f4" else float(number)
        return self.ir.Constant(self.element(own), number), own

    def converted(self, typed: Typed, type_: str) -> Any:
        """A value in another type; numbers at once."""
        value, given = typed
        if given == type_:
            return value
        if given not in SIZES or type_ not in SIZES:
            raise Unsuited(f"it makes a number of type {type_} of an address")
        if given == "u8" and type_ in FLOATS:
            raise Unsuited("it makes a float of whole numbers without sign")
        if isinstance(value, self.ir.Constant) and type_ != "u8" and (given not in FLOATS or type_ in FLOATS):
            return self.number(value.constant, type_)[0]
        return self.cast(value, str(given), type_)

    # Operators.

    def unary(self, node: ast.UnaryOp, sign: str, typed: Typed) -> Typed:
        type_ = unary(node.op, typed[1])
        if not isinstance(type_, str):
            raise Unsuited(f"the type of {first_line(node)!r} is not known")
        return self.operation(sign, type_, type_, [self.converted(typed, type_)]), type_

    def binary(self, node: ast.BinOp, sign: str, left: Typed, right: Typed) -> Typed:
        type_ = binary(node.op, left[1], right[1])
        if not isinstance(type_, str):
            raise Unsuited(f"the type of {first_line(node)!r} is not known")
        return self.operation(sign, type_, type_, [self.converted(left, type_), self.converted(right, type_)]), type_

    def comparison(self, node: ast.Compare, sign: str, left: Typed, right: Typed) -> Typed:
        type_ = compared(left[1], right[1])
        if not type_:
            raise Unsuited(f"the type of {first_line(node)!r} is not known")
        return self.compared(sign, type_, self.converted(left, type_), self.converted(right, type_)), "b1"

    def short(self, all_: bool, operands: Sequence[ast.expr]) -> Any:
        """Whether all conditions hold, or any: what follows is looked at only where it matters."""
        *first, last = operands
        end, known = self.builder.append_basic_block("known"), []
        for operand in first:
            found = self.as_type(operand, "b1")
            known.append(self.builder.block)
            following = self.builder.append_basic_block("otherwise")
            self.builder.cbranch(found, *((following, end) if all_ else (end, following)))
            self.builder.position_at_end(following)
        found, block = self.as_type(last, "b1"), self.builder.block
        self.builder.branch(end)
        self.builder.position_at_end(end)
        result = self.builder.phi(found.type)
        for each in known:
            result.add_incoming(self.ir.Constant(found.type, int(not all_)), each)
        result.add_incoming(found, block)
        return result

    def either(self, node: ast.IfExp, test: ast.expr, *sides: ast.expr) -> Typed:
        """One of two values; the other is not looked at."""
        condition = self.as_type(test, "b1")
        *blocks, end = (self.builder.append_basic_block(name) for name in ("if", "else", "endif"))
        self.builder.cbranch(condition, *blocks)
        found: list[tuple[Any, Any]] = []
        types: set[Type] = set()
        for side, block in zip(sides, blocks, strict=True):
            self.builder.position_at_end(block)
            value, type_ = self.value(side)
            types.add(type_)
            found.append((value, self.builder.block))
            self.builder.branch(end)
        self.builder.position_at_end(end)
        if len(types) != 1:
            raise Unsuited(f"{first_line(node)!r} has two types")
        result = self.builder.phi(found[0][0].type)
        for value, block in found:
            result.add_incoming(value, block)
        return result, types.pop()

    # Functions.

    def call_of(self, node: ast.Call, name: str, operands: list[ast.expr]) -> Typed:
        """What a function gives."""
        if name == "pointer":
            return self.pointer(operands)
        if name == "shifted" and len(operands) == 2:
            base, type_ = self.value(operands[0])
            return self.builder.add(base, self.as_type(operands[1], "i8")), type_
        if name in WORDS and len(operands) == 2:
            made, convert = WORDS[name]
            block, k = (self.as_type(each, "i8") for each in operands)
            return convert(self.builder, memory.load_word(self.builder, block, k)), made
        if name in CASTS and len(operands) == 1:
            return self.converted(self.value(operands[0]), name), name
        if name.startswith("load_") and name.removeprefix("load_") in STORED and len(operands) == 2:
            return self.load(name.removeprefix("load_"), operands)
        typed = [self.value(each) for each in operands]
        values, types = [value for value, _ in typed], [type_ for _, type_ in typed]
        if name in EXTREMES and types == ["i8", "i8"]:
            return self.builder.select(self.builder.icmp_signed(EXTREMES[name], *values), *values), "i8"
        if name == "where" and len(types) == 3 and types[0] == "b1" and types[1] == types[2]:
            return self.builder.select(*values), types[1]
        common = types[0] if len(set(types)) == 1 else None
        if common in FLOATS and CALLS.get(name) == len(types):
            found = special.call(self.builder, name, [self.converted((value, common), "f8") for value in values])
            return self.converted((found, "f8"), common), common
        if isinstance(common, str) and self.takes(name, common, len(types)):
            return self.operation(name, common, common, values), common
        raise Unsuited(f"it has {first_line(node)!r}")

    def takes(self, name: str, type_: str, count: int) -> bool:
        """Whether a function takes so many operands of a type."""
        if name in FUNCTIONS:
            return FUNCTIONS[name] == count and type_ in FLOATS
        return name in PLAIN and PLAIN[name][0] == count and type_ in (FLOATS if PLAIN[name][2] else CASTS)

    def pointer(self, operands: list[ast.expr]) -> Typed:
        """A word as the address of an array that overlaps with no other word's."""
        match operands:
            case [block, ast.Constant(int(word))]:
                found = memory.load_word(self.builder, self.as_type(block, "i8"), self.word(word))
                return found, Pointer(word)
        raise Unsuited("it has a pointer of no literal word")

    # Memory.

    def address(self, node: ast.expr) -> Typed:
        value, type_ = self.value(node)
        if not isinstance(type_, Pointer) and type_ != "i8":
            raise Unsuited(f"{first_line(node)!r} is no address")
        return value, type_

    def load(self, name: str, operands: list[ast.expr]) -> Typed:
        base, kind = self.address(operands[0])
        index = self.whole(operands[1])
        return memory.load_element(self.builder, name, base, index, kind), STORED[name]

    def store(self, name: str, operands: list[ast.expr]) -> None:
        base, kind = self.address(operands[0])
        index, typed = self.whole(operands[1]), self.value(operands[2])
        memory.store_element(self.builder, name, base, index, self.converted(typed, STORED[name]), kind)

    def whole(self, node: ast.expr) -> Any:
        """An index."""
        typed = self.value(node)
        if typed[1] not in ("i4", "i8", "u1", "b1"):
            raise Unsuited(f"{first_line(node)!r} is no index")
        return self.converted(typed, "i8")

    def call_out(self, operands: list[ast.expr]) -> None:
        """Call a function whose address is known when the kernel runs, with an address and a number."""
        hook, (memory, _), number = self.as_type(operands[0], "i8"), self.address(operands[1]), literal(operands[4])
        begin, size = (self.as_type(each, "i8") for each in operands[2:4])
        reach = [(memory, self.word(SIZES["i8"])), (self.builder.add(memory, begin), size)]
        self.builder.call_at(hook, [memory, self.word(number)], reach)

    def numpy_loop(self, name: str, operands: list[ast.expr]) -> None:
        """Call a loop of NumPy's, with numbers and addresses."""
        loop, given = numpy_loops.LOOPS[name], iter(operands)
        count, *lengths = (literal(next(given)) for _ in range(1 + len(loop.lengths)))
        places = [
            (self.address(next(given))[0], [literal(next(given)) for _ in range(1 + len(axes))]) for axes in loop.axes
        ]
        numpy_loops.call(self.builder, name, count, lengths, places)

    def philox(self, operands: list[ast.expr]) -> None:
        """Write the words of a counter to an address."""
        seed, number = (self.as_type(each, "i8") for each in operands[:2])
        base, kind = self.address(operands[2])
        for index, word in enumerate(random_words(self.builder, seed, number)):
            memory.store_element(self.builder, "float64", base, self.word(index), word, kind)

    def procedure(self, name: str, operands: list[ast.expr]) -> bool:
        """Run what a name with the bits of its elements stands for; False if there is no such thing."""
        stem, _, bits = name.rpartition("_float")
        wanted, print_ = PROCEDURES.get(stem, ("", None))
        if print_ is None or bits not in ("32", "64") or len(operands) != len(wanted):
            return False
        printer = Products(self.builder, self.machine, int(bits))
        print_(printer, *(self.argument(printer, kind, each) for kind, each in zip(wanted, operands, strict=True)))
        return True

    def argument(self, printer: Products, kind: str, node: ast.expr) -> Any:
        """An argument of a procedure."""
        if kind == "a":
            return place(printer, *self.address(node))
        return literal(node) if kind == "l" else self.as_type(node, "i8")


def literal(node: ast.expr) -> int:
    """A number that decides what code is printed."""
    match node:
        case ast.Constant(int(number)):
            return number
        case ast.UnaryOp(ast.USub(), ast.Constant(int(number))):
            return -number
    raise Unsuited(f"{first_line(node)!r} is no number in the text")
