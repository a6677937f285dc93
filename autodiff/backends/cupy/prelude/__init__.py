"""What the text of all kernels stands on: CUDA C++ that NVRTC compiles, and a host compiler with a shim."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

PARTS = (
    "types", "half", "fast", "mathematics", "digamma", "scipy", "packs", "reductions",
    "places", "gathering", "atomics", "scans", "sorting", "scattering", "moving", "windows", "positions", "philox",
)  # fmt: skip
"""The files of the prelude, each of which may use those before it."""


@cache
def prelude(*parts: str) -> str:
    """The text of the prelude.

    Args:
        parts: further files that a kernel needs besides those that all kernels do.
    """
    here = files(__package__)
    return "\n".join(here.joinpath(f"{part}.cuh").read_text(encoding="utf-8") for part in (*PARTS, *parts))
