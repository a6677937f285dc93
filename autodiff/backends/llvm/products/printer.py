"""The instructions that products are made of: loops, places, loads and stores, room on the stack."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from autodiff.backends.llvm import memory
from autodiff.backends.llvm.products.lanes import Lanes
from autodiff.backends.llvm.products.product import Matrix, Product

ROOM = "products.room"  # what room on the stack is called; no variable of a text has such a name


@dataclasses.dataclass
class Round:
    """A round of a loop: its number, and what it hands on."""

    number: Any
    values: list[Any]


class Printer(Lanes):
    """Prints at the place of a builder."""

    # ------------------------------------------------------------------------------------------------ loops

    @contextlib.contextmanager
    def rounds(self, count: Any, values: Sequence[Any] = ()) -> Iterator[Round]:
        """A loop whose body is printed inside the context.

        Args:
            count: How often it runs, a number or an LLVM value, at least 1.
            values: What the first round has in `Round.values`. The body puts there what the next round, or who comes
                after the loop, finds.
        """
        now = Round(0, list(values))
        if isinstance(count, int):
            if count == 1:
                yield now
                return
            count = self.word(count)
        builder, before = self.builder, self.builder.block
        head = builder.append_basic_block("product.loop")
        builder.branch(head)
        builder.position_at_end(head)
        phis = [builder.phi(each.type) for each in (self.word(0), *values)]
        now.number, now.values = phis[0], phis[1:]
        yield now
        following = builder.add(now.number, self.word(1), flags=("nuw", "nsw"))
        after = builder.append_basic_block("product.done")
        turn = builder.cbranch(builder.icmp_unsigned("<", following, count), head, after)
        turn.set_metadata("llvm.loop", self.rolled())
        for phi, first, later in zip(phis, [self.word(0), *values], [following, *now.values], strict=True):
            phi.add_incoming(first, before)
            phi.add_incoming(later, builder.block)
        builder.position_at_end(after)

    @contextlib.contextmanager
    def steps(self, start: int, size: int, count: Any) -> Iterator[Any]:
        """A loop over `start`, `start + size` and so on, `count` numbers."""
        with self.rounds(count) as now:
            yield self.scaled(now.number, size, start)

    def scaled(self, index: Any, size: Any, start: int = 0) -> Any:
        """The product of two numbers or LLVM values, from a start."""
        if isinstance(size, int):
            if isinstance(index, int):
                return start + index * size
            size = self.word(size)
        elif isinstance(index, int):
            if not index:
                return start
            index = self.word(index)
        found = index if size == self.word(1) else self.builder.mul(index, size, flags=("nsw",))
        return self.builder.add(found, self.word(start), flags=("nsw",)) if start else found

    def rolled(self) -> Any:
        """What tells LLVM to leave a loop as it is: it is unrolled as far as it should be."""
        module = self.builder.module
        rule = module.add_metadata(["llvm.loop.unroll.disable"])
        found = module.add_metadata([f"loop {len(module.metadata)} of products"])
        found.operands = (found, rule)  # a loop's metadata names itself first, so that no two loops share it
        return found

    # ------------------------------------------------------------------------------------------------ places

    def moved(self, matrix: Matrix, row: Any, column: Any) -> Matrix:
        """The part of a matrix from an element on; its row and column are numbers or LLVM values."""
        base = self.further(self.further(matrix.base, row, matrix.row), column, matrix.column)
        return dataclasses.replace(matrix, base=base)

    def further(self, base: Any, index: Any, stride: Any) -> Any:
        """An address so many strides further."""
        offset = self.scaled(index, stride)
        if isinstance(offset, int):
            return self.builder.gep(base, [self.word(offset)], inbounds=True) if offset else base
        return self.builder.gep(base, [offset], inbounds=True)

    def part(self, product: Product, row: Any = 0, column: Any = 0, term: Any = 0, **sizes: Any) -> Product:
        """The part of a product from a row and a column of C and a term of its sums on."""
        a, b = self.moved(product.a, row, term), self.moved(product.b, term, column)
        return dataclasses.replace(product, a=a, b=b, c=self.moved(product.c, row, column), **sizes)

    def room(self, count: int) -> Any:
        """The address of so many elements on the stack; all products of a function share it."""
        builder, size = self.builder, count * self.bytes
        for each in builder.function.entry_basic_block.instructions:
            if ROOM in each.name and each.opname == "alloca" and each.allocated_type.count >= size:
                return builder.bitcast(each, self.element.as_pointer())
        with builder.goto_entry_block():
            found = builder.alloca(self.ir.ArrayType(self.ir.IntType(8), size), name=ROOM)
            found.align = 64
        return builder.bitcast(found, self.element.as_pointer())

    # ------------------------------------------------------------------------------------------------ memory

    def load(self, base: Any, kind: Any, live: int = 0, width: int = 0) -> Any:
        """The number at an address; or a vector, of which the first `live` lanes are loaded and the others are 0."""
        if not width:
            return self.marked(self.builder.load(base, align=self.bytes), kind)
        whole = live == width
        if not whole and self.machine.masks:
            return self.masked("load", [base], [self.zeros(width)], live, self.vector(width), kind)
        address = self.builder.bitcast(base, self.vector(live).as_pointer())
        found = self.marked(self.builder.load(address, align=self.bytes), kind)
        return found if whole else self.shuffled(found, self.zeros(live), [min(i, live) for i in range(width)])

    def store(self, value: Any, base: Any, kind: Any, live: int) -> None:
        """Store a number, or the first lanes of a vector."""
        width = value.type.count
        if live < width and self.machine.masks:
            self.masked("store", [value, base], [], live, value.type, kind)
            return
        if live < width:
            value = self.shuffled(value, value, list(range(live)))
        address = self.builder.bitcast(base, value.type.as_pointer())
        self.marked(self.builder.store(value, address, align=self.bytes), kind)

    def masked(self, name: str, before: list[Any], after: list[Any], live: int, vector: Any, kind: Any) -> Any:
        """Load or store the first lanes of a vector."""
        ir, width = self.ir, vector.count
        mask = ir.Constant(ir.VectorType(ir.IntType(1), width), [int(i < live) for i in range(width)])
        *others, base = before
        pointer = self.builder.bitcast(base, vector.as_pointer())
        operands = [*others, pointer, ir.IntType(32)(self.bytes), mask, *after]
        result = vector if name == "load" else ir.VoidType()
        return self.marked(self.call(f"masked.{name}", f"{self.suffix(vector)}.p0", result, operands), kind)

    def marked(self, access: Any, kind: Any) -> Any:
        """An access, with what is known of what it overlaps."""
        memory.mark(self.builder, access, kind)
        return access
