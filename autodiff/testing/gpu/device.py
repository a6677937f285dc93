"""Which device, and with which software on it, a run is of."""

from __future__ import annotations

import hashlib
import platform
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import autodiff

DRIVER = Path("/proc/driver/nvidia/version")
PEERS = ("ml_dtypes", "torch", "jax", "nvidia-cudnn-frontend", "nvmath-python")


def described(cupy: Any, standin: bool) -> dict[str, Any]:
    """The current device, the versions of what runs on it, and the code of autodiff."""
    runtime = cupy.cuda.runtime
    said = runtime.getDeviceProperties(runtime.getDevice())
    name = said["name"]
    return {
        "gpu": "none: the stand-in for CuPy" if standin else name.decode() if isinstance(name, bytes) else str(name),
        "capability": f"{said['major']}.{said['minor']}",
        "multiprocessors": said["multiProcessorCount"],
        "memory": said["totalGlobalMem"],
        "driver": driver(),
        "CUDA of the driver": dotted(runtime.driverGetVersion()),
        "CUDA of CuPy": dotted(runtime.runtimeGetVersion()),
        "NVRTC": ".".join(map(str, cupy.cuda.nvrtc.getVersion())),
        "CuPy": cupy.__version__,
        "NumPy": np.__version__,
        "Python": platform.python_version(),
        "autodiff": f"{autodiff.__version__} ({code()})",
        **{name: found for name in PEERS if (found := installed(name))},
    }


def installed(name: str) -> str:
    """The version of a package; empty if there is none."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def driver() -> str:
    """The driver's own version, as Linux shows it."""
    found = re.search(r"\b\d+\.\d+(\.\d+)?\b", DRIVER.read_text()) if DRIVER.exists() else None
    return found.group() if found else "unknown"


def dotted(number: int) -> str:
    """CUDA's number of a version in its usual form."""
    return f"{number // 1000}.{number % 1000 // 10}"


@cache
def code() -> str:
    """A short name of the text of autodiff, so that figures of two states of it are not taken for one."""
    root = Path(autodiff.__file__).parent
    text = hashlib.sha256()
    for path in sorted((*root.rglob("*.py"), *root.rglob("*.cu"), *root.rglob("*.h"))):
        text.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return text.hexdigest()[:12]
