"""The text of kernels compiled by the host's compiler, and run on its processor.

The text is the same as for a GPU. :class:`Hosted` runs its functions; :func:`run_kernel` does all launches of a
:class:`DeviceKernel`. Threads and blocks run in one of three orders, and what a kernel computes must not depend on
which.
"""

from __future__ import annotations

import ctypes
import sys
import tempfile
import threading
import zlib
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from autodiff.backends.cupy.kernels.kernel import DeviceKernel, Launch
from autodiff.backends.cupy.prelude import prelude
from tests.backends.cupy.building import (
    Failure,
    compiled,
    folder,
    library_file,
    load_runtime,
    needs_compiler,
    unavailable,
)
from tests.backends.cupy.fences import POISON, Fenced

__all__ = [
    "ORDERS", "Failure", "Function", "Hosted", "compiled", "hosted", "load", "needs_compiler", "run_kernel", "unavailable",
]  # fmt: skip

ORDERS = (0, 1, 2)
"""Of threads and blocks: forwards, backwards, mixed."""

TOGETHER = 4
"""Blocks that run side by side, where stores are late."""

_lock = threading.Lock()


class _Request(ctypes.Structure):
    _fields_ = (
        ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("bound", ctypes.c_uint), ("order", ctypes.c_uint),
        ("poison", ctypes.c_uint), ("seed", ctypes.c_uint), ("shared", ctypes.c_ulonglong),
        ("scratch", ctypes.c_ulonglong), ("message", ctypes.c_char_p), ("address", ctypes.c_void_p),
        ("late", ctypes.POINTER(ctypes.c_ulonglong)), ("lates", ctypes.c_uint), ("together", ctypes.c_uint),
    )  # fmt: skip


class Function:
    """One kernel of a library, launched as CUDA's driver launches it.

    Args:
        library: that it is in.
        name: of the function.
    """

    def __init__(self, library: ctypes.CDLL, name: str) -> None:
        try:
            self._launch = library[f"shim_launch_{name}"]
        except AttributeError:
            raise Failure(f"the library has no kernel {name}") from None
        sizes = (ctypes.c_uint * 4096)()
        self.name, self.sizes = name, tuple(sizes[: library[f"shim_sizes_{name}"](sizes)])

    def launch(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: Sequence[Any],
        shared: int = 0,
        order: int = 0,
        late: bool = False,
    ) -> None:
        """Run it.

        Args:
            grid: blocks along x, y, z.
            block: threads along x, y, z.
            arguments: arrays stand for where they begin, NumPy's numbers for themselves, int for 64 bits, float for a
                double, as CuPy takes them.
            shared: bytes of dynamic shared memory.
            order: of threads and blocks.
            late: whether some blocks run side by side, and see what others have stored in arrays with fences only
                behind a `__threadfence`, or where that was an atomic operation.
        """
        values = [_bytes(argument) for argument in arguments]
        if tuple(map(len, values)) != self.sizes:
            raise Failure(f"{self.name} takes arguments of {self.sizes} bytes, not of {tuple(map(len, values))}")
        kept = [ctypes.create_string_buffer(value, len(value)) for value in values]
        pointers = (ctypes.c_void_p * len(kept))(*map(ctypes.addressof, kept))
        message = ctypes.create_string_buffer(1024)
        fenced = [
            (each.address, each.size) for each in arguments if late and isinstance(each, Fenced) and not each.constant
        ]
        places = (ctypes.c_ulonglong * (2 * len(fenced)))(*(number for pair in fenced for number in pair))
        request = _Request(
            _three(grid), _three(block), 0, order, POISON[order], zlib.crc32(self.name.encode()), shared,
            len(message), ctypes.cast(message, ctypes.c_char_p), None, places, len(fenced),
            TOGETHER if late else 1,
        )  # fmt: skip
        with _lock:
            failed = self._launch(ctypes.byref(request), pointers)
        if failed:
            failure = Failure(f"{self.name}: {message.value.decode()}")
            failure.address = request.address
            raise failure


def _three(sizes: Sequence[int]) -> Any:
    return (ctypes.c_uint * 3)(*(*sizes, 1, 1)[:3])


def _bytes(argument: Any) -> bytes:
    match argument:
        case Fenced():
            return argument.address.to_bytes(8, sys.byteorder)
        case np.ndarray():
            return argument.ctypes.data.to_bytes(8, sys.byteorder)
        case np.generic():
            return argument.tobytes()
        case bool():
            return bytes((argument,))
        case int():
            return argument.to_bytes(8, sys.byteorder, signed=argument < 0)
        case float():
            return bytes(np.float64(argument))
    raise TypeError(f"no argument of a kernel: {argument!r}")


def load(library: bytes) -> ctypes.CDLL:
    """A library that :func:`compiled` gave, in this process."""
    load_runtime()
    with tempfile.NamedTemporaryFile(dir=folder(), suffix=".so") as file:
        file.write(library)
        file.flush()
        return ctypes.CDLL(file.name)


