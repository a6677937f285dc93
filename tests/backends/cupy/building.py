"""The text of kernels becomes a library of the host's processor, by g++ and the shim."""

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
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SHARED = os.environ.get("AUTODIFF_CACHE_DIR")
"""The folder of this run, as it was before any test changed it."""

FLAGS = (
    "-std=c++17", "-O1", "-ffp-contract=off", "-fwrapv", "-fPIC", "-shared", "-fno-exceptions", "-fno-rtti", "-fno-gnu-unique",
    "-fstack-clash-protection", "-fsanitize=alignment,bounds", "-fsanitize-undefined-trap-on-error",
    "-U_FORTIFY_SOURCE", "-Werror=double-promotion", "-Werror=float-conversion", "-Werror=return-type",
    "-Wno-unknown-pragmas", "-fmax-errors=5",
)  # fmt: skip
"""Misaligned packs, and indices outside of arrays of fixed size, stop a kernel. A float that becomes a double, or a
double a float, without being told to, is an error. Shared memory that templates declare is that of their library, and
not of the first one that has such a template: else it would neither be poisoned nor kept apart for each block."""

KERNEL = re.compile(
    r"__global__\s+(?:__launch_bounds__\s*\(([^)]*)\)\s*)?void\s+(?:__launch_bounds__\s*\(([^)]*)\)\s*)?(\w+)\s*\("
)
DYNAMIC = re.compile(
    r"extern\s+__shared__\s+(?:(?:__align__|alignas)\s*\(\s*\d+\s*\)\s*)?([\w\s:]+?)\s+(\w+)\s*\[\s*\]\s*;"
)
INCLUDED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<cuda_(?:fp16|bf16)\.h>.*$", re.MULTILINE)


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
    return library_file(text).read_bytes()


def library_file(text: str) -> Path:
    """Where the library of a text lies."""
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
    found = folder() / f"{sha256(chr(0).join((text, *flags, _shim())).encode()).hexdigest()[:32]}.so"
    if not found.exists():
        with tempfile.TemporaryDirectory(dir=folder()) as scratch:
            source, made = Path(scratch) / "kernels.cpp", Path(scratch) / "kernels.so"
            source.write_text(text, encoding="utf-8")
            command = ["g++", *flags, *places, str(source), "-o", str(made)]
            done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"})
            if done.returncode:
                raise Failure(
                    f"g++ does not compile the text of kernels:\n{done.stderr.replace(str(source), 'kernels')}"
                )
            made.replace(found)
    return found


@cache
def _shim() -> str:
    """All that the shim is made of."""
    return "".join(
        file.read_text(encoding="utf-8") for file in (HERE / "host_shim.h", *sorted((HERE / "shim").iterdir()))
    )


@cache
def folder() -> Path:
    """Where libraries lie: beside the kernels of this run, or in a folder that goes with this process."""
    if SHARED:
        found = Path(SHARED) / "host-shim"
        found.mkdir(parents=True, exist_ok=True)
        return found
    made = tempfile.mkdtemp(prefix="autodiff-host-shim-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


@cache
def load_runtime() -> ctypes.CDLL:
    """The library of threads and barriers, which those of kernels look for."""
    text = (HERE / "shim" / "runtime.cpp").read_text(encoding="utf-8")
    flags = ("-std=c++17", "-O2", "-fPIC", "-shared", "-U_FORTIFY_SOURCE", "-Wall", "-Wextra", "-Werror")
    return ctypes.CDLL(str(_built(text, flags, (f"-I{HERE / 'shim'}",))), mode=ctypes.RTLD_GLOBAL)
