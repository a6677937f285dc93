"""How exactly float32 matrices are multiplied on GPUs."""

from __future__ import annotations

import os
import sys
from typing import Any

from autodiff.trace.source import at_user_line
from autodiff.trace.surroundings import Surrounding, changed, surroundings

LEVELS = ("highest", "high", "medium")

EXACT, DOUBLE = 68, 70
"""cuBLAS's numbers of computations in float32 and float64."""

COMPUTING = {"highest": EXACT, "high": 77, "medium": 75}
"""Its numbers of float32, of float32 with factors rounded to TF32, and to bfloat16."""

_chosen = ["high" if os.environ.get("CUPY_TF32", "0") not in ("", "0") else "highest"]


def get_matmul_precision() -> str:
    """How exactly float32 matrices are multiplied on GPUs: what :func:`set_matmul_precision` said.

    >>> import autodiff
    >>> autodiff.get_matmul_precision()
    'highest'
    """
    return _chosen[0]


def set_matmul_precision(level: str) -> None:
    """Say how exactly float32 matrices are multiplied on GPUs: in products, convolutions, and their gradients.

    Sums are taken in float32 in any case, and what is stored stays float32. Matrices of float64, float16 and bfloat16
    are multiplied as they are. Programs of :func:`jit` that were compiled under another level are compiled again.
    Nothing changes on CPUs.

    Args:
        level: ``"highest"``: factors are float32 numbers. ``"high"``: they are rounded to TF32 (10 bits of mantissa),
            which tensor cores multiply several times as fast. ``"medium"``: they are rounded to bfloat16 (7 bits);
            where CuPy multiplies by itself, outside of ``jit``, to TF32.

    Raises:
        ValueError: if there is no such level.

    >>> import autodiff
    >>> autodiff.set_matmul_precision("high")
    >>> autodiff.set_matmul_precision("highest")
    """
    if level not in LEVELS:
        raise ValueError(
            f"there is no precision {level!r} of products{at_user_line()}; choose from {', '.join(map(repr, LEVELS))}"
        )
    _chosen[0] = level
    tell_cupy(level != "highest")
    changed()


def tell_cupy(rounded: bool) -> None:
    """Make the products that CuPy computes by itself use TF32, or not."""
    os.environ["CUPY_TF32"] = str(int(rounded))  # it reads this once, at its first product
    cupy: Any = sys.modules.get("cupy")
    if cupy is not None and cupy.is_available():
        linalg = cupy._core._routines_linalg
        own = linalg.COMPUTE_TYPE_TF32 if rounded else linalg.COMPUTE_TYPE_DEFAULT
        for dtype in ("float32", "complex64"):
            cupy._core.set_compute_type(dtype, own)


def compute_type(dtype: str, itemsize: int) -> int:
    """cuBLAS's number of the computation of a product.

    Args:
        dtype: in which sums are taken.
        itemsize: of the factors.
    """
    if dtype in ("float64", "complex128"):
        return DOUBLE
    return EXACT if itemsize == 2 else COMPUTING[_chosen[0]]


surroundings.append(Surrounding(("matmul_precision",), lambda: (_chosen[0],), lambda: True))
