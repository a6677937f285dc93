"""Object code becomes an address, through ``llvmlite.binding`` alone."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

from autodiff.backends.numba.errors import KernelError
from autodiff.backends.numba.symbols import undefined_symbols

ENTRY = "kernel"  # the function that a text defines
SIGNATURE = "void(int64, int64, int64)"  # the address of the block, and the range of the outermost loop
VECTOR_LIBRARY = "libmvec.so.1"  # of glibc; its functions are named _ZGV...


def load_object(code: bytes) -> int:
    """The address of the entry of an object that ``compile_object`` made.

    The code stays for as long as the process lives: threads may run it until the very end.

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
    engine.detach()
    if not address:
        raise KernelError(
            f"the object code of a kernel has no function {ENTRY}; clear the cache: autodiff.clear_cache()"
        )
    return int(address)


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
    missing = [name for name in needed if llvm.address_of_symbol(name) is None]
    if missing:
        raise KernelError(f"the code of a kernel needs {', '.join(missing)}, which this process does not have")


@functools.cache
def load_vector_library() -> None:
    """Where there is none, the symbols that are missing tell."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    with contextlib.suppress(RuntimeError):
        llvm.load_library_permanently(VECTOR_LIBRARY)
