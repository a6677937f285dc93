"""The inner loops of NumPy's functions of matrices and transforms: kernels call them by address.

A generalized ufunc of NumPy is a loop of C for each combination of dtypes, which takes addresses, lengths and strides,
and needs neither Python nor its lock. So kernels have NumPy's own results, to the bit, and pay for nothing but LAPACK
or the transform.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

PREFIX = "numpy_"
"""How they are called in the text of kernels, and in object code."""

Operand = tuple[Any, Sequence[int]]
"""An address, and strides in bytes: from one run of a loop to the next, and along its own axes."""

DATA = ".data"
"""What the symbol of a loop's own data ends with."""

MATRICES, TRANSFORMS = "numpy.linalg._umath_linalg", "numpy.fft._pocketfft_umath"


@dataclass(frozen=True)
class NumpyLoop:
    """A loop of a generalized ufunc.

    Attributes:
        module: where the ufunc is.
        name: of the ufunc.
        types: the letters of the dtypes of its operands and of its results.
        axes: of each operand and result the names of its own axes; equal names are equal lengths.
        inputs: how many of them are operands.
        written: which operand it overwrites, or None.
    """

    module: str
    name: str
    types: tuple[str, str]
    axes: tuple[tuple[str, ...], ...]
    inputs: int
    written: int | None = None

    @property
    def letters(self) -> str:
        """The letters of all dtypes."""
        return "".join(self.types)

    @property
    def lengths(self) -> tuple[str, ...]:
        """The names of its axes, in the order in which it takes their lengths."""
        return tuple(dict.fromkeys(name for axes in self.axes for name in axes))


def _loop(module: str, signature: str, *types: str, written: int | None = None) -> dict[str, NumpyLoop]:
    """The loops of a ufunc, by their names in kernels.

    Args:
        module: where it is.
        signature: its name and its axes, as in ``eigh_lo:mm-m,mm``.
        types: the letters of the dtypes, as in ``d-dd``.
        written: which operand it overwrites.
    """
    name, _, axes = signature.partition(":")
    given, made = (tuple(tuple(one) for one in side.split(",")) for side in axes.split("-"))
    found = {}
    for each in types:
        left, right = each.split("-")
        found[f"{PREFIX}{name}_{left}_{right}"] = NumpyLoop(
            module, name, (left, right), given + made, len(given), written
        )
    return found


LOOPS: dict[str, NumpyLoop] = {
    **_loop(MATRICES, "eigh_lo:mm-m,mm", "d-dd"),
    **_loop(MATRICES, "eigh_up:mm-m,mm", "d-dd"),
    **_loop(MATRICES, "eigvalsh_lo:mm-m", "d-d"),
    **_loop(MATRICES, "eigvalsh_up:mm-m", "d-d"),
    **_loop(MATRICES, "svd:mn-p", "d-d"),
    **_loop(MATRICES, "svd_s:mn-mp,p,pn", "d-ddd"),
    **_loop(MATRICES, "svd_f:mn-mm,p,nn", "d-ddd"),
    **_loop(MATRICES, "qr_r_raw:mn-p", "d-d", written=0),
    **_loop(MATRICES, "qr_reduced:mn,k-mk", "dd-d"),
    **_loop(TRANSFORMS, "fft:n,-m", "Dd-D", "Ff-F"),
    **_loop(TRANSFORMS, "ifft:m,-n", "Dd-D", "Ff-F"),
    **_loop(TRANSFORMS, "rfft_n_even:n,-m", "dd-D", "ff-F"),
    **_loop(TRANSFORMS, "rfft_n_odd:n,-m", "dd-D", "ff-F"),
    **_loop(TRANSFORMS, "irfft:m,-n", "Dd-d", "Ff-f"),
}
"""The loops that kernels call, by their names there."""

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


def has_data(loop: NumpyLoop) -> bool:
    """Whether a loop is handed data of its own."""
    return loop.name in ("fft", "ifft")  # the direction


def define(symbols: list[str]) -> None:
    """Tell LLVM where loops are that object code asks for; those that are missing stay unknown."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    for symbol in symbols:
        name = symbol.removesuffix(DATA)
        found = addresses(name) if name in LOOPS else None
        if found is not None:
            llvm.add_symbol(symbol, found[symbol.endswith(DATA)])


def call(builder: Any, name: str, count: int, lengths: Sequence[int], operands: Sequence[Operand]) -> None:
    """Print the call of a loop.

    Args:
        builder: where.
        name: of the loop.
        count: how often it runs.
        lengths: of its axes.
        operands: and results.
    """
    from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

    word, pointer, module = ir.IntType(64), ir.IntType(8).as_pointer(), builder.module
    function = module.globals.get(name)
    if function is None:
        function = ir.Function(module, ir.FunctionType(ir.VoidType(), [pointer] * 4), name)
        function.attributes.add("nounwind")

    def table(values: Sequence[Any]) -> Any:
        with builder.goto_entry_block():
            found = builder.alloca(ir.ArrayType(word, len(values)))
        first = builder.bitcast(found, word.as_pointer())
        for place, value in enumerate(values):
            builder.store(value, builder.gep(first, [word(place)], inbounds=True))
        return builder.bitcast(found, pointer)

    places = [address for address, _ in operands]
    steps = [strides[0] for _, strides in operands] + [step for _, strides in operands for step in strides[1:]]
    data: Any = ir.Constant(pointer, None)
    if has_data(LOOPS[name]):
        data = module.globals.get(name + DATA) or ir.GlobalVariable(module, ir.IntType(8), name + DATA)
    tables = (places, [word(n) for n in (count, *lengths)], list(map(word, steps)))
    loop, known = LOOPS[name], dict(zip(LOOPS[name].lengths, lengths, strict=True))
    reach = []
    for number, ((address, strides), axes, letter) in enumerate(zip(operands, loop.axes, loop.letters, strict=True)):
        rounds = (count, *(known[axis] for axis in axes))
        last = sum((n - 1) * step for n, step in zip(rounds, strides, strict=True))  # strides are not negative
        stores = number >= loop.inputs or number == loop.written
        reach.append((address, word(last + np.dtype(letter).itemsize), stores))
    builder.call_foreign(function, [*map(table, tables), data], reach)
