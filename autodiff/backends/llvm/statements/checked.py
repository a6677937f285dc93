"""Instructions of which each access to memory is compared with the extent of its buffer before it is made.

Everything that a kernel's text becomes, vectors and products of matrices included, is written by one builder. So this
is the one place at which accesses are checked: nothing that is printed can forget it. The builder follows addresses
from the words of the block on, through sums, choices and names: every address belongs to one buffer. What is read or
written at an address of which that is not known is refused when the kernel is compiled, and so is a call that is
handed such an address.

An access that would leave its buffer is not made. The kernel notes where it stands and returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autodiff.backends.language.errors import Unsuited
from autodiff.backends.llvm.statements.builder import Block, Builder, Function, Phi, Room, Value, typed
from autodiff.backends.native.checks import BLOCK, NOTED, STACK, Checks

OUTSIDE = """
define internal void @outside(i64 %told, {arguments}) noinline nounwind cold {{
start:
  %noted = inttoptr i64 %told to ptr
  %state = cmpxchg ptr %noted, i64 0, i64 1 seq_cst seq_cst
  %first = extractvalue {{ i64, i1 }} %state, 1
  br i1 %first, label %note, label %done
note:
{stores}
  br label %done
done:
  ret void
}}
"""


@dataclass(frozen=True, eq=False)
class Buffer:
    """Memory that addresses lead to.

    Attributes:
        word: of the block.
        begin: where it begins, a value of LLVM.
        extent: how many bytes it has, a value of LLVM.
    """

    word: int
    begin: Any
    extent: Any


UNSURE = Buffer(0, None, None)
"""One of several buffers."""


class Either(Phi):
    """A value that depends on the block before; it leads to the buffer that all of its values lead to."""

    __slots__ = ("builder",)
    builder: CheckedBuilder

    def add_incoming(self, value: Any, block: Block) -> None:
        super().add_incoming(value, block)
        self.builder.meet(self, value)


class CheckedBuilder(Builder):
    """Writes instructions at the end of a block of a kernel, and checks accesses.

    Args:
        module: of llvmlite.
        function: the kernel, whose first argument is the address of its block.
        block: where to write.
        checks: what is known of the block of words.
    """

    def __init__(self, module: Any, function: Function, block: Block, checks: Checks) -> None:
        super().__init__(module, function, block)
        self.checks, self.words, self.word = checks, checks.words, self.ir.IntType(64)
        self.buffers: dict[str, Buffer | None] = {}  # by the names of values
        self.word_at: dict[str, int] = {}  # the words of the block whose addresses values are
        words = function.args[0]
        self.told = self.plain_word(words, checks.words)
        self.leave_if_stopped()
        self.arrays = {word: self.array(word) for word in checks.arrays}
        self.buffers[words.name] = Buffer(BLOCK, words, self.word(8 * checks.words))

    def plain_word(self, address: Any, number: int) -> Any:
        """A word behind an address that needs no check."""
        base = super().cast("inttoptr", address, self.word.as_pointer())
        return super().load(super().gep(base, [self.word(number)]), 8)

    def leave_if_stopped(self) -> None:
        """Do nothing more where another part of the rows has noted an access."""
        stopped, begin = self.append_basic_block("stopped"), self.append_basic_block("checked")
        self.cbranch(self.icmp_signed("==", self.plain_word(self.told, 0), self.word(0)), begin, stopped)
        self.position_at_end(stopped)
        self.ret_void()
        self.position_at_end(begin)

    def array(self, word: int) -> Buffer:
        begin, extent = (self.plain_word(self.told, len(NOTED) + 2 * word + part) for part in (0, 1))
        return Buffer(word, begin, extent)

    def enter(self, name: str, address: Any, memory: Any) -> Any:
        """An address that is given a name: where that is the name of a room, it leads to this room alone.

        Args:
            name: of the text.
            address: the value.
            memory: gives the address of the memory that the kernel works in.
        """
        room = self.checks.room(name)
        if room is None:
            return address
        word, place, size = room
        whole = memory()
        buffer, begin = self.known(whole), super().two("add", whole, self.word(place))
        self.compare(buffer, begin, self.word(size), True)
        found = super().two("add", address, self.word(0))
        return self.lead(found, Buffer(word, begin, self.word(size)))

    # Where addresses lead.

    def buffer_of(self, value: Any) -> Buffer | None:
        """The buffer that an address leads to; None for other values."""
        return self.buffers.get(value.get_reference())

    def lead(self, value: Any, buffer: Buffer | None) -> Any:
        """A value, of which is noted where it leads."""
        if buffer is not None:
            self.buffers[value.get_reference()] = buffer
        return value

    def meet(self, target: Value, value: Any) -> None:
        """One more value for what has several: what was read of it may have been any of them."""
        found = self.buffer_of(value)
        if self.buffers.setdefault(target.get_reference(), found) is not found:
            raise Unsuited("one of its names leads to several buffers")

    def common(self, *values: Any) -> Buffer | None:
        """The buffer of values of which one is chosen."""
        found = {self.buffer_of(each) for each in values}
        return found.pop() if len(found) == 1 else UNSURE

    def made(self, text: str, type_: Any, kind: type[Value] = Value, stem: str = "v") -> Any:
        found = super().made(text, type_, Either if kind is Phi else kind, stem)
        if isinstance(found, Either):
            found.builder = self
        return found

    def two(self, name: str, x: Any, y: Any, flags: Sequence[str] = ()) -> Any:
        found = super().two(name, x, y, flags)
        first, second = self.buffer_of(x), self.buffer_of(y)
        if name == "add":
            return self.lead(found, first if second is None else second if first is None else UNSURE)
        if name == "sub" and (first is None or second is None):  # of two places it is a distance
            return self.lead(found, first if second is None else UNSURE)
        return found

    def cast(self, name: str, value: Any, type_: Any) -> Any:
        return self.lead(super().cast(name, value, type_), self.buffer_of(value))

    def select(self, condition: Any, x: Any, y: Any) -> Any:
        return self.lead(super().select(condition, x, y), self.common(x, y))

    def shuffle_vector(self, x: Any, y: Any, places: Any) -> Any:
        undefined = isinstance(y, self.ir.Constant)
        return self.lead(super().shuffle_vector(x, y, places), self.buffer_of(x) if undefined else self.common(x, y))

    def insert_element(self, vector: Any, value: Any, place: Any) -> Any:
        undefined = isinstance(vector, self.ir.Constant)
        found = super().insert_element(vector, value, place)
        return self.lead(found, self.buffer_of(value) if undefined else self.common(vector, value))

    def extract_element(self, vector: Any, place: Any) -> Any:
        return self.lead(super().extract_element(vector, place), self.buffer_of(vector))

    def gep(self, base: Any, indices: Sequence[Any], inbounds: bool = False) -> Any:
        """An address, of which LLVM must not take for granted that it lies inside of an array."""
        found, buffer = super().gep(base, indices), self.buffer_of(base)
        if buffer is not None and buffer.word == BLOCK and isinstance(indices[0], self.ir.Constant):
            self.word_at[found.name] = int(indices[0].constant)
        return self.lead(found, buffer)

    # Accesses.

    def alloca(self, type_: Any, name: str = "") -> Room:
        found = super().alloca(type_, name)
        self.buffers[found.name] = Buffer(STACK, super().cast("ptrtoint", found, self.word), self.word(size_of(type_)))
        return found

    def load(self, address: Any, align: int = 0) -> Any:
        if isinstance(address, Room):  # a name of the text
            return self.lead(super().load(address, align), self.buffer_of(address))
        word = self.word_at.get(address.get_reference())
        if word is None:
            self.check(address, size_of(address.type.pointee), False)
        elif not 0 <= word < self.words:
            raise Unsuited(f"it reads word {word} of a block of {self.words}")
        found = super().load(address, align)
        return found if word is None else self.lead(found, self.arrays.get(word))

    def store(self, value: Any, address: Any, align: int = 0) -> Value:
        if isinstance(address, Room):
            self.meet(address, value)
        else:
            self.check(address, size_of(value.type), True)
        return super().store(value, address, align)

    def call(self, function: Any, operands: Sequence[Any], fastmath: Sequence[str] = ()) -> Any:
        match function.name.split("."), operands:
            case ["llvm", "masked", "load", *_], [pointer, _, mask, _]:
                self.check_lanes(self.row(pointer, function.function_type.return_type), mask, False)
            case ["llvm", "masked", "store", *_], [value, pointer, _, mask]:
                self.check_lanes(self.row(pointer, value.type), mask, True)
            case ["llvm", "masked", "gather", *_], [places, _, mask, _]:
                self.check_lanes(self.apart(places, function.function_type.return_type), mask, False)
            case ["llvm", "masked", "scatter", *_], [value, places, _, mask]:
                self.check_lanes(self.apart(places, value.type), mask, True)
            case _:
                self.refuse_addresses(function.name, operands)
        return super().call(function, operands, fastmath)

    def call_own(self, function: Function, operands: Sequence[Any]) -> Any:
        self.refuse_addresses(function.name, operands)
        return super().call_own(function, operands)

    def call_at(self, address: Any, operands: Sequence[Any], reach: Sequence[tuple[Any, Any]] = ()) -> Any:
        """Call a function that touches so many bytes at some addresses."""
        for at, size in reach:
            self.compare(self.known(at), at, size, True)
        if not reach:
            self.refuse_addresses("a function of Python", operands)
        return super().call_at(address, operands)

    def call_foreign(self, function: Any, operands: Sequence[Any], reach: Sequence[tuple[Any, Any, bool]]) -> Any:
        """Call a function that touches so many bytes at some addresses."""
        for at, size, stores in reach:
            self.compare(self.known(at), at, size, stores)
        return super().call_foreign(function, operands, reach)

    def refuse_addresses(self, name: str, operands: Sequence[Any]) -> None:
        """See to it that a function that nothing is known of touches no memory."""
        if any(self.buffer_of(each) is not None for each in operands):
            raise Unsuited(f"it hands an address to {name}, of which is not known what it does there")

    # Checks.

    def known(self, address: Any) -> Buffer:
        """The buffer of an address that is read or written."""
        found = self.buffer_of(address)
        if found is None or found is UNSURE:
            raise Unsuited("nothing is known of the memory that one of its addresses leads to")
        return found

    def check(self, address: Any, size: int, stores: bool) -> None:
        """Go on only if so many bytes at a pointer are inside of their buffer."""
        buffer = self.known(address)
        self.compare(buffer, super().cast("ptrtoint", address, self.word), self.word(size), stores)

    def compare(self, buffer: Buffer, at: Any, size: Any, stores: bool) -> None:
        """Go on only if so many bytes at a place are inside of a buffer."""
        offset = super().two("sub", at, buffer.begin)
        last = super().two("sub", buffer.extent, size)
        inside = super().two("and", self.icmp_signed(">=", offset, self.word(0)), self.icmp_signed("<=", offset, last))
        self.go_on(inside, buffer, lambda: at, size, stores)

    def row(self, pointer: Any, type_: Any) -> tuple[Buffer, Any, int]:
        """The places of the elements of a vector in memory: the buffer, the addresses, and the bytes of an element."""
        size, vector = size_of(type_.element), self.ir.VectorType(self.word, type_.count)
        first = self.everywhere(super().cast("ptrtoint", pointer, self.word), vector)
        steps = self.ir.Constant(vector, [size * lane for lane in range(type_.count)])
        return self.known(pointer), super().two("add", first, steps), size

    def apart(self, places: Any, type_: Any) -> tuple[Buffer, Any, int]:
        """The places of elements that lie anywhere."""
        vector = self.ir.VectorType(self.word, type_.count)
        return self.known(places), super().cast("ptrtoint", places, vector), size_of(type_.element)

    def check_lanes(self, elements: tuple[Buffer, Any, int], mask: Any, stores: bool) -> None:
        """Go on only if the elements of all lanes that the mask lets through are inside of their buffer."""
        buffer, places, size = elements
        vector = places.type
        offset = super().two("sub", places, self.everywhere(buffer.begin, vector))
        last = self.everywhere(super().two("sub", buffer.extent, self.word(size)), vector)
        inside = super().two(
            "and", self.icmp_signed(">=", offset, self.same(vector, 0)), self.icmp_signed("<=", offset, last)
        )
        wrong = super().two("and", self.not_(inside), mask)
        some = self.reduced("or", wrong)

        def one() -> Any:
            return self.reduced("umax", super(CheckedBuilder, self).select(wrong, places, self.same(vector, 0)))

        self.go_on(self.not_(some), buffer, one, self.word(size), stores)

    def go_on(self, inside: Any, buffer: Buffer, address: Callable[[], Any], size: Any, stores: bool) -> None:
        """Go on if an access is inside; note it and leave the kernel otherwise."""
        outside, following = self.append_basic_block("outside"), self.append_basic_block("inside")
        self.cbranch(inside, following, outside)
        self.position_at_end(outside)
        line, word, stored = (self.word(each) for each in (self.line, buffer.word, int(stores)))
        numbers = self.told, line, word, buffer.begin, buffer.extent, address(), size, stored
        self.done(f"call void @outside({', '.join(map(typed, numbers))})")
        self.ret_void()
        self.position_at_end(following)

    def everywhere(self, value: Any, vector: Any) -> Any:
        """A number in all lanes."""
        nothing = self.ir.Constant(vector, self.ir.Undefined)
        first = super().insert_element(nothing, value, self.ir.IntType(32)(0))
        places = self.ir.Constant(self.ir.VectorType(self.ir.IntType(32), vector.count), [0] * vector.count)
        return super().shuffle_vector(first, nothing, places)

    def reduced(self, name: str, vector: Any) -> Any:
        """The lanes of a vector put together."""
        type_ = vector.type
        full = f"llvm.vector.reduce.{name}.v{type_.count}{type_.element}"
        function = self.module.globals.get(full)
        if function is None:
            function = self.ir.Function(self.module, self.ir.FunctionType(type_.element, [type_]), full)
        return super().call(function, [vector])


def size_of(type_: Any) -> int:
    """The bytes of a value in memory."""
    count = getattr(type_, "count", None)
    if count is not None:
        return int(count) * size_of(type_.element)
    name = str(type_)
    if name.startswith("i"):
        return -(-int(name[1:]) // 8)
    return {"float": 4, "double": 8}[name]


def outside_text() -> str:
    """The function that notes an access: the first one of all parts of the rows."""
    names = NOTED[1:]
    stores = []
    for place, name in enumerate(names, 1):
        stores.append(f"  %at.{name} = getelementptr i64, ptr %noted, i64 {place}")
        stores.append(f"  store i64 %{name}, ptr %at.{name}, align 8")
    return OUTSIDE.format(arguments=", ".join(f"i64 %{name}" for name in names), stores="\n".join(stores))
