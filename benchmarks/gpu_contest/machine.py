"""Which GPU, driver and CUDA the figures are of."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DRIVER = Path("/proc/driver/nvidia/version")


def machine(cupy: Any, standin: bool) -> dict[str, Any]:
    """What CUDA and the system say of the current device."""
    if standin:
        return {"gpu": "none: the stand-in for CuPy on the CPU", "cupy": cupy.__version__}
    runtime = cupy.cuda.runtime
    said = runtime.getDeviceProperties(runtime.getDevice())
    name = said["name"]
    return {
        "gpu": name.decode() if isinstance(name, bytes) else str(name),
        "capability": f"{said['major']}.{said['minor']}",
        "multiprocessors": said["multiProcessorCount"],
        "memory_bytes": said["totalGlobalMem"],
        "cache_bytes": said["l2CacheSize"],
        "gpus": runtime.getDeviceCount(),
        "driver": driver(),
        "cuda": {"driver": dotted(runtime.driverGetVersion()), "runtime": dotted(runtime.runtimeGetVersion())},
        "nvrtc": ".".join(map(str, cupy.cuda.nvrtc.getVersion())),
        "cupy": cupy.__version__,
    }


def driver() -> str:
    """The driver's own version, as Linux shows it."""
    found = re.search(r"\b\d+\.\d+(\.\d+)?\b", DRIVER.read_text()) if DRIVER.exists() else None
    return found.group() if found else "unknown"


def dotted(number: int) -> str:
    """CUDA's number of a version in its usual form."""
    return f"{number // 1000}.{number % 1000 // 10}"


def told(said: dict[str, Any]) -> str:
    """The same in one line."""
    if "driver" not in said:
        return f"{said['gpu']}, version {said['cupy']}"
    return (
        f"{said['gpu']} (sm_{said['capability'].replace('.', '')}, {said['multiprocessors']} multiprocessors, "
        f"{said['memory_bytes'] / 2**30:.0f} GiB, cache {said['cache_bytes'] / 2**20:.0f} MiB), {said['gpus']} of "
        f"them; driver {said['driver']}, CUDA {said['cuda']['driver']} by the driver, {said['cuda']['runtime']} by "
        f"CuPy {said['cupy']}, NVRTC {said['nvrtc']}"
    )
