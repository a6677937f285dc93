"""CUDA C++ becomes code of a GPU: by NVRTC, or from what earlier processes have left on disk.

CuPy's own modules are not used: they flush small numbers to zero.
"""

from __future__ import annotations

import hashlib
from typing import Any

from autodiff.backends import cache as store
from autodiff.backends.cupy.runtime.device import architecture
from autodiff.backends.gpu import require
from autodiff.trace.errors import AutodiffError

OPTIONS = ("--std=c++17", "--fmad=true", "-lineinfo", "--device-as-default-execution-space")
"""No fast mathematics: quotients, roots and small numbers are exact. NVRTC 12 takes lambdas of kernels for host code
unless it is told what is meant."""

NAME = "autodiff_kernels.cu"
"""What the compiler calls the text where no line of the user's is known."""

counts = {"hits": 0, "misses": 0, "compiled": 0}
"""What this process found on disk, did not find there, and compiled."""


class KernelCompileError(AutodiffError, RuntimeError):
    """The compiler refuses a kernel: a bug of autodiff."""


def device_code(source: str, device: int, shown: str = "") -> bytes:
    """The code of a text for a GPU.

    Args:
        source: the text.
        device: the number of the GPU.
        shown: what of it is shown where the compiler refuses it; all of it if empty.

    Raises:
        KernelCompileError: if the compiler refuses the text.
    """
    number, exact = architecture(device)
    options = (*OPTIONS, f"--gpu-architecture={'sm' if exact else 'compute'}_{number}")
    key = hashlib.sha256("\0".join((compiler(), *options, source)).encode()).digest()
    code = store.read(key)
    if code is not None:
        counts["hits"] += 1
        return code
    counts["misses"] += 1
    code = compiled(source, options, exact, shown or source)
    counts["compiled"] += 1
    store.write(key, code)
    return code


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
