"""Object code becomes an address, through ``llvmlite.binding`` alone."""

from __future__ import annotations

import contextlib
import functools
from collections import deque
from typing import Any

from autodiff.backends.language import numpy_loops as numpy_functions
from autodiff.backends.language import special as scipy_functions
from autodiff.backends.native import numpy_loops, special
from autodiff.backends.native.errors import KernelError
from autodiff.backends.native.symbols import undefined_symbols

ENTRY = "kernel"  # the function that a text defines
SIGNATURE = "void(int64, int64, int64)"  # the address of the block, and the range of the outermost loop
VECTOR_LIBRARY = "libmvec.so.1"  # of glibc; its functions are named _ZGV...


UNUSED: deque[Any] = deque()
"""The engines of code that nobody refers to."""


class Code:
    """Machine code in memory, which is freed some time after nobody refers to it any more.

    It is freed by :func:`free_unused` alone, never by whoever happens to collect garbage: so nothing of LLVM runs in a
    thread that a fork does not wait for. At the end of the process, when threads may still be in it, it stays.

    Attributes:
        address: of its entry.
    """

    __slots__ = ("__weakref__", "address", "engine")

    def __init__(self, engine: Any, address: int) -> None:
        self.engine, self.address = engine, address

    def lasts(self) -> int:
        """Let the code stay for as long as the process lives; the address."""
        self.engine.detach()
        return self.address

    def __del__(self, unused: deque[Any] = UNUSED) -> None:
        unused.append(self.engine)


def free_unused() -> None:
    """Free the code that nobody refers to."""
    while UNUSED:
        UNUSED.popleft().close()


def load_object(code: bytes) -> Code:
    """The code of an object that ``compile_object`` made.

    Raises:
        KernelError: if it calls a function that this process does not have.
    """
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    machine = target().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    refuse_missing_symbols(code)  # LLVM knows those of this process once there is an engine
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address(ENTRY)
    if not address:
        raise KernelError(
            f"the object code of a kernel has no function {ENTRY}; clear the cache: autodiff.clear_cache()"
        )
    return Code(engine, int(address))


@functools.cache
def target() -> Any:
    """LLVM's description of this machine."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple()


def refuse_missing_symbols(code: bytes) -> None:
    """LLVM would end the process."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    needed = undefined_symbols(code)
    if any(name.startswith("_ZGV") for name in needed):
        load_vector_library()
    special.define([name for name in needed if name.startswith(scipy_functions.PREFIX)])
    numpy_loops.define([name for name in needed if name.startswith(numpy_functions.PREFIX)])
    missing = [name for name in needed if llvm.address_of_symbol(name) is None]
    if missing:
        raise KernelError(f"the code of a kernel needs {', '.join(missing)}, which this process does not have")


@functools.cache
def load_vector_library() -> None:
    """Where there is none, the symbols that are missing tell."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    with contextlib.suppress(RuntimeError):
        llvm.load_library_permanently(VECTOR_LIBRARY)
