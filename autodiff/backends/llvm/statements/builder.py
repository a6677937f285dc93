"""Instructions of LLVM as lines of text, written as they are made.

What prints instructions does so through the methods of an `llvmlite.ir.IRBuilder`. That makes several objects of every
instruction and formats them in the end, which would take most of the time of a kernel; the builder here has the same
methods, as far as they are used, and writes a line at once. Types, constants and metadata are those of llvmlite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# fmt: off
SIGNED = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "==": "eq", "!=": "ne"}
UNSIGNED = {"<": "ult", "<=": "ule", ">": "ugt", ">=": "uge", "==": "eq", "!=": "ne"}
ORDERED = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "one"}
UNORDERED = {"<": "ult", "<=": "ule", ">": "ugt", ">=": "uge", "==": "ueq", "!=": "une", "uno": "uno"}
# fmt: on

LINE = 64  # bytes of a line of the cache


class Value:
    """What an instruction gives; metadata is added to its line."""

    __slots__ = ("block", "line", "name", "type")

    def __init__(self, name: str, type_: Any, block: Block | None = None) -> None:
        self.name, self.type, self.block = name, type_, block
        self.line = len(block.lines) - 1 if block is not None else 0

    def get_reference(self) -> str:
        return self.name

    def set_metadata(self, name: str, value: Any) -> None:
        assert self.block is not None
        self.block.lines[self.line] += f", !{name} {value.get_reference()}"


class Phi(Value):
    """A value that depends on the block before."""

    __slots__ = ()

    def add_incoming(self, value: Any, block: Block) -> None:
        assert self.block is not None
        lines = self.block.lines
        comma = "," if lines[self.line].endswith("]") else ""
        lines[self.line] += f"{comma} [{value.get_reference()}, %{block.name}]"


class Room(Value):
    """A place on the stack; one that has a name begins at a line of the cache."""

    opname = "alloca"
    allocated_type: Any = None


class Block:
    """Instructions up to one that leads elsewhere."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []
        self.instructions: list[Room] = []
        self.is_terminated = False


class Function:
    """A function.

    Args:
        name: of the function.
        types: of its arguments.
        result: the type of what it returns; None for nothing.
        own: whether it is for this module alone, which calls it where it would be written out otherwise.
        pure: whether what it returns depends on its arguments alone.
    """

    def __init__(
        self, name: str, types: Sequence[Any], result: Any = None, own: bool = False, pure: bool = False
    ) -> None:
        self.name, self.result, self.own, self.pure = name, result, own, pure
        self.args = [Value(f"%a{k}", type_) for k, type_ in enumerate(types)]
        self.blocks: list[Block] = []
        self.count = 0

    @property
    def entry_basic_block(self) -> Block:
        return self.blocks[0]

    def append_basic_block(self, name: str = "") -> Block:
        self.blocks.append(Block(f"b{len(self.blocks)}.{name}"))
        return self.blocks[-1]

    def __str__(self) -> str:
        arguments = ", ".join(typed(each) for each in self.args)
        result = "void" if self.result is None else text_of(self.result)
        effects = " readnone" if self.pure else ""
        if self.own:
            lines = [f"define internal {result} @{self.name}({arguments}) noinline nounwind{effects} {{"]
        else:
            lines = [f"define {result} @{self.name}({arguments}) nounwind {{"]
        for block in self.blocks:
            lines.append(f"{block.name}:")
            lines += block.lines
        return "\n".join((*lines, "}\n"))


