"""Access to memory as instructions: the words of the block of a kernel, and elements of arrays."""

from __future__ import annotations

from typing import Any

BITS = 8  # two words of a block differ in one of so many bits of their numbers, or nothing is known of their arrays


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
