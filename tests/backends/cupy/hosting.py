"""The text of kernels compiled by the host's compiler, and run on its processor.

The text is the same as for a GPU. :class:`Hosted` runs its functions; :func:`run_kernel` does all launches of a
:class:`DeviceKernel`. Threads and blocks run in one of three orders, and what a kernel computes must not depend on
which.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autodiff.backends.cupy.kernels.kernel import DeviceKernel, Launch
from autodiff.backends.cupy.prelude import prelude
from tests.backends.cupy.fences import POISON, Fenced

ORDERS = (0, 1, 2)
"""Of threads and blocks: forwards, backwards, mixed."""

HERE = Path(__file__).parent
FLAGS = (
    "-std=c++17", "-O1", "-ffp-contract=off", "-fwrapv", "-fPIC", "-shared", "-fno-exceptions", "-fno-rtti",
    "-fstack-clash-protection", "-fsanitize=alignment,bounds", "-fsanitize-undefined-trap-on-error",
    "-U_FORTIFY_SOURCE", "-Werror=double-promotion", "-Werror=float-conversion", "-Werror=return-type",
    "-Wno-unknown-pragmas", "-fmax-errors=5",
)  # fmt: skip
"""Misaligned packs, and indices outside of arrays of fixed size, stop a kernel. A float that becomes a double, or a
double a float, without being told to, is an error."""

KERNEL = re.compile(
    r"__global__\s+(?:__launch_bounds__\s*\(([^)]*)\)\s*)?void\s+(?:__launch_bounds__\s*\(([^)]*)\)\s*)?(\w+)\s*\("
)
DYNAMIC = re.compile(r"extern\s+__shared__\s+(?:(?:__align__|alignas)\s*\(\s*\d+\s*\)\s*)?([\w\s:]+?)\s+(\w+)\s*\[\s*\]\s*;")
INCLUDED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<cuda_(?:fp16|bf16)\.h>.*$", re.MULTILINE)

_lock = threading.Lock()


class Failure(RuntimeError):
    """A kernel did what it may not do."""


@cache
def unavailable() -> str:
    """Why no kernel can be run here; nothing if it can."""
    if sys.platform != "linux":
        return f"the host shim runs on Linux, and this is {sys.platform}"
    if platform.machine() not in ("x86_64", "aarch64"):
        return f"the host shim runs on x86-64 and aarch64, and this is {platform.machine()}"
    return "" if shutil.which("g++") else "the host shim needs g++"


needs_compiler = pytest.mark.skipif(bool(unavailable()), reason=unavailable() or "the compiler is there")


def compiled(text: str) -> bytes:
    """Kernels as a library: what stands in for a cubin.

    Args:
        text: of everything, the prelude too.
    """
    return _library(text).read_bytes()


def _library(text: str) -> Path:
    text = _for_host(text)
    return _built(text, FLAGS, (f"-I{HERE}", "-include", "host_shim.h"))


def _for_host(text: str) -> str:
    """The text with what the host's compiler needs, and as many lines before the end."""
    bounds = [(name, (before or after or "0").split(",")[0]) for before, after, name in KERNEL.findall(text)]
    exports = [f"SHIM_EXPORT({name}, {most})" for name, most in bounds]
    text = INCLUDED.sub("", text)
    text = DYNAMIC.sub(r"\1* const \2 = static_cast<\1*>(shim::dynamic());", text)
    return "\n".join((text, *exports, ""))


