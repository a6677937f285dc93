"""What a kernel may do with memory: read the words of its block, load and store elements of arrays.

All are Numba intrinsics, for text that :mod:`~autodiff.backends.numba.compiling` compiles. They exist once Numba has
been imported, so they are made when they are first asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

BITS = 8  # two words of a block differ in one of so many bits of their numbers, or nothing is known of their arrays


@functools.cache
def intrinsics() -> dict[str, Any]:
    """The names of memory access in the text of a kernel.

    ``word(block, k)``, ``real64(block, k)`` and ``real32(block, k)`` are word ``k`` as a number. ``pointer(block, k)``,
    with a literal ``k``, is word ``k`` as the address of an array that shares no memory with the arrays of other words:
    that is what lets LLVM vectorise a loop over many arrays. An array that is read and written in place is one word.
    ``shifted(address, count)`` is the address ``count`` bytes further. ``load_float32(address, index)`` and
    ``store_float32(address, index, value)``, and so on for each dtype of ``ELEMENTS``, access an element of an array,
    where ``address`` is a pointer, or an integer of which nothing is known.
    """
    names: dict[str, Any] = {**words(), "pointer": pointer(), "shifted": shifted()}
    for name in ELEMENTS:
        names[f"load_{name}"] = load(name)
        names[f"store_{name}"] = store(name)
    return names


# fmt: off
ELEMENTS = {
    # how it lies in memory
    "bool":    8,
    "uint8":   8,
    "int32":   32,
    "int64":   64,
    "uint64":  64,
    "float32": "float",
    "float64": "double",
}
# fmt: on


def stored(name: str) -> Any:
    """How an element lies in memory."""
    from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

    kind = ELEMENTS[name]
    if isinstance(kind, int):
        return ir.IntType(kind)
    return ir.FloatType() if kind == "float" else ir.DoubleType()


@functools.cache
def array_type() -> Any:
    """Numba's type of a pointer; word ``k`` of the block is where it came from."""
    from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled
    from numba.core import types  # noqa: PLC0415
    from numba.core.datamodel import models  # noqa: PLC0415
    from numba.core.datamodel.registry import register_default  # noqa: PLC0415

    class Array(types.Type):  # type: ignore[misc]
        def __init__(self, word: int) -> None:
            self.word = word
            super().__init__(name=f"array of word {word}")

    @register_default(Array)
    class ArrayModel(models.PrimitiveModel):  # type: ignore[misc]
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, ir.IntType(64))

    return Array


