"""What a kernel may do with memory: read the words of its block, load and store elements of arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autodiff.backends.llvm.memory import (
    ELEMENTS,
    integer,
    load_element,
    load_word,
    real32,
    real64,
    store_element,
)


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


def as_address(kind: Any) -> Any:
    """The type of an address: a pointer, or any integer."""
    from numba.core import types  # noqa: PLC0415 - only where kernels are compiled

    return kind if isinstance(kind, array_type()) else types.int64
