"""What the launcher and the pool of threads need beyond memory: calls by address, atomic words, room on the stack.

Numba intrinsics, as in :mod:`~autodiff.backends.numba.memory`; the text of a kernel has no use for them.
"""

from __future__ import annotations

import functools
import platform
from typing import Any

# fmt: off
PAUSES = {  # the instruction that tells a core that it waits: LLVM's name and its operand
    "x86_64":  ("llvm.x86.sse2.pause", None),
    "aarch64": ("llvm.aarch64.hint",   1),
    "arm64":   ("llvm.aarch64.hint",   1),
}
# fmt: on


@functools.cache
def intrinsics() -> dict[str, Any]:
    """The names.

    ``run(kernel, block, lo, hi)`` calls a kernel, ``call0(function)`` to ``call5(function, ...)`` a C function of
    integers or addresses, by address. ``stack(n)``, with a literal ``n``, is the address of ``n`` words that live as
    long as the call. ``atomic_load(address)``, ``atomic_store(address, value)``, ``atomic_add(address, value)`` (the
    old value), ``exchange(address, value)`` (the old value) and ``compare_exchange(address, old, new)`` (whether it was
    done) act on a word, in one order that all threads agree on. ``pause()`` belongs into a loop that waits.
    """
    return {
        "run": calling(4, result=False),
        **{f"call{n}": calling(n + 1, result=True) for n in range(6)},
        **atomics(),
        "stack": stack(),
        "pause": pause(),
    }


def integers(count: int, result: bool, generate: Any) -> Any:
    """An intrinsic of integers."""
    from numba.core import types  # noqa: PLC0415 - only where kernels are compiled
    from numba.extending import intrinsic  # noqa: PLC0415

    kind = (types.int64 if result else types.void)(*[types.int64] * count)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = generate(builder, *args)
        return found if result else context.get_dummy_value()

    # Numba counts the parameters of the function it is given.
    names = ", ".join(f"a{k}" for k in range(count))
    return intrinsic(eval(f"lambda typing{', ' * bool(names)}{names}: made", {"made": (kind, code)}))


def calling(count: int, result: bool) -> Any:
    """A call by address: a function and what it takes."""
    from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

    def generate(builder: Any, function: Any, *args: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(word if result else ir.VoidType(), [word] * len(args))
        return builder.call(builder.inttoptr(function, kind.as_pointer()), args)

    return integers(count, result, generate)


def atomics() -> dict[str, Any]:
    """Words that threads share."""

    def word(builder: Any, address: Any) -> Any:
        return builder.inttoptr(address, address.type.as_pointer())

    def load(builder: Any, address: Any) -> Any:
        return builder.load_atomic(word(builder, address), "seq_cst", 8)

    def store(builder: Any, address: Any, value: Any) -> Any:
        return builder.store_atomic(value, word(builder, address), "seq_cst", 8)

    def add(builder: Any, address: Any, value: Any) -> Any:
        return builder.atomic_rmw("add", word(builder, address), value, "seq_cst")

    def exchange(builder: Any, address: Any, value: Any) -> Any:
        return builder.atomic_rmw("xchg", word(builder, address), value, "seq_cst")

    def compare_exchange(builder: Any, address: Any, old: Any, new: Any) -> Any:
        done = builder.cmpxchg(word(builder, address), old, new, "seq_cst", "seq_cst")
        return builder.zext(builder.extract_value(done, 1), address.type)

    return {
        "atomic_load": integers(1, True, load),
        "atomic_store": integers(2, False, store),
        "atomic_add": integers(2, True, add),
        "exchange": integers(2, True, exchange),
        "compare_exchange": integers(3, True, compare_exchange),
    }


def stack() -> Any:
    """Room on the stack."""
    from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled
    from numba.core import cgutils, types  # noqa: PLC0415
    from numba.extending import intrinsic  # noqa: PLC0415

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
    def stack(typing: Any, count: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            room = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(64), count.literal_value))
            return builder.ptrtoint(room, ir.IntType(64))

        return types.int64(count), generate

    return stack


def pause() -> Any:
    """Nothing, done politely."""
    from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

    def generate(builder: Any) -> None:
        name, operand = PAUSES.get(platform.machine().lower().replace("amd64", "x86_64"), ("", None))
        if not name:
            return
        operands = [] if operand is None else [ir.Constant(ir.IntType(32), operand)]
        kind = ir.FunctionType(ir.VoidType(), [each.type for each in operands])
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        builder.call(function, operands)

    return integers(0, False, generate)
