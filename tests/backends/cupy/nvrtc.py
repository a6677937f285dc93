"""The text of kernels compiled for GPUs by NVRTC, which needs no driver: what it asks of a device.

NVRTC comes from pip (``nvidia-cuda-nvrtc``), and the headers of float16 from ``nvidia-cuda-runtime``.
"""

from __future__ import annotations

import ctypes
import os
import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from autodiff.backends.cupy.runtime import compiling

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
"""For which every kernel compiles."""

OPTIONS = (*compiling.OPTIONS, "--ptxas-options=-v")
"""As programs are compiled, and with what the assembler says of each function."""

PACKAGES = ("nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12")
LIBRARY = re.compile(r"(libnvrtc\.so\.\d+|nvrtc64_\d+_\d+\.dll)$")
ENTRY = re.compile(r"Compiling entry function '(\w+)' for")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


class Rejected(RuntimeError):
    """NVRTC does not compile a text; the message is its log."""


@dataclass(frozen=True)
class Resources:
    """What one function asks of a device.

    Attributes:
        registers: of each thread.
        shared: bytes of shared memory that the text declares.
        stack: bytes of local memory for arrays that are not in registers; some functions of CUDA's have such.
        spills: bytes stored because registers did not suffice, and loaded again.
    """

    registers: int
    shared: int
    stack: int
    spills: int


@cache
def _library_file() -> Path | None:
    for package in PACKAGES:
        try:
            files = distribution(package).files or []
        except PackageNotFoundError:
            continue
        for file in files:
            if LIBRARY.search(file.name):
                return Path(str(file.locate()))
    return None


@cache
def missing() -> str:
    """Why NVRTC cannot be asked; nothing if it can."""
    return "" if _library_file() else f"NVRTC is not installed: pip install {PACKAGES[0]}"


needs_nvrtc = pytest.mark.skipif(bool(missing()), reason=missing() or "NVRTC is there")


@cache
def _nvrtc() -> ctypes.CDLL:
    file = _library_file()
    assert file is not None, missing()
    if os.name == "nt":  # the library of its built-in headers lies beside it
        os.add_dll_directory(str(file.parent))
    library = ctypes.CDLL(str(file))
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    return library


def headers() -> str:
    """The folder of CUDA's own headers; nothing if they are not installed."""
    try:
        files = distribution("nvidia-cuda-runtime").files or []
    except PackageNotFoundError:
        return ""
    return next((str(Path(str(file.locate())).parent) for file in files if file.name == "cuda_fp16.h"), "")


def compiled(text: str, architecture: str, *options: str) -> tuple[bytes, str]:
    """Machine code, or PTX for an architecture ``compute_XY``, and the log.

    Raises:
        Rejected: with the log, where the text has errors.
    """
    library = _nvrtc()
    program = ctypes.c_void_p()
    folder = headers()
    given = [f"--gpu-architecture={architecture}", *OPTIONS, *options, *([f"-I{folder}"] if folder else [])]
    words = (ctypes.c_char_p * len(given))(*(word.encode() for word in given))
    _done(library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None))
    try:
        status = library.nvrtcCompileProgram(program, len(given), words)
        log = _text_of(program, "ProgramLog").decode()
        if status:
            raise Rejected(log)
        return _text_of(program, "PTX" if architecture.startswith("compute") else "CUBIN"), log
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _text_of(program: ctypes.c_void_p, what: str) -> bytes:
    library, size = _nvrtc(), ctypes.c_size_t()
    _done(library[f"nvrtcGet{what}Size"](program, ctypes.byref(size)))
    found = ctypes.create_string_buffer(size.value)
    _done(library[f"nvrtcGet{what}"](program, found))
    return found.raw if what == "CUBIN" else found.value


def _done(status: int) -> None:
    if status:
        raise RuntimeError(_nvrtc().nvrtcGetErrorString(status).decode())


def version() -> str:
    """The version of NVRTC, such as ``13.0``."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _done(_nvrtc().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return f"{major.value}.{minor.value}"


@cache
def resources(text: str, architecture: str, *options: str) -> dict[str, Resources]:
    """What each function of a text asks of a device.

    Args:
        text: of everything, the prelude too.
        architecture: such as ``sm_90``.
        options: further ones.
    """
    found: dict[str, Resources] = {}
    log = compiled(text, architecture, *options)[1]
    for part in re.split(r"(?=Compiling entry function)", log)[1:]:
        name, frame, used, shared = ENTRY.search(part), FRAME.search(part), USED.search(part), SHARED.search(part)
        assert None not in (name, frame, used), part
        stack, stores, loads = map(int, frame.groups())
        found[name[1]] = Resources(int(used[1]), int(shared[1]) if shared else 0, stack, stores + loads)
    return found


def checked(text: str, most: int = 0) -> dict[str, dict[str, Resources]]:
    """Compile a text for all architectures; no function may spill registers of more than so many bytes.

    Returns:
        For each architecture what each function asks of a device.
    """
    found = {architecture: resources(text, architecture) for architecture in ARCHITECTURES}
    spilling = {
        (architecture, name): own.spills
        for architecture, all_ in found.items()
        for name, own in all_.items()
        if own.spills > most
    }
    assert not spilling, f"bytes of registers spilled: {spilling}"
    return found
