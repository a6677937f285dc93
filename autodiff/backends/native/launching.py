"""A kernel as a function that Python calls."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from autodiff.backends.native import kernels, launcher, layout, threads
from autodiff.backends.native.arguments import Argument, ArrayArgument, Launch, NumberArgument, bits, fitted
from autodiff.backends.native.fallback import FUNCTION_WITH_GIL, bind_in_python

__all__ = ["ArrayArgument", "NumberArgument", "bind", "bits", "fitted", "launcher_kind"]

FASTCALL = 0x80  # CPython's flag of functions that take an array of arguments
ABSENT = -1


def bind(address: int, words: Sequence[int], arguments: Sequence[Argument], **options: Any) -> Callable[..., Any]:
    """A function that takes the arguments of a kernel and runs it.

    Args:
        address: of the kernel.
        words: its block, with sizes and constants (see :func:`bits`); what arguments fill is overwritten.
        arguments: what the function takes, in order.
        options: those of :class:`~autodiff.backends.native.arguments.Launch`.

    Returns:
        A function that returns None when the kernel has run, and NotImplemented, having run nothing, when an argument
        does not fit.
    """
    launch = Launch(address, tuple(words), tuple(arguments), **options)
    native = launcher_kind() == "native" and len(words) <= launcher.LARGEST_BLOCK
    if launch.parallel:
        threads.get_num_threads()  # so that an error of the environment is raised here
        native = native and threads.native()
    return bind_natively(launch) if native else bind_in_python(launch)


@functools.cache
def launcher_kind() -> str:
    """``"native"``, or ``"python"`` where native code cannot read Python's objects."""
    return "python" if layout.unfit() or not probe() else "native"


def probe() -> bool:
    """Whether the native launcher reads arrays and numbers as NumPy and ctypes do."""
    seen: list[int] = []
    kernel = FUNCTION_WITH_GIL(lambda block, low, high: seen.extend((ctypes.c_int64 * 4).from_address(block)))
    address = ctypes.cast(kernel, ctypes.c_void_p).value or 0
    for array in filter(lambda each: each.flags.aligned and each.dtype.isnative, layout.samples()):
        argument = ArrayArgument(0, array.dtype, shape=array.shape, strides=1)
        call = bind_natively(Launch(address, (0,) * 4, (argument,)))
        seen.clear()
        expected = [array.__array_interface__["data"][0], *array.strides, *(0,) * (3 - array.ndim)]
        if call(array) is not None or seen != expected or call(array[np.newaxis]) is not NotImplemented:
            return False
    for number in (1.5, np.float64(-2.25), np.float32(0.1), -(2**40)):
        kind = {np.float32: "float32", int: "int"}.get(type(number), "float")
        seen.clear()
        call = bind_natively(Launch(address, (0,) * 4, (NumberArgument(0, kind),)))
        if call(number) is not None or seen != [bits(number), 0, 0, 0] or call("1") is not NotImplemented:
            return False
    return True


def bind_natively(launch: Launch) -> Callable[..., Any]:
    """A builtin function whose ``self`` is the description of the launch."""
    told = Description(description(launch))
    told.launch = launch
    made: Callable[..., Any] = new_function()(ctypes.addressof(definition()), told, None)
    return made


class Description(bytes):
    """What the launcher reads, which lies where bytes have it.

    Attributes:
        launch: keeps the kernel from being freed.
    """

    launch: Launch


@functools.cache
def new_function() -> Any:
    """CPython's maker of builtin functions."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make


class Definition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


@functools.cache
def definition() -> Definition:
    """Of the launcher; all bound kernels share it, and it is never freed."""
    address = kernels.words_address(launcher.text())
    return Definition(b"kernel", address, FASTCALL, None)


def description(launch: Launch) -> bytes:
    """What the launcher reads."""
    head = dict(common(launch.release))
    shapes: list[int] = []
    records, place = [], len(launcher.HEAD) + len(launch.words)
    for argument in launch.arguments:
        record = dict.fromkeys(launcher.RECORD, ABSENT)
        record["WORD"] = argument.word
        if isinstance(argument, ArrayArgument):
            record.update(array_record(argument))
            if argument.shape is not None:
                record["SHAPE"] = place + len(shapes)
                shapes += argument.shape
        else:
            record["KIND"] = launcher.KINDS.index(f"IS_{argument.kind.upper()}")
        records.append(record.values())
    head.update(
        KERNEL=launch.address,
        COUNT=len(records),
        WORDS=len(launch.words),
        RECORDS=place + len(shapes),
        ROWS=launch.rows,
        ROWS_WORD=ABSENT if launch.rows_word is None else launch.rows_word,
        CHUNK=launch.chunk or 0,
        POOL=threads.shared() if launch.parallel else 0,
    )
    words = [*(head[name] for name in launcher.HEAD), *launch.words, *shapes, *chain.from_iterable(records)]
    return np.array(words, np.int64).tobytes()


def array_record(argument: ArrayArgument) -> dict[str, int]:
    """What the launcher asks of an array."""
    flags = layout.ALIGNED
    if argument.writeable:
        flags |= layout.WRITEABLE
    if argument.strides is None:
        flags |= layout.C_CONTIGUOUS
    return {
        "KIND": launcher.KINDS.index("IS_ARRAY"),
        "DTYPE": id(argument.dtype),
        "SCALAR": id(argument.dtype.type),
        "FLAGS": flags,
        "NDIM": ABSENT if argument.ndim is None else argument.ndim,
        "STRIDES": ABSENT if argument.strides is None else argument.strides,
    }


@functools.cache
def common(release: bool) -> dict[str, int]:
    """The words of ``HEAD`` that are the same in all launches."""

    def address(name: str) -> int:
        return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0

    return {
        "SAVE": address("PyEval_SaveThread") if release else 0,
        "RESTORE": address("PyEval_RestoreThread"),
        "NONE": id(None),
        "REFUSED": id(NotImplemented),
        "COUNTED": int(sys.version_info < (3, 12)),  # from then on both are immortal
        "NDARRAY": id(np.ndarray),
        "FLOAT": id(float),
        "FLOAT64": id(np.float64),
        "FLOAT32": id(np.float32),
        "INT": id(int),
        "AS_INT": address("PyLong_AsLongLongAndOverflow"),
    }
