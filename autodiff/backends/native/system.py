"""What native code can do with integers and addresses: memory, calls, words that threads share.

Each function prints instructions with a builder of llvmlite; :mod:`~autodiff.backends.native.words` calls them by name.
All values are 64-bit integers.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

# fmt: off
PAUSES = {  # the instruction that tells a core that it waits: LLVM's name and its operand
    "x86_64":  ("llvm.x86.sse2.pause", None),
    "amd64":   ("llvm.x86.sse2.pause", None),
    "aarch64": ("llvm.aarch64.hint",   1),
    "arm64":   ("llvm.aarch64.hint",   1),
}
# fmt: on


def place(builder: Any, address: Any, index: Any, kind: Any) -> Any:
    """The place of an element."""
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [index])


def integer(bits: int) -> Any:
    """LLVM's type of integers."""
    from llvmlite import ir  # noqa: PLC0415 - an optional extra

    return ir.IntType(bits)


def load_int64(builder: Any, address: Any, index: Any) -> Any:
    """An element of an array."""
    return builder.load(place(builder, address, index, integer(64)), align=8)


def load_int32(builder: Any, address: Any, index: Any) -> Any:
    """An element of an array."""
    return builder.sext(builder.load(place(builder, address, index, integer(32)), align=4), integer(64))


def load_uint8(builder: Any, address: Any, index: Any) -> Any:
    """An element of an array."""
    return builder.zext(builder.load(place(builder, address, index, integer(8)), align=1), integer(64))


def store_int64(builder: Any, address: Any, index: Any, value: Any) -> None:
    """Set an element of an array."""
    builder.store(value, place(builder, address, index, integer(64)), align=8)


def call(builder: Any, function: Any, *args: Any) -> Any:
    """What a C function of integers and addresses returns."""
    return builder.call(builder.inttoptr(function, signature(args, integer(64)).as_pointer()), args)


def run(builder: Any, kernel: Any, block: Any, low: Any, high: Any) -> None:
    """Call a kernel."""
    from llvmlite import ir  # noqa: PLC0415 - an optional extra

    kind = signature((block, low, high), ir.VoidType())
    builder.call(builder.inttoptr(kernel, kind.as_pointer()), (block, low, high))


def signature(args: Any, result: Any) -> Any:
    """The type of a function."""
    from llvmlite import ir  # noqa: PLC0415 - an optional extra

    return ir.FunctionType(result, [each.type for each in args])


def smaller(builder: Any, x: Any, y: Any) -> Any:
    """The smaller one."""
    return builder.select(builder.icmp_signed("<", x, y), x, y)


def shared(builder: Any, address: Any) -> Any:
    """The place of a word that threads share. What is done there happens in one order that all threads agree on."""
    return builder.inttoptr(address, integer(64).as_pointer())


def atomic_load(builder: Any, address: Any) -> Any:
    """A word."""
    return builder.load_atomic(shared(builder, address), "seq_cst", 8)


def atomic_store(builder: Any, address: Any, value: Any) -> None:
    """Set a word."""
    builder.store_atomic(value, shared(builder, address), "seq_cst", 8)


def atomic_add(builder: Any, address: Any, value: Any) -> Any:
    """Add to a word, whose old value this is."""
    return builder.atomic_rmw("add", shared(builder, address), value, "seq_cst")


def exchange(builder: Any, address: Any, value: Any) -> Any:
    """Set a word, whose old value this is."""
    return builder.atomic_rmw("xchg", shared(builder, address), value, "seq_cst")


def compare_exchange(builder: Any, address: Any, old: Any, new: Any) -> Any:
    """Set a word if it has a value; whether it was set."""
    done = builder.cmpxchg(shared(builder, address), old, new, "seq_cst", "seq_cst")
    return builder.zext(builder.extract_value(done, 1), integer(64))


def pause(builder: Any) -> None:
    """Nothing, done politely: for a loop that waits."""
    from llvmlite import ir  # noqa: PLC0415 - an optional extra

    name, operand = PAUSES.get(platform.machine().lower(), ("", None))
    if name:
        operands = [] if operand is None else [integer(32)(operand)]
        found = builder.module.globals.get(name) or ir.Function(
            builder.module, signature(operands, ir.VoidType()), name
        )
        builder.call(found, operands)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": smaller,
    **{
        function.__name__: function
        for function in (
            load_int64,
            load_int32,
            load_uint8,
            store_int64,
            call,
            run,
            atomic_load,
            atomic_store,
            atomic_add,
            exchange,
            compare_exchange,
            pause,
        )
    },
}
