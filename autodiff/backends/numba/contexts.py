"""The part of Numba that kernels need: numbers, comparisons, loops, tuples and intrinsics.

Numba's own target registers lists, dictionaries, strings, arrays, random numbers and SciPy's linear algebra before it
compiles its first function, and its runtime: that takes longer than anything else on the way to a first kernel. The
target here stands beside it, as Numba's extensions do; what users compile themselves sees nothing of it.
"""

from __future__ import annotations

import functools
from typing import Any

from autodiff.trace.caching import cached_property

NAME = "autodiff_kernel"


@functools.cache
def target() -> Any:
    """Numba's description of the target, which it knows by ``NAME`` from then on."""
    from numba.core import target_extension  # noqa: PLC0415 - an optional extra, slow to import
    from numba.core.registry import CPUDispatcher, CPUTarget  # noqa: PLC0415

    class Kernel(target_extension.CPU):  # type: ignore[misc]
        pass

    class Description(CPUTarget):  # type: ignore[misc]
        @cached_property
        def _toplevel_typing_context(self) -> Any:
            return types_context()()

        @cached_property
        def _toplevel_target_context(self) -> Any:
            return code_context()(self.typing_context, NAME)

    class Callee(CPUDispatcher):  # type: ignore[misc]
        targetdescr = Description(NAME)

    target_extension.target_registry[NAME] = Kernel
    target_extension.dispatcher_registry[Kernel] = Callee
    target_extension.jit_registry[Kernel] = refuse_overload
    return Callee.targetdescr


def refuse_overload(**options: Any) -> Any:
    """Many of Numba's functions are Python that it compiles when they are used, for its runtime."""
    from numba.core.errors import TypingError  # noqa: PLC0415 - an optional extra, slow to import

    raise TypingError("kernels know intrinsics and callees, none of the functions that Numba compiles on the way")


def types_context() -> Any:
    """The class that knows what has a type."""
    from numba.core.typing import Context, builtins, templates  # noqa: F401, PLC0415 - importing builtins registers them

    class Types(Context):  # type: ignore[misc]
        def _load_builtins(self) -> None:
            self.install_registry(templates.builtin_registry)

        def load_additional_registries(self) -> None:
            """None."""

        def resolve_value_type(self, value: Any) -> Any:
            """Numba would import its typed containers, only to see that ``range`` is none of them."""
            return self._lookup_global(range) if value is range else super().resolve_value_type(value)

    return Types


def code_context() -> Any:
    """The class that knows what has code."""
    from numba.core.cpu import CPUContext  # noqa: PLC0415 - an optional extra, slow to import

    class Code(CPUContext):  # type: ignore[misc]
        def load_additional_registries(self) -> None:
            from numba.cpython import builtins, numbers, rangeobj, tupleobj  # noqa: F401, PLC0415 - this registers them

        def post_lowering(self, module: Any, library: Any) -> None:
            """Nothing. Numba would link its runtime, which no kernel may need."""

    return Code


def compiled(function: Any, signature: str) -> Any:
    """What Numba makes of a function that C shall call."""
    from numba.core import sigutils  # noqa: PLC0415 - an optional extra, slow to import
    from numba.core.ccallback import CFunc  # noqa: PLC0415
    from numba.core.target_extension import target_override  # noqa: PLC0415

    class Entry(CFunc):  # type: ignore[misc]
        _targetdescr = target()

    entry = Entry(function, sigutils.normalize_signature(signature), locals={}, options={"error_model": "numpy"})
    with target_override(NAME):
        return entry._compile_uncached()


def callee(function: Any) -> Any:
    """A function that kernels call."""
    from numba.core.decorators import njit  # noqa: PLC0415 - an optional extra, slow to import

    target()
    return njit(_target=NAME, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
