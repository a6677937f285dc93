"""Why CuPy, which is installed, finds no GPU."""

from __future__ import annotations

from typing import Any

INSUFFICIENT_DRIVER, NO_DEVICE = 35, 100
"""CUDA's numbers of a driver that is older than the libraries, and of a machine without a GPU."""


def reason_without_gpu(cupy: Any) -> str:
    """Why CuPy, which is installed, cannot be used here.

    Args:
        cupy: the module.
    """
    runtime = cupy.cuda.runtime
    try:
        count = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        if error.status == INSUFFICIENT_DRIVER:
            return driver_text(cupy)
        if error.status == NO_DEVICE:
            return "CuPy is installed but finds no GPU"
        return f"CuPy is installed but CUDA says: {error}"
    return "CuPy is installed but finds no GPU" if count == 0 else "CuPy is installed but cannot use its GPU"


def driver_text(cupy: Any) -> str:
    """What is said of a driver that is too old, or missing: CUDA does not tell the two apart."""
    runtime = cupy.cuda.runtime
    driver, needed = runtime.driverGetVersion(), runtime.runtimeGetVersion()
    if not driver:
        return "CuPy is installed but there is no driver for a GPU"
    return (
        f"the driver of the GPU knows CUDA {version(driver)}, but CuPy was built for CUDA {version(needed)}: update "
        f"the driver, or install a CuPy for CUDA {driver // 1000}"
    )


def version(number: int) -> str:
    """A version as CUDA counts it, in words: 12080 is 12.8."""
    return f"{number // 1000}.{number % 1000 // 10}"
