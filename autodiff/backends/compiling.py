"""From the text of a kernel to machine code, which needs neither Numba nor Python."""

from __future__ import annotations

from autodiff.backends.language.errors import Unsuited
from autodiff.backends.language.special import CALLS
from autodiff.backends.native import kernels
from autodiff.backends.native.checks import Checks
from autodiff.backends.native.errors import KernelError, UncheckedKernelError
from autodiff.backends.native.numpy_loops import SYMBOLS
from autodiff.backends.native.symbols import undefined_symbols

# fmt: off
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


def kernel_address(text: str, checks: Checks | None = None) -> int:
    """The address of the function ``kernel`` that a text defines. The function is there for as long as the result is.

    Args:
        text: that of :func:`compile_object`.
        checks: what is known of its block, where each access to memory is checked.

    Raises:
        KernelError: if the text cannot be compiled, or Numba is missing.
        UncheckedKernelError: if there is something in it that cannot be checked.
    """
    return kernels.kernel_address(text, checks, compile_object)


def compile_object(text: str, checks: Checks | None = None) -> bytes:
    """The object code of a kernel; its one visible function is ``ENTRY``.

    Args:
        text: a Python module that defines ``kernel(block, lo, hi)``. Names that it does not define are those of
            :func:`~autodiff.backends.numba.compiling.namespace`.
        checks: what is known of its block, where each access to memory is checked.

    Raises:
        KernelError: if Numba cannot be imported or refuses the text, or if the code would need Numba or Python when it
            runs.
        UncheckedKernelError: if there is something in the text that cannot be checked.
    """
    from autodiff.backends.language.reading import forget  # noqa: PLC0415 - not needed where all kernels are on disk
    from autodiff.backends.llvm import statements  # noqa: PLC0415

    try:
        code = statements.compiled(text, checks)
    except Unsuited as reason:
        if checks is not None:
            raise UncheckedKernelError(f"a kernel cannot be checked while it runs, for {reason}:\n{text}") from None
        from autodiff.backends.numba.compiling import compile_by_numba  # noqa: PLC0415 - what is printed has no need

        code = compile_by_numba(text)
    finally:
        forget()
    refuse_foreign_symbols(code, text)
    return code


def refuse_foreign_symbols(code: bytes, text: str) -> None:
    """A kernel that calls Numba or Python allocates memory or may raise: neither works without them."""
    allowed = ALLOWED | CALLS.keys() | SYMBOLS
    foreign = [name for name in undefined_symbols(code) if name not in allowed and not name.startswith("_ZGV")]
    if foreign:
        raise KernelError(
            f"the code of this kernel needs {', '.join(foreign)}, which only Numba or Python define: it allocates "
            "memory or may raise. Let it use the numbers and the memory that its block gives, and nothing that may "
            f"raise, such as an assertion.\n{text}"
        )