class Builder:
    """Writes instructions at the end of a block.

    Args:
        module: of llvmlite, for metadata and the functions that are called.
        function: to which the block belongs.
        block: where to write.

    Attributes:
        line: of the kernel's text, whose instructions are written.
    """

    line = 0

    def __init__(self, module: Any, function: Function, block: Block) -> None:
        from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

        self.ir, self.module, self.function, self.block = ir, module, function, block
        self.bit = ir.IntType(1)

    # Blocks.

    def append_basic_block(self, name: str = "") -> Block:
        return self.function.append_basic_block(name)

    def position_at_end(self, block: Block) -> None:
        self.block = block

    @contextmanager
    def goto_entry_block(self) -> Iterator[None]:
        before, self.block = self.block, self.function.blocks[0]
        yield
        self.block = before

    def made(self, text: str, type_: Any, kind: type[Value] = Value, stem: str = "v") -> Any:
        """What an instruction gives."""
        function, lines = self.function, self.block.lines
        function.count += 1
        name = f"%{stem}{function.count}"
        lines.append(f"{name} = {text}")
        return kind(name, type_, self.block)

    def done(self, text: str, ends: bool = False) -> Value:
        """An instruction that gives nothing."""
        self.block.lines.append(text)
        self.block.is_terminated = ends
        return Value("", None, self.block)

    # Control.

    def branch(self, block: Block) -> Value:
        return self.done(f"br label %{block.name}", True)

    def cbranch(self, condition: Any, yes: Block, no: Block) -> Value:
        return self.done(f"br i1 {condition.get_reference()}, label %{yes.name}, label %{no.name}", True)

    def ret_void(self) -> Value:
        return self.done("ret void", True)

    def ret(self, value: Any) -> Value:
        return self.done(f"ret {typed(value)}", True)

    def call_own(self, function: Function, operands: Sequence[Any]) -> Any:
        """Call a function of this module."""
        result, given = function.result, ", ".join(map(typed, operands))
        if result is None:
            return self.done(f"call void @{function.name}({given})")
        return self.made(f"call {text_of(result)} @{function.name}({given})", result)

    def call_at(self, address: Any, operands: Sequence[Any], reach: Sequence[tuple[Any, Any]] = ()) -> Any:
        """Call a function that gives nothing, at an address; `reach`, addresses and bytes there, is all it touches."""
        function = self.cast("inttoptr", address, self.ir.IntType(64).as_pointer())
        return self.done(f"call void {function.get_reference()}({', '.join(map(typed, operands))})")

    def phi(self, type_: Any) -> Any:
        return self.made(f"phi {text_of(type_)}", type_, Phi)

    def call_foreign(self, function: Any, operands: Sequence[Any], reach: Sequence[tuple[Any, Any, bool]]) -> Any:
        """Call a function of others; `reach`, addresses, bytes and whether it writes there, is all that it touches."""
        return self.done(f"call void @{function.name}({', '.join(map(typed, operands))})")

    def call(self, function: Any, operands: Sequence[Any], fastmath: Sequence[str] = ()) -> Any:
        result = function.function_type.return_type
        flags = "".join(f"{each} " for each in fastmath)
        text = f"call {flags}{text_of(result)} @{function.name}({', '.join(map(typed, operands))})"
        return self.done(text) if isinstance(result, self.ir.VoidType) else self.made(text, result)

    # Memory.

    def alloca(self, type_: Any, name: str = "") -> Room:
        text = f"alloca {text_of(type_)}{aligned(LINE if name else 0)}"
        found: Room = self.made(text, type_.as_pointer(), Room, f"{name}." if name else "p")
        found.allocated_type = type_
        self.block.instructions.append(found)
        return found

    def load(self, address: Any, align: int = 0) -> Any:
        type_ = address.type.pointee
        return self.made(f"load {text_of(type_)}, ptr {address.get_reference()}{aligned(align)}", type_)

    def store(self, value: Any, address: Any, align: int = 0) -> Value:
        return self.done(f"store {typed(value)}, ptr {address.get_reference()}{aligned(align)}")

    def gep(self, base: Any, indices: Sequence[Any], inbounds: bool = False) -> Any:
        (index,) = indices
        kind = "getelementptr inbounds" if inbounds else "getelementptr"
        return self.made(f"{kind} {text_of(base.type.pointee)}, ptr {base.get_reference()}, {typed(index)}", base.type)

    # Vectors and choices.

    def select(self, condition: Any, x: Any, y: Any) -> Any:
        return self.made(f"select {typed(condition)}, {typed(x)}, {typed(y)}", x.type)

    def shuffle_vector(self, x: Any, y: Any, places: Any) -> Any:
        type_ = self.ir.VectorType(x.type.element, places.type.count)
        return self.made(f"shufflevector {typed(x)}, {typed(y)}, {typed(places)}", type_)

    def insert_element(self, vector: Any, value: Any, place: Any) -> Any:
        return self.made(f"insertelement {typed(vector)}, {typed(value)}, {typed(place)}", vector.type)

    def extract_element(self, vector: Any, place: Any) -> Any:
        return self.made(f"extractelement {typed(vector)}, {typed(place)}", vector.type.element)

    # Arithmetic.

    def two(self, name: str, x: Any, y: Any, flags: Sequence[str] = ()) -> Any:
        text = f"{name} {' '.join(flags)} " if flags else f"{name} "
        return self.made(f"{text}{text_of(x.type)} {x.get_reference()}, {y.get_reference()}", x.type)

    def compared(self, kind: str, x: Any, y: Any) -> Any:
        type_ = self.ir.VectorType(self.bit, x.type.count) if isinstance(x.type, self.ir.VectorType) else self.bit
        return self.made(f"{kind} {text_of(x.type)} {x.get_reference()}, {y.get_reference()}", type_)

    def icmp_signed(self, sign: str, x: Any, y: Any) -> Any:
        return self.compared(f"icmp {SIGNED[sign]}", x, y)

    def icmp_unsigned(self, sign: str, x: Any, y: Any) -> Any:
        return self.compared(f"icmp {UNSIGNED[sign]}", x, y)

    def fcmp_ordered(self, sign: str, x: Any, y: Any) -> Any:
        return self.compared(f"fcmp {ORDERED[sign]}", x, y)

    def fcmp_unordered(self, sign: str, x: Any, y: Any) -> Any:
        return self.compared(f"fcmp {UNORDERED[sign]}", x, y)

    def neg(self, x: Any) -> Any:
        return self.two("sub", self.same(x.type, 0), x)

    def not_(self, x: Any) -> Any:
        return self.two("xor", x, self.same(x.type, -1))

    def fneg(self, x: Any) -> Any:
        return self.made(f"fneg {typed(x)}", x.type)

    def same(self, type_: Any, number: int) -> Any:
        """A number of a type, in all lanes of a vector."""
        return self.ir.Constant(type_, [number] * type_.count if hasattr(type_, "count") else number)

    def bitcast(self, value: Any, type_: Any) -> Any:
        if isinstance(type_, self.ir.PointerType):  # pointers have no types of their own
            return Value(value.get_reference(), type_, self.block)
        return value if value.type == type_ else self.cast("bitcast", value, type_)

    def cast(self, name: str, value: Any, type_: Any) -> Any:
        return self.made(f"{name} {typed(value)} to {text_of(type_)}", type_)


