"""The text of a kernel becomes object code that needs neither Numba nor Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.backends.language.errors import Unsuited
from autodiff.backends.numba import (
    contexts,
    mathematics,
    memory,
    numpy_loops,
    products,
    special,
    statements,
    vectors,
)
from autodiff.backends.numba.checks import Checks
from autodiff.backends.numba.errors import KernelError, UncheckedKernelError
from autodiff.backends.numba.loading import ENTRY, SIGNATURE
from autodiff.backends.numba.symbols import undefined_symbols

OLDEST = (0, 62)  # Numba that is tested

# fmt: off
CONSTANTS = {
    "b1": np.bool_, "u1": np.uint8, "i4": np.int32, "i8": np.int64, "f4": np.float32, "f8": np.float64,
    "inf": np.inf, "nan": np.nan,
}

# What LLVM itself calls, and C's mathematics; each exists in float32 too.
MEMORY = {"memcpy", "memmove", "memset", "memset_pattern16", "bzero", "_bzero", "__bzero", "_fltused"}
DOUBLE = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf",
    "erfc", "exp", "exp2", "expm1", "fabs", "floor", "fma", "fmax", "fmin", "fmod", "frexp", "hypot", "ldexp", "lgamma",
    "log", "log10", "log1p", "log2", "nearbyint", "nextafter", "pow", "rint", "round", "roundeven", "sin", "sincos",
    "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc",
}
ALLOWED = MEMORY | DOUBLE | {name + "f" for name in DOUBLE}
# fmt: on


def compile_object(text: str, checks: Checks | None = None) -> bytes:
    """The object code of a kernel; its one visible function is ``ENTRY``.

    Args:
        text: a Python module that defines ``kernel(block, lo, hi)``. Names that it does not define are those of
            :func:`namespace`.
        checks: what is known of its block, where each access to memory is checked.

    Raises:
        KernelError: if Numba cannot be imported or refuses the text, or if the code would need Numba or Python when it
            runs.
        UncheckedKernelError: if there is something in the text that cannot be checked.
    """
    try:
        code = statements.compiled(text, checks)
    except Unsuited as reason:
        if checks is not None:
            raise UncheckedKernelError(f"a kernel cannot be checked while it runs, for {reason}:\n{text}") from None
        code = compile_by_numba(text)
    refuse_foreign_symbols(code, text)
    return code


def compile_by_numba(text: str) -> bytes:
    """The object code of a text that has more than :mod:`statements` knows."""
    refuse_unfit_numba()
    names = namespace()
    exec(vectors.compiled(text, names), names)
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
        **mathematics.intrinsics(),
        **products.intrinsics(),
        **special.intrinsics(),
    }


def refuse_foreign_symbols(code: bytes, text: str) -> None:
    """A kernel that calls Numba or Python allocates memory or may raise: neither works without them."""
    allowed = ALLOWED | special.CALLS.keys() | numpy_loops.SYMBOLS
    foreign = [name for name in undefined_symbols(code) if name not in allowed and not name.startswith("_ZGV")]
    if foreign:
        raise KernelError(
            f"the code of this kernel needs {', '.join(foreign)}, which only Numba or Python define: it allocates "
            "memory or may raise. Let it use the numbers and the memory that its block gives, and nothing that may "
            f"raise, such as an assertion.\n{text}"
        )
