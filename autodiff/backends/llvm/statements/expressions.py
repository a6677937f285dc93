"""Expressions of a kernel as instructions on single numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.backends.language import tree
from autodiff.backends.language.functions import signature
from autodiff.backends.language.numpy_loops import LOOPS
from autodiff.backends.language.reading import literal
from autodiff.backends.language.special import CALLS
from autodiff.backends.language.tree import Expression
from autodiff.backends.language.types import SIZES
from autodiff.backends.llvm import memory
from autodiff.backends.llvm.foreign import call_loop, call_special
from autodiff.backends.llvm.products.machine import Machine
from autodiff.backends.llvm.products.printer import Printer as Products
from autodiff.backends.llvm.statements.philox import random_words
from autodiff.backends.llvm.statements.procedures import PROCEDURES, place
from autodiff.backends.llvm.vectors.operations import Operations

WORDS: dict[str, Callable[[Any, Any], Any]] = {
    "word": memory.integer, "real64": memory.real64, "real32": memory.real32,
}  # fmt: skip
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

    def variable(self, name: str) -> Any:
        """What a name stands for here."""
        raise NotImplementedError

    def value(self, node: Expression) -> Any:
        """Any expression."""
        match node:
            case tree.Name(name):
                return self.variable(name)
            case tree.Number(number, type_):
                return self.ir.Constant(self.element(type_), int(number) if type_ == "b1" else number)
            case tree.Array(block, word):
                return memory.load_word(self.builder, self.value(block), self.word(word))
            case tree.Shifted(base, offset):
                return self.builder.add(self.value(base), self.value(offset))
            case tree.Load(element, base, index):
                return memory.load_element(self.builder, element, self.value(base), self.whole(index), base.type)
            case tree.Convert(operand, type_):
                return self.cast(self.value(operand), str(operand.type), type_)
            case tree.Unary(sign, operand, type_):
                return self.operation(sign, type_, type_, [self.value(operand)])
            case tree.Binary(sign, left, right, type_):
                return self.operation(sign, type_, type_, [self.value(left), self.value(right)])
            case tree.Compare(sign, left, right):
                return self.compared(sign, str(left.type), self.value(left), self.value(right))
            case tree.Conditions(every, operands):
                return self.short(every, operands)
            case tree.Choice(test, body, orelse):
                return self.either(test, body, orelse)
            case tree.Call(name, operands, type_):
                return self.call_of(name, str(type_), [self.value(each) for each in operands])
        raise TypeError(f"no expression of a kernel: {node!r}")

    # Branches.

    def short(self, all_: bool, operands: Sequence[Expression]) -> Any:
        """Whether all conditions hold, or any: what follows is looked at only where it matters."""
        *first, last = operands
        end, known = self.builder.append_basic_block("known"), []
        for operand in first:
            found = self.value(operand)
            known.append(self.builder.block)
            following = self.builder.append_basic_block("otherwise")
            self.builder.cbranch(found, *((following, end) if all_ else (end, following)))
            self.builder.position_at_end(following)
        found, block = self.value(last), self.builder.block
        self.builder.branch(end)
        self.builder.position_at_end(end)
        result = self.builder.phi(found.type)
        for each in known:
            result.add_incoming(self.ir.Constant(found.type, int(not all_)), each)
        result.add_incoming(found, block)
        return result

    def either(self, test: Expression, *sides: Expression) -> Any:
        """One of two values; the other is not looked at."""
        condition = self.value(test)
        *blocks, end = (self.builder.append_basic_block(name) for name in ("if", "else", "endif"))
        self.builder.cbranch(condition, *blocks)
        found: list[tuple[Any, Any]] = []
        for side, block in zip(sides, blocks, strict=True):
            self.builder.position_at_end(block)
            found.append((self.value(side), self.builder.block))
            self.builder.branch(end)
        self.builder.position_at_end(end)
        result = self.builder.phi(found[0][0].type)
        for value, block in found:
            result.add_incoming(value, block)
        return result

    # Functions.

    def call_of(self, name: str, type_: str, values: list[Any]) -> Any:
        """What a function gives."""
        if name in WORDS:
            return WORDS[name](self.builder, memory.load_word(self.builder, *values))
        if name in EXTREMES:
            return self.builder.select(self.builder.icmp_signed(EXTREMES[name], *values), *values)
        if name == "where":
            return self.builder.select(*values)
        if name in CALLS:
            if type_ == "f8":
                return call_special(self.builder, name, values)
            found = call_special(self.builder, name, [self.cast(each, type_, "f8") for each in values])
            return self.cast(found, "f8", type_)
        return self.operation(name, type_, type_, values)

    # Memory.

    def store(self, element: str, base: Expression, index: Expression, value: Expression) -> None:
        place, number = self.value(base), self.whole(index)
        memory.store_element(self.builder, element, place, number, self.value(value), base.type)

    def whole(self, node: Expression) -> Any:
        """An index."""
        value = self.value(node)
        return value if node.type == "i8" else self.cast(value, str(node.type), "i8")

    def call_out(self, operands: Sequence[Expression]) -> None:
        """Call a function whose address is known when the kernel runs, with an address and a number."""
        hook, memory, begin, size = map(self.value, operands[:4])
        reach = [(memory, self.word(SIZES["i8"])), (self.builder.add(memory, begin), size)]
        self.builder.call_at(hook, [memory, self.word(literal(operands[4]))], reach)

    def numpy_loop(self, name: str, operands: Sequence[Expression]) -> None:
        """Call a loop of NumPy's, with numbers and addresses."""
        loop, given = LOOPS[name], iter(operands)
        count, *lengths = (literal(next(given)) for _ in range(1 + len(loop.lengths)))
        places = [(self.value(next(given)), [literal(next(given)) for _ in range(1 + len(axes))]) for axes in loop.axes]
        call_loop(self.builder, name, count, lengths, places)

    def philox(self, operands: Sequence[Expression]) -> None:
        """Write the words of a counter to an address."""
        seed, number, base = map(self.value, operands)
        for index, word in enumerate(random_words(self.builder, seed, number)):
            memory.store_element(self.builder, "float64", base, self.word(index), word, operands[2].type)

    def procedure(self, name: str, operands: Sequence[Expression]) -> None:
        """Run what a name with the bits of its elements stands for."""
        stem, _, bits = name.rpartition("_float")
        printer = Products(self.builder, self.machine, int(bits))
        kinds = zip(signature(name) or "", operands, strict=True)
        PROCEDURES[stem](printer, *(self.argument(printer, kind, each) for kind, each in kinds))

    def argument(self, printer: Products, kind: str, node: Expression) -> Any:
        """An argument of a procedure."""
        if kind == "a":
            return place(printer, self.value(node), node.type)
        return literal(node) if kind == "l" else self.value(node)