def operation(name: str) -> Any:
    """The method for an operation on two values."""

    def method(self: Builder, x: Any, y: Any, flags: Sequence[str] = ()) -> Any:
        return self.two(name, x, y, flags)

    return method


def conversion(name: str) -> Any:
    """The method for a conversion."""

    def method(self: Builder, value: Any, type_: Any) -> Any:
        return self.cast(name, value, type_)

    return method


# fmt: off
for each in ("add", "sub", "mul", "udiv", "sdiv", "srem", "fadd", "fsub", "fmul", "fdiv", "frem", "xor", "shl", "ashr"):
    setattr(Builder, each, operation(each))
for each in ("and", "or"):
    setattr(Builder, f"{each}_", operation(each))
for each in (
    "trunc", "zext", "sext", "fptrunc", "fpext", "fptosi", "fptoui", "sitofp", "uitofp", "inttoptr", "ptrtoint",
):
    setattr(Builder, each, conversion(each))
# fmt: on


def text_of(type_: Any) -> str:
    """A type of llvmlite as text."""
    found: str | None = type_.__dict__.get("text")
    if found is None:
        element = getattr(type_, "element", None)
        if hasattr(type_, "pointee"):
            found = "ptr"
        elif hasattr(type_, "count"):
            kind = "[{} x {}]" if type(type_).__name__ == "ArrayType" else "<{} x {}>"
            found = kind.format(type_.count, text_of(element))
        else:
            found = str(type_)
        type_.text = found
    return found


def typed(value: Any) -> str:
    """A value with its type."""
    return f"{text_of(value.type)} {value.get_reference()}"


def aligned(align: int) -> str:
    """What says how many bytes an address is a multiple of."""
    return f", align {align}" if align else ""
