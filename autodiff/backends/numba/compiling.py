"""Kernels compiled by Numba: the model of what `backends/llvm` prints, and what compiles more than the language has."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.backends.language.errors import Unsuited
from autodiff.backends.language.reading import read
from autodiff.backends.language.tree import Statement
from autodiff.backends.llvm.products.machine import Machine
from autodiff.backends.llvm.vectors.lowering import plans
from autodiff.backends.llvm.vectors.tree import Plan
from autodiff.backends.native.errors import KernelError
from autodiff.backends.native.loading import ENTRY, SIGNATURE
from autodiff.backends.numba import contexts
from autodiff.backends.numba.intrinsics import functions, memory, panels, products
from autodiff.backends.numba.intrinsics.loops import loop_intrinsic

OLDEST = (0, 62)  # Numba that is tested

CONSTANTS = {
    "b1": np.bool_, "u1": np.uint8, "i4": np.int32, "i8": np.int64, "f4": np.float32, "f8": np.float64,
    "inf": np.inf, "nan": np.nan,
}  # fmt: skip


def compile_by_numba(text: str) -> bytes:
    """The object code of a text that has more than the language knows."""
    refuse_unfit_numba()
    names = namespace()
    exec(with_vectors(text, names), names)
    return emit(*lowered(names[ENTRY], text))


def refuse_unfit_numba() -> None:
    """Numba is checked where it is used: looking at its version imports it."""
    try:
        import numba  # noqa: PLC0415 - an optional extra, slow to import
    except ImportError as error:  # it refuses versions of NumPy that it does not know
        raise KernelError(f"Numba cannot be imported: {error}") from error
    if tuple(map(int, numba.__version__.split(".")[:2])) < OLDEST:
        needed = ".".join(map(str, OLDEST))
        raise KernelError(f"Numba {numba.__version__} is too old: kernels need {needed} (pip install -U numba)")


def lowered(function: Any, text: str) -> tuple[Any, str]:
    """A function as Numba's library of code that is not optimised yet, and the name of its entry from C."""
    from numba.core import errors  # noqa: PLC0415 - an optional extra, slow to import
    from numba.core.compiler_lock import global_compiler_lock  # noqa: PLC0415

    try:
        with global_compiler_lock:
            compiled = contexts.compiled(function, SIGNATURE)
    except (errors.NumbaError, NotImplementedError) as error:
        raise KernelError(f"Numba cannot compile this kernel: {error}\n{text}") from error
    return compiled.library, compiled.fndesc.llvm_cfunc_wrapper_name


def emit(library: Any, entry: str) -> bytes:
    """The object code of a library.

    Numba's C function asks the status of a function of Numba's own convention, in order to report an exception. Once
    that one is optimised and can be called from nowhere else, LLVM sees that the status is always 0.
    """
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra
    from numba.core.compiler_lock import global_compiler_lock  # noqa: PLC0415 - an optional extra, slow to import

    with global_compiler_lock:
        library._finalize_final_module = lambda: None  # it would load the code into this process
        library.finalize()
        module, machine = library._final_module, library._codegen._tm
        for function in module.functions:
            if not function.is_declaration and function.name != entry:
                function.linkage = "internal"
        module.get_function(entry).name = ENTRY
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
        passes = llvm.create_new_module_pass_manager()
        passes.add_ipsccp_pass()
        passes.add_simplify_cfg_pass()
        passes.add_global_dead_code_eliminate_pass()
        passes.run(module, builder)
        return bytes(machine.emit_object(module))


def namespace() -> dict[str, Any]:
    """The names that the text of a kernel may use, beside Python's own.

    The scalar types ``CONSTANTS``, for typed constants and casts; memory access; mathematics; products of small
    matrices; and ``callee``, a decorator of functions that the kernel calls.
    """
    return {
        "__name__": "autodiff_kernel",
        "callee": contexts.callee,
        **CONSTANTS,
        **memory.intrinsics(),
        **functions.intrinsics(),
        **products.intrinsics(),
        **panels.intrinsics(),
    }


def with_vectors(text: str, names: dict[str, Any], machine: Machine | None = None) -> Any:
    """The code of a kernel, for Numba, with a call in place of each loop that can be printed.

    Args:
        text: of the kernel; one with something that is no part of the language stays what it is.
        names: that the text may use; the functions that are called come in.
        machine: for which processor; that for which Numba compiles if None.
    """
    try:
        function = read(text)
    except Unsuited:
        return compile(text, "<kernel>", "exec")
    calls: dict[Statement, str] = {}
    for node, plan in plans(function):
        if isinstance(plan, Plan):
            name = f"vector_loop_{len(calls)}"
            names[name] = loop_intrinsic(name, plan, machine)
            calls[node] = call(name, plan)
    return compile(function.text(calls), "<kernel>", "exec")


def call(name: str, plan: Plan) -> str:
    """What stands in place of a loop."""
    value = f"{name}({', '.join(map(str, [plan.start, plan.stop, *plan.given]))})"
    return f"{', '.join(plan.results)} = {value}" if plan.results else value
