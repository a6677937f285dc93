"""Some rounds of a loop side by side: as many as a vector has lanes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autodiff.backends.language.types import FLOATS, SIZES
from autodiff.backends.llvm import memory
from autodiff.backends.llvm.mathematics.plain import CODEGEN
from autodiff.backends.llvm.vectors.interleaving import FEW, Interleaving, filled
from autodiff.backends.llvm.vectors.quotients import by_the_same, divisors
from autodiff.backends.llvm.vectors.tree import Accumulate, Assign, Node, Place, Plan, Store

IDENTITIES = {"reduce_add": -0.0, "reduce_multiply": 1.0, "|": 0, "&": -1}


class Rounds(Interleaving):
    """Prints rounds of a plan.

    Args:
        builder: an `llvmlite.ir.IRBuilder`.
        count: how many lanes vectors have.
        fused: whether the machine has a fused multiply-add.
        plan: of the loop.
        given: what the names of the plan are.
    """

    def __init__(self, builder: Any, count: int, fused: bool, plan: Plan, given: Mapping[str, Any]) -> None:
        super().__init__(builder, count, fused)
        self.plan, self.given = plan, dict(given)
        self.values: dict[str, Any] = {}
        self.reciprocals: dict[Node, Any] = {}
        self.position: Any = None
        self.lone = False
        self.together = filled(plan) if count > 1 else {}
        self.waiting: dict[Store, Any] = {}

    def before(self, start: Any) -> None:
        """What is the same in all rounds."""
        self.position, self.live, self.mask, self.values = start, None, None, {}
        for statement, line in zip(self.plan.statements, self.plan.lines, strict=True):
            self.builder.line = line
            if isinstance(statement, Assign) and not statement.value.varying:
                self.given[statement.name] = self.of(statement.value)
        if self.multiplies:
            self.reciprocals = {node: self.reciprocal(self.of(node), node.type) for node in divisors(self.plan)}

    def run(self, position: Any, totals: Mapping[str, Any], live: Any = None) -> dict[str, Any]:
        """Rounds from a position on; the new totals.

        Where it is known that the mask leaves one lane, LLVM makes a masked store a store of a single element, but of
        the wider type that a narrower one was cut from: it writes beyond it. So that lane is stored as a number.

        Args:
            position: of the first round.
            totals: so far.
            live: how many rounds there are, where there may be fewer than lanes.
        """
        mask = None if live is None else self.first(live)
        self.lone = lone = isinstance(live, int) and live == 1
        self.position, self.live, self.mask, self.values = position, live, mask, {}
        found = dict(totals)
        for statement, line in zip(self.plan.statements, self.plan.lines, strict=True):
            self.builder.line = line
            match statement:
                case Assign(name, value) if value.varying:
                    self.values[name] = self.of(value)
                case Store(place, type_, index, value) if lone or statement not in self.together:
                    self.store(place, type_, index, self.wide(self.of(value)))
                case Store(_, _, _, value):
                    self.waiting[statement] = self.wide(self.of(value))
                    self.store_all(self.together[statement])
                case Accumulate(name, kind, value):
                    one = self.wide(self.of(value))
                    if mask is not None:
                        one = self.builder.select(mask, one, self.identity(kind, value.type))
                    found[name] = self.combined(kind, value.type, found[name], one)
        return found

    # Values.

    def of(self, node: Node) -> Any:
        """The value of an expression."""
        match node:
            case Node("number", type_, _, number):
                return self.ir.Constant(self.element(type_), int(number) if type_ not in FLOATS else float(number))
            case Node("name", _, _, name):
                return self.named(name)
            case Node("load", type_, (index,), place):
                return self.load(place, type_, index)
            case Node("cast", type_, (operand,)):
                return self.cast(self.of(operand), operand.type, type_)
        if self.multiplies and by_the_same(node):
            return self.quotient(self.of(node.operands[0]), self.reciprocals[node.operands[1]])
        values = [self.of(operand) for operand in node.operands]
        return self.operation(node.operation, node.type, node.operands[-1].type, values)

    def named(self, name: str) -> Any:
        if name != self.plan.variable:
            return self.values[name] if name in self.values else self.given[name]
        if name not in self.values:
            lanes = self.numbers(self.word, range(self.count))
            self.values[name] = self.builder.add(self.wide(self.position), lanes)
        return self.values[name]

    # Accumulators.

    def identity(self, kind: str, type_: str) -> Any:
        """What accumulates to nothing, in all lanes."""
        if kind in IDENTITIES:
            number: Any = IDENTITIES[kind]
        elif type_ in FLOATS:
            number = float("-inf" if kind == "reduce_maximum" else "inf")
        else:
            number = extreme(type_, kind == "reduce_maximum")
        number = float(number) if type_ in FLOATS else int(number) & 1 if type_ == "b1" else int(number)
        return self.filled(self.vector(self.element(type_)), number)

    def combined(self, kind: str, type_: str, x: Any, y: Any) -> Any:
        """Two parts of what is accumulated put together."""
        if kind in CODEGEN:
            name = {"reduce_add": "+", "reduce_multiply": "*"}.get(kind, kind)
            return self.plain(name, type_, [x, y]) if name in CODEGEN else self.operation(name, type_, type_, [x, y])
        return self.operation(kind, type_, type_, [x, y])

    def gathered(self, kind: str, type_: str, value: Any, count: int = 1) -> Any:
        """The lanes of a vector put together: the halves of it, until so many are left."""
        while self.is_vector(value) and value.type.count > count:
            half = value.type.count // 2
            low, high = self.shuffled(value, range(half)), self.shuffled(value, range(half, 2 * half))
            value = self.combined(kind, type_, low, high)
            if half == 1:
                value = self.builder.extract_element(value, self.ir.IntType(32)(0))
        return value

    # Memory.

    def load(self, place: Place, type_: str, index: Node) -> Any:
        kind = self.plan.given[place.base]
        stored = self.ir.IntType(8) if type_ == "b1" else self.element(type_)
        if place.stride == 0 or self.count == 1:
            address = self.builder.inttoptr(self.address(place, type_, index), stored.as_pointer())
            found = self.builder.load(address, align=SIZES[type_])
        elif place.stride == 1:
            address = self.address(place, type_, index)
            if self.mask is None:
                pointer = self.builder.inttoptr(address, self.vector(stored).as_pointer())
                found = self.builder.load(pointer, align=SIZES[type_])
            else:
                every = range(self.count)
                found = self.load_live(address, type_, stored, every, lambda each: self.marked(each, kind))
                return self.compared("!=", "u1", found, self.zero(found.type)) if type_ == "b1" else found
        elif place.stride in FEW:
            first = self.address(place, type_, index)
            found = self.apart(first, place.stride, type_, stored, lambda each: self.marked(each, kind))
            return self.compared("!=", "u1", found, self.zero(found.type)) if type_ == "b1" else found
        else:
            vector = self.vector(stored)
            nothing = self.ir.Constant(vector, self.ir.Undefined)
            places = self.places(place, type_, index, stored)
            operands = [places, self.ir.IntType(32)(SIZES[type_]), self.every(), nothing]
            found = self.call(f"llvm.masked.gather.{self.suffix(vector)}.v{self.count}p0", vector, operands)
        self.marked(found, kind)
        return self.compared("!=", "u1", found, self.zero(found.type)) if type_ == "b1" else found

    def store(self, place: Place, type_: str, index: Node, value: Any) -> None:
        kind = self.plan.given[place.base]
        if type_ == "b1":
            byte = self.ir.IntType(8)
            value = self.builder.zext(value, self.vector(byte))
        align = self.ir.IntType(32)(SIZES[type_])
        if self.lone and self.is_vector(value):
            value = self.builder.extract_element(value, self.ir.IntType(32)(0))
        if place.stride == 1 or self.count == 1 or self.lone:
            address = self.address(place, type_, index)
            if self.mask is not None and not self.lone:
                self.store_live(value, address, type_, range(self.count), lambda made: self.marked(made, kind))
                return
            pointer = self.builder.inttoptr(address, value.type.as_pointer())
            made = self.builder.store(value, pointer, align=SIZES[type_])
        else:
            places = self.places(place, type_, index, value.type.element)
            name = f"llvm.masked.scatter.{self.suffix(value.type)}.v{self.count}p0"
            made = self.call(name, self.ir.VoidType(), [value, places, align, self.every()])
        self.marked(made, kind)

    def store_all(self, stores: Sequence[Store]) -> None:
        """Store what fills memory together, once all of it is there."""
        if not all(each in self.waiting for each in stores):
            return
        values = [self.waiting.pop(each) for each in stores]
        place, type_, kind = stores[0].place, stores[0].type, self.plan.given[stores[0].place.base]
        if type_ == "b1":
            values = [self.builder.zext(each, self.vector(self.ir.IntType(8))) for each in values]
        self.woven(self.address(place, type_, stores[0].index), values, type_, lambda made: self.marked(made, kind))

    def every(self) -> Any:
        return self.first(self.count) if self.mask is None else self.mask

    def address(self, place: Place, type_: str, index: Node) -> Any:
        """The address of the element of the first lane."""
        values, self.values = self.values, {**self.values, self.plan.variable: self.position}
        found = self.of(index)
        self.values = values
        return self.moved(place, type_, index, found)

    def moved(self, place: Place, type_: str, index: Node, found: Any) -> Any:
        found = self.cast(found, index.type, "i8")
        size = self.filled(found.type, SIZES[type_])
        base, offset = self.alike(self.given[place.base], self.builder.mul(found, size))
        return self.builder.add(base, offset)

    def places(self, place: Place, type_: str, index: Node, stored: Any) -> Any:
        """The addresses of the elements of all lanes."""
        if place.stride is None:
            found = self.moved(place, type_, index, self.of(index))
        else:
            first = self.address(place, type_, index)
            steps = [lane * place.stride * SIZES[type_] for lane in range(self.count)]
            found = self.builder.add(self.wide(first), self.numbers(self.word, steps))
        return self.builder.inttoptr(found, self.vector(stored.as_pointer()))

    def marked(self, access: Any, kind: Any) -> None:
        """An access gets what is known of what it overlaps."""
        memory.mark(self.builder, access, kind)


def extreme(type_: str, lowest: bool) -> int:
    """The lowest or highest number of a type."""
    bits = {"b1": 1, "u1": 8, "i4": 31, "i8": 63}[type_]
    signed = type_ in ("i4", "i8")
    if lowest:
        return -(1 << bits) if signed else 0
    return (1 << bits) - 1
