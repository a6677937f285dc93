"""CUDA C++ becomes code of a GPU: by NVRTC, or from what earlier processes have left on disk.

CuPy's own modules are not used: they flush small numbers to zero.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from autodiff.backends import cache as store
from autodiff.backends.cupy.runtime.device import architecture
from autodiff.backends.gpu import require
from autodiff.trace.errors import AutodiffError

OPTIONS = ("--std=c++17", "--fmad=true", "-lineinfo", "--device-as-default-execution-space")
"""No fast mathematics: quotients, roots and small numbers are exact. NVRTC 12 takes lambdas of kernels for host code
unless it is told what is meant."""

FAST = ("-DAUTODIFF_FAST_MATH", "--prec-div=false")
"""What ``fast_math=True`` adds: approximate quotients, and the prelude's exp and tanh. Small numbers stay."""

NAME = "autodiff_kernels.cu"
"""What the compiler calls the text where no line of the user's is known."""

counts = {"hits": 0, "misses": 0, "compiled": 0}
"""What this process found on disk, did not find there, and compiled."""


class KernelCompileError(AutodiffError, RuntimeError):
    """The compiler refuses a kernel: a bug of autodiff."""


THREADS = 8
"""So many texts are compiled at once, at most: each takes some 100 MB meanwhile."""


def device_codes(sources: Mapping[str, str], device: int, fast_math: bool = False) -> dict[str, bytes]:
    """The codes of texts for a GPU; those that are not on disk are compiled by several threads.

    Args:
        sources: the texts, by what of them is shown where the compiler refuses one.
        device: the number of the GPU.
        fast_math: whether division, exp and tanh of float32 may be approximate.

    Raises:
        KernelCompileError: if the compiler refuses a text.
    """
    number, exact = architecture(device)
    options = (*OPTIONS, *(FAST if fast_math else ()), f"--gpu-architecture={'sm' if exact else 'compute'}_{number}")
    keys = {shown: key_of(source, options) for shown, source in sources.items()}
    found = {shown: code for shown, key in keys.items() if (code := store.read(key)) is not None}
    missing = [shown for shown in sources if shown not in found]
    counts["hits"] += len(found)
    counts["misses"] += len(missing)
    if missing:
        with ThreadPoolExecutor(min(len(missing), processors(), THREADS)) as threads:
            codes = threads.map(lambda shown: compiled(sources[shown], options, exact, shown), missing)
            for shown, code in zip(missing, codes, strict=True):
                counts["compiled"] += 1
                found[shown] = code
                store.write(keys[shown], code)
    return found


def device_code(source: str, device: int) -> bytes:
    """The code of one text for a GPU.

    Raises:
        KernelCompileError: if the compiler refuses the text.
    """
    return device_codes({source: source}, device)[source]


def key_of(source: str, options: tuple[str, ...]) -> bytes:
    """What the code of a text is stored under."""
    return hashlib.sha256("\0".join((compiler(), *options, source)).encode()).digest()


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compiler() -> str:
    """The compiler and its version."""
    return f"NVRTC {'.'.join(map(str, require().cuda.nvrtc.getVersion()))}"


def compiled(source: str, options: tuple[str, ...], exact: bool, shown: str) -> bytes:
    """The code of a text, compiled now: of the architecture itself, or portable."""
    nvrtc = require().cuda.nvrtc
    program = nvrtc.createProgram(source, NAME, (), ())
    try:
        try:
            nvrtc.compileProgram(program, options)
        except nvrtc.NVRTCError as error:
            raise KernelCompileError(refusal(shown, options, nvrtc.getProgramLog(program), error)) from None
        code: Any = nvrtc.getCUBIN(program) if exact else nvrtc.getPTX(program)
        return code if isinstance(code, bytes) else code.encode()
    finally:
        nvrtc.destroyProgram(program)


def refusal(shown: str, options: tuple[str, ...], log: str, error: Exception) -> str:
    """What is said of a text that the compiler refuses: all that a report needs."""
    lines = "\n".join(line for line in shown.splitlines() if not line.startswith("#line"))
    return (
        f"{compiler()} refuses a kernel that autodiff wrote ({error}). This is a bug of autodiff: please report it "
        f"with this text. Until then the program runs with jit(..., backend='numpy').\noptions: {' '.join(options)}\n"
        f"{log.strip()}\n{lines}"
    )
