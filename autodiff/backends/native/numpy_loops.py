"""Where the inner loops of NumPy's functions are: kernels call them by address."""

from __future__ import annotations

import ctypes
import functools
from importlib import import_module

import numpy as np

from autodiff.backends.language.numpy_loops import LOOPS, has_data

DATA = ".data"
"""What the symbol of a loop's own data ends with."""

SYMBOLS = LOOPS.keys() | {name + DATA for name in LOOPS}
"""What object code may ask for."""


class _Head(ctypes.Structure):
    """How NumPy's interface for C says that a ufunc begins, behind what every object of Python begins with."""

    _fields_ = (
        ("inputs", ctypes.c_int),
        ("outputs", ctypes.c_int),
        ("arguments", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("count", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("types", ctypes.POINTER(ctypes.c_char)),
    )


@functools.cache
def addresses(name: str) -> tuple[int, int] | None:
    """Where a loop and its data are; None where this NumPy has no such loop.

    Whatever the structure says is compared with what Python sees of the ufunc before an address in it counts.

    Args:
        name: in kernels.
    """
    loop = LOOPS[name]
    try:
        ufunc = getattr(import_module(loop.module), loop.name)
    except (ImportError, AttributeError):
        return None
    wanted = "->".join(loop.types)
    if not isinstance(ufunc, np.ufunc) or wanted not in ufunc.types:
        return None
    head = _Head.from_address(id(ufunc) + object.__basicsize__)
    if (head.inputs, head.outputs, head.arguments, head.count) != (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes):
        return None
    place = ufunc.types.index(wanted)
    numbers = [np.dtype(letter).num for letter in loop.letters]
    if ufunc.nargs != len(numbers) or head.name != loop.name.encode():
        return None
    if list(head.types[place * ufunc.nargs : (place + 1) * ufunc.nargs]) != numbers:
        return None
    function, data = head.functions[place] or 0, (head.data[place] or 0) if head.data else 0
    if not function or bool(data) != has_data(loop):
        return None
    return function, data


def define(symbols: list[str]) -> None:
    """Tell LLVM where loops are that object code asks for; those that are missing stay unknown."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    for symbol in symbols:
        name = symbol.removesuffix(DATA)
        found = addresses(name) if name in LOOPS else None
        if found is not None:
            llvm.add_symbol(symbol, found[symbol.endswith(DATA)])