class Hosted:
    """The kernels of a text.

    Args:
        text: of everything, the prelude too.
    """

    def __init__(self, text: str) -> None:
        load_runtime()
        self._library = ctypes.CDLL(str(library_file(text)))
        self._functions: dict[str, Function] = {}

    def __getitem__(self, name: str) -> Function:
        if name not in self._functions:
            self._functions[name] = Function(self._library, name)
        return self._functions[name]

    def run(
        self,
        launch: Launch,
        arguments: Sequence[Any],
        order: int = 0,
        constant: Sequence[int] = (),
        anywhere: bool = False,
    ) -> None:
        """Do one launch; arrays are changed in place, and nothing beside them.

        Args:
            launch: what to do.
            arguments: of the function.
            order: of threads and blocks.
            constant: which of the arguments are only read.
            anywhere: whether those begin at any place, as parts of arrays do.
        """
        fenced = {
            k: Fenced(f"argument {k}", argument, order, k in constant, anywhere and k in constant)
            for k, argument in enumerate(arguments)
            if isinstance(argument, np.ndarray)
        }
        self.run_fenced(launch, [fenced.get(k, argument) for k, argument in enumerate(arguments)], order)
        for k, memory in fenced.items():
            if k not in constant:
                arguments[k][...] = memory.contents()

    def run_fenced(self, launch: Launch, arguments: Sequence[Any], order: int = 0, late: bool = False) -> None:
        """Do one launch on memory that has fences already, and look at them."""
        fences = [argument for argument in arguments if isinstance(argument, Fenced)]
        try:
            self[launch.function].launch(launch.blocks, (launch.threads,), arguments, launch.shared, order, late)
        except Failure as failure:
            address = getattr(failure, "address", None)
            near = [miss for fence in fences if address is not None and (miss := fence.misses(address))]
            raise Failure(f"{failure}: {', or '.join(near)}" if near else str(failure)) from None
        for fence in fences:
            if wrong := fence.spoiled():
                raise Failure(f"{launch.function}: {wrong}")


@cache
def _hosted(text: str) -> Hosted:
    return Hosted(text)


def hosted(text: str) -> Hosted:
    """The kernels of a text without the prelude."""
    return _hosted(f"{prelude()}\n{text}")


def run_kernel(
    kernel: DeviceKernel,
    *inputs: Any,
    order: int = 0,
    status: int = 0,
    host: Hosted | None = None,
    anywhere: bool = False,
    late: bool = False,
) -> list[np.ndarray[Any, Any]]:
    """Do all launches of a kernel.

    Args:
        kernel: what its printer gave.
        inputs: of its tape, arrays and numbers.
        order: of threads and blocks.
        status: what the word of the status must be afterwards.
        host: the library that has its functions; otherwise its text is compiled.
        anywhere: whether inputs begin at any place, as parts of arrays do; else at multiples of 16 bytes.
        late: whether blocks see what others have stored only behind a fence.

    Returns:
        The outputs, in order.
    """
    outputs: dict[int, Fenced] = {}
    counters, states, arguments = [], [], []
    for parameter in kernel.parameters:
        name, slot = parameter.name, parameter.slot
        match parameter.role:
            case "input":
                array = np.asarray(inputs[slot])
                assert array.dtype == parameter.dtype, f"{name} is {parameter.dtype}, not {array.dtype}"
                arguments.append(Fenced(name, array, order, True, anywhere))
            case "number":
                assert parameter.dtype is not None
                arguments.append(parameter.dtype.type(inputs[slot]))
            case "output":
                result = kernel.results[slot]
                outputs[slot] = Fenced(name, _poisoned(result.shape, result.dtype, order), order)
                arguments.append(outputs[slot])
            case "partial":
                arguments.append(Fenced(name, _poisoned((parameter.value,), parameter.dtype, order), order))
            case "counter":
                arguments.append(Fenced(name, np.zeros(parameter.value, np.uint32), order))
                counters.append(arguments[-1])
            case "status":
                arguments.append(Fenced(name, np.zeros(1, np.int32), order))
                states.append(arguments[-1])
            case "size":
                arguments.append(parameter.value)
            case "constant":
                assert parameter.dtype is not None
                arguments.append(parameter.dtype.type(parameter.value))
            case other:
                raise ValueError(f"a parameter of the role {other!r}")
    library = host or hosted(kernel.text)
    for launch in kernel.launches:
        library.run_fenced(launch, arguments, order, late)
    for counter in counters:
        assert not counter.contents().any(), f"the counter {counter.name} is not left zero: {counter.contents()}"
    for state in states:
        assert state.contents()[0] == status, f"the status is {state.contents()[0]}, not {status}"
    return [outputs[slot].contents() for slot in range(len(kernel.results))]


def _poisoned(shape: tuple[int, ...], dtype: Any, order: int) -> np.ndarray[Any, Any]:
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    return np.full(size, POISON[order], np.uint8).view(dtype).reshape(shape)