def _built(text: str, flags: Sequence[str], places: Sequence[str]) -> Path:
    """The library of a text; it is compiled once, whatever processes ask for it."""
    found = _folder() / f"{sha256(chr(0).join((text, *flags, _shim())).encode()).hexdigest()[:32]}.so"
    if not found.exists():
        with tempfile.TemporaryDirectory(dir=_folder()) as scratch:
            source, made = Path(scratch) / "kernels.cpp", Path(scratch) / "kernels.so"
            source.write_text(text, encoding="utf-8")
            command = ["g++", *flags, *places, str(source), "-o", str(made)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise Failure(f"g++ does not compile the text of kernels:\n{done.stderr.replace(str(source), 'kernels')}")
            made.replace(found)
    return found


@cache
def _shim() -> str:
    """All that the shim is made of."""
    return "".join(file.read_text(encoding="utf-8") for file in (HERE / "host_shim.h", *sorted((HERE / "shim").iterdir())))


@cache
def _folder() -> Path:
    """Where libraries lie: beside the kernels of this run, or in a folder that goes with this process."""
    if shared := os.environ.get("AUTODIFF_CACHE_DIR"):
        folder = Path(shared) / "host-shim"
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    made = tempfile.mkdtemp(prefix="autodiff-host-shim-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


@cache
def _runtime() -> ctypes.CDLL:
    """The library of threads and barriers, which those of kernels look for."""
    text = (HERE / "shim" / "runtime.cpp").read_text(encoding="utf-8")
    flags = ("-std=c++17", "-O2", "-fPIC", "-shared", "-U_FORTIFY_SOURCE", "-Wall", "-Wextra", "-Werror")
    return ctypes.CDLL(str(_built(text, flags, (f"-I{HERE / 'shim'}",))), mode=ctypes.RTLD_GLOBAL)


class _Request(ctypes.Structure):
    _fields_ = (
        ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("bound", ctypes.c_uint), ("order", ctypes.c_uint),
        ("poison", ctypes.c_uint), ("seed", ctypes.c_uint), ("shared", ctypes.c_ulonglong),
        ("room", ctypes.c_ulonglong), ("message", ctypes.c_char_p), ("address", ctypes.c_void_p),
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

    def launch(self, grid: Sequence[int], block: Sequence[int], arguments: Sequence[Any], shared: int = 0, order: int = 0) -> None:
        """Run it.

        Args:
            grid: blocks along x, y, z.
            block: threads along x, y, z.
            arguments: arrays stand for where they begin, NumPy's numbers for themselves, int for 64 bits, float for a
                double, as CuPy takes them.
            shared: bytes of dynamic shared memory.
            order: of threads and blocks.
        """
        values = [_bytes(argument) for argument in arguments]
        if tuple(map(len, values)) != self.sizes:
            raise Failure(f"{self.name} takes arguments of {self.sizes} bytes, not of {tuple(map(len, values))}")
        kept = [ctypes.create_string_buffer(value, len(value)) for value in values]
        pointers = (ctypes.c_void_p * len(kept))(*map(ctypes.addressof, kept))
        message = ctypes.create_string_buffer(1024)
        request = _Request(
            _three(grid), _three(block), 0, order, POISON[order], zlib.crc32(self.name.encode()), shared,
            len(message), ctypes.cast(message, ctypes.c_char_p),
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
    _runtime()
    with tempfile.NamedTemporaryFile(dir=_folder(), suffix=".so") as file:
        file.write(library)
        file.flush()
        return ctypes.CDLL(file.name)


class Hosted:
    """The kernels of a text.

    Args:
        text: of everything, the prelude too.
    """

    def __init__(self, text: str) -> None:
        _runtime()
        self._library = ctypes.CDLL(str(_library(text)))
        self._functions: dict[str, Function] = {}

    def __getitem__(self, name: str) -> Function:
        if name not in self._functions:
            self._functions[name] = Function(self._library, name)
        return self._functions[name]

    def run(self, launch: Launch, arguments: Sequence[Any], order: int = 0, constant: Sequence[int] = ()) -> None:
        """Do one launch; arrays are changed in place, and nothing beside them.

        Args:
            launch: what to do.
            arguments: of the function.
            order: of threads and blocks.
            constant: which of the arguments are only read.
        """
        fenced = {
            k: Fenced(f"argument {k}", argument, order, k in constant)
            for k, argument in enumerate(arguments)
            if isinstance(argument, np.ndarray)
        }
        self.run_fenced(launch, [fenced.get(k, argument) for k, argument in enumerate(arguments)], order)
        for k, memory in fenced.items():
            if k not in constant:
                arguments[k][...] = memory.contents()

    def run_fenced(self, launch: Launch, arguments: Sequence[Any], order: int = 0) -> None:
        """Do one launch on memory that has fences already, and look at them."""
        fences = [argument for argument in arguments if isinstance(argument, Fenced)]
        try:
            self[launch.function].launch(launch.blocks, (launch.threads,), arguments, launch.shared, order)
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


def run_kernel(kernel: DeviceKernel, *inputs: Any, order: int = 0, status: int = 0, host: Hosted | None = None) -> list[np.ndarray[Any, Any]]:
    """Do all launches of a kernel.

    Args:
        kernel: what its printer gave.
        inputs: of its tape, arrays and numbers.
        order: of threads and blocks.
        status: what the word of the status must be afterwards.
        host: the library that has its functions; otherwise its text is compiled.

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
                arguments.append(Fenced(name, array, order, constant=True))
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
    library = host or hosted(kernel.text)
    for launch in kernel.launches:
        library.run_fenced(launch, arguments, order)
    for counter in counters:
        assert not counter.contents().any(), f"the counter {counter.name} is not left zero: {counter.contents()}"
    for state in states:
        assert state.contents()[0] == status, f"the status is {state.contents()[0]}, not {status}"
    return [outputs[slot].contents() for slot in range(len(kernel.results))]


def _poisoned(shape: tuple[int, ...], dtype: Any, order: int) -> np.ndarray[Any, Any]:
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    return np.full(size, POISON[order], np.uint8).view(dtype).reshape(shape)
