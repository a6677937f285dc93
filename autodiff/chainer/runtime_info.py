"""What a report of a problem should say about versions."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TextIO

PACKAGES = ("autodiff", "numpy", "scipy", "cupy", "cupy-cuda12x", "cupy-cuda13x", "numba")


def print_runtime_info(out: TextIO | None = None) -> None:
    """Print the versions of the platform, of Python and of the packages that matter.

    Args:
        out: where to; standard output if None.
    """
    print(f"Platform: {platform.platform()}\nPython: {platform.python_version()}", file=out or sys.stdout)
    for name in PACKAGES:
        print(f"{name}: {installed(name)}", file=out or sys.stdout)


def installed(name: str) -> str:
    """The version of an installed package."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "Not Available"
