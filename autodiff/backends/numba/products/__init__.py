"""Products of matrices, printed as LLVM instructions where the text of a kernel asks for them.

Those of small matrices know all sizes; those of large ones are made of panels. Importing this package imports neither
what prints them nor Numba; `intrinsics` does.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autodiff.backends.numba.products.machine import Machine


@functools.cache
def intrinsics(machine: Machine | None = None) -> dict[str, Any]:
    """The names of products in the text of a kernel, for a processor; that for which Numba compiles if None."""
    from autodiff.backends.numba.products import intrinsic, large  # noqa: PLC0415 - only where kernels are compiled

    return {**intrinsic.intrinsics(machine), **large.intrinsics(machine)}


__all__ = ["intrinsics"]