def words() -> dict[str, Any]:
    """Words as numbers. A launch changes no word, so a load of one need never be repeated after a store."""
    from numba.core import types  # noqa: PLC0415 - only where kernels are compiled
    from numba.extending import intrinsic  # noqa: PLC0415

    def make(result: Any, convert: Callable[[Any, Any], Any]) -> Any:
        def read(typing: Any, block: Any, k: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return convert(builder, load_word(builder, *args))

            return result(types.int64, types.int64), generate

        return intrinsic(read)

    return {
        "word": make(types.int64, integer),
        "real64": make(types.float64, real64),
        "real32": make(types.float32, real32),
    }


def integer(builder: Any, value: Any) -> Any:
    """A word as a whole number."""
    return value


def real64(builder: Any, value: Any) -> Any:
    """A word as a float64."""
    from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

    return builder.bitcast(value, ir.DoubleType())


def real32(builder: Any, value: Any) -> Any:
    """Half a word as a float32."""
    from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

    return builder.bitcast(builder.trunc(value, ir.IntType(32)), ir.FloatType())


def load_word(builder: Any, block: Any, k: Any) -> Any:
    """Word ``k`` of a block."""
    from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

    found = builder.load(place(builder, block, k, ir.IntType(64)), align=8)
    found.set_metadata("invariant.load", builder.module.add_metadata([]))
    return found


def place(builder: Any, address: Any, index: Any, element: Any) -> Any:
    """The place of an element."""
    base = builder.inttoptr(address, element.as_pointer())
    return builder.gep(base, [index], inbounds=True)


def pointer() -> Any:
    """A word as the address of an array that overlaps with no other word's."""
    from numba.core import types  # noqa: PLC0415 - only where kernels are compiled
    from numba.extending import intrinsic  # noqa: PLC0415

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
    def pointer(typing: Any, block: Any, k: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return load_word(builder, *args)

        return array_type()(k.literal_value)(types.int64, k), generate

    return pointer


def shifted() -> Any:
    """An address some bytes further."""
    from numba.core import types  # noqa: PLC0415 - only where kernels are compiled
    from numba.extending import intrinsic  # noqa: PLC0415

    @intrinsic  # type: ignore[untyped-decorator]
    def shifted(typing: Any, address: Any, count: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.add(*args)

        return address(address, types.int64), generate

    return shifted


def load(name: str) -> Any:
    """The intrinsic that reads an element."""
    from numba.core import types  # noqa: PLC0415 - only where kernels are compiled
    from numba.extending import intrinsic  # noqa: PLC0415

    def read(typing: Any, address: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return load_element(builder, name, args[0], args[1], signature.args[0])

        return getattr(types, name)(as_address(address), types.int64), generate

    return intrinsic(read)


def store(name: str) -> Any:
    """The intrinsic that writes an element."""
    from numba.core import types  # noqa: PLC0415 - only where kernels are compiled
    from numba.extending import intrinsic  # noqa: PLC0415

    def write(typing: Any, address: Any, index: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            store_element(builder, name, args[0], args[1], args[2], signature.args[0])
            return context.get_dummy_value()

        return types.void(as_address(address), types.int64, getattr(types, name)), generate

    return intrinsic(write)


def load_element(builder: Any, name: str, address: Any, index: Any, kind: Any) -> Any:
    """An element of an array; ``kind`` says which word the address came from, if it has an attribute ``word``."""
    element = stored(name)
    found = builder.load(place(builder, address, index, element), align=alignment(name))
    mark(builder, found, kind)
    return builder.icmp_unsigned("!=", found, element(0)) if name == "bool" else found


def store_element(builder: Any, name: str, address: Any, index: Any, value: Any, kind: Any) -> None:
    """Write an element of an array."""
    element = stored(name)
    now = builder.zext(value, element) if name == "bool" else value
    written = builder.store(now, place(builder, address, index, element), align=alignment(name))
    mark(builder, written, kind)


def alignment(name: str) -> int:
    """The bytes of an element, which every address of one is a multiple of."""
    kind = ELEMENTS[name]
    if isinstance(kind, int):
        return kind // 8
    return 4 if kind == "float" else 8


def as_address(kind: Any) -> Any:
    """The type of an address: a pointer, or any integer."""
    from numba.core import types  # noqa: PLC0415 - only where kernels are compiled

    return kind if isinstance(kind, array_type()) else types.int64


def mark(builder: Any, access: Any, kind: Any) -> None:
    """Tell LLVM that an access to the array of one word never meets one to the array of another.

    Two words differ in a bit of their numbers. There is one scope domain for each bit, with a scope for either value:
    an access belongs to the scopes of its bits, and aliases none of the opposite ones.
    """
    word = getattr(kind, "word", None)
    if word is None or word >= 1 << BITS:
        return
    known = vars(builder.module).setdefault("autodiff_marks", {})  # in a table it would keep its module alive
    if not known:
        known["scopes"] = [[scope(builder.module, bit, value) for value in (0, 1)] for bit in range(BITS)]
    if word not in known:
        sides = [word >> bit & 1 for bit in range(BITS)]
        known[word] = [
            builder.module.add_metadata([pair[side ^ other] for pair, side in zip(known["scopes"], sides, strict=True)])
            for other in (0, 1)
        ]
    own, others = known[word]
    access.set_metadata("alias.scope", own)
    access.set_metadata("noalias", others)


def scope(module: Any, bit: int, value: int) -> Any:
    """The scope of the words with a value of a bit."""
    domain = module.add_metadata([f"bit {bit} of a word"])
    return module.add_metadata([f"bit {bit} of a word is {value}", domain])
