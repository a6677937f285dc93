"""Where SciPy's functions of single numbers are: kernels call them by the addresses that SciPy gives to Cython.

So they have SciPy's values, to the bit for float64. Nothing of SciPy is imported before a kernel needs one of them.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from autodiff.backends.language.special import CALLS, OPERANDS, PREFIX


@functools.cache
def address(name: str) -> int | None:
    """Where a function of doubles is; None if this SciPy has none, or there is no SciPy.

    Args:
        name: SciPy's.
    """
    try:
        from scipy.special import cython_special  # noqa: PLC0415 - an optional extra
    except ImportError:
        return None
    capsules = cython_special.__pyx_capi__
    wanted = f"double ({'double, ' * len(OPERANDS[name])}int __pyx_skip_dispatch)".encode()
    for own, capsule in capsules.items():
        plain = own.removeprefix("__pyx_fuse_").lstrip("_0123456789") if own.startswith("__pyx_fuse_") else own
        if plain == name and _name_of(capsule) == wanted:
            return _pointer_of(capsule, wanted)
    return None


def can_call(name: str) -> bool:
    """Whether kernels can call the function that an operation of a tape is."""
    return name in OPERANDS and address(name) is not None


def define(symbols: list[str]) -> None:
    """Tell LLVM where functions are that object code asks for; those that are missing stay unknown."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    for symbol in symbols:
        found = address(symbol.removeprefix(PREFIX)) if symbol in CALLS else None
        if found is not None:
            llvm.add_symbol(symbol, found)


def _name_of(capsule: Any) -> bytes:
    """The signature that a capsule is named after."""
    get = ctypes.pythonapi.PyCapsule_GetName
    get.restype, get.argtypes = ctypes.c_char_p, [ctypes.py_object]
    found: bytes = get(capsule)
    return found


def _pointer_of(capsule: Any, name: bytes) -> int:
    """What a capsule holds."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    found: int = get(capsule, name)
    return found
