"""The key of a kernel on disk: its text, and all that its object code depends on beside.

It must be known without importing Numba, since a process that finds all its kernels never does.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Hashable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from autodiff.backends.native.loading import target

# What has a say in the code of a kernel, and in what proves that it stays within its memory.
SOURCES = ("compiling.py", "language", "llvm", "native/system.py", "native/words.py", "numba", "verifier")

# What Numba reads from the environment and what changes its code.
SETTINGS = (
    "NUMBA_BOUNDSCHECK",
    "NUMBA_CPU_FEATURES",
    "NUMBA_CPU_NAME",
    "NUMBA_DEBUGINFO",
    "NUMBA_DISABLE_INTEL_SVML",
    "NUMBA_ENABLE_AVX",
    "NUMBA_LOOP_VECTORIZE",
    "NUMBA_OPT",
    "NUMBA_SLP_VECTORIZE",
)


def unavailable() -> str:
    """Why no kernel can be compiled or loaded in this environment; empty if it can."""
    missing = [name for name in ("numba", "llvmlite") if find_spec(name) is None]
    return f"{' and '.join(missing)} cannot be found (pip install numba)" if missing else ""


def key(text: str, words: bool, checks: Hashable = None) -> bytes:
    """The key of a kernel: 32 bytes.

    Args:
        text: of the kernel.
        words: in which language it is.
        checks: what its accesses to memory are compared with while it runs; None where they are not.
    """
    kind = b"words" if words else b"numba" if checks is None else repr(checks).encode()
    return digest(b"\0".join([surroundings(), kind, text.encode()]))


def digest(data: bytes) -> bytes:
    """A hash that no two texts share."""
    import hashlib  # noqa: PLC0415 - slow to import, and not needed before the first kernel

    return hashlib.sha256(data).digest()


@functools.cache
def surroundings() -> bytes:
    """A hash of what is the same for all kernels of a process."""
    import llvmlite  # noqa: PLC0415 - an optional extra
    import llvmlite.binding as llvm  # noqa: PLC0415

    machine = target()
    facts = [
        *(f"{name} {os.environ.get(name, '')}" for name in SETTINGS),
        f"llvmlite {llvmlite.__version__} of LLVM {llvm.llvm_version_info}",
        f"NumPy {np.__version__.split('.')[0]} on {sys.implementation.cache_tag}",
        f"{machine.triple} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}",
    ]
    return digest("\n".join(facts).encode() + numba_version() + own_sources())


def numba_version() -> bytes:
    """What Numba's version is written down in."""
    spec = find_spec("numba")
    folder = Path(spec.origin).parent if spec is not None and spec.origin else None
    return b"" if folder is None else (folder / "_version.py").read_bytes()


def own_sources() -> bytes:
    """What makes object code of a text, and what proves that it stays within its memory."""
    backends = Path(__file__).parent.parent
    parts = [backends / name for name in SOURCES]
    files = sorted(file for part in parts for file in ([part] if part.suffix else part.glob("**/*.py")))
    return b"".join(f"\0{file.relative_to(backends)}\0".encode() + file.read_bytes() for file in files)
