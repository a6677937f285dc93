"""One triangular system of equations, by substitution.

The library that NumPy brings for its products does it, where it can be found beside NumPy: NumPy itself has no function
for that. SciPy's has threads of its own, and those of both wait for each other: many times as long. Other builds of
NumPy, on Apple's Accelerate for example, get it by blocks, from NumPy alone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

SIDE = 64
"""The side of blocks on the diagonal, each of which is solved by elimination."""

BY_ROWS, FROM_THE_LEFT, UPPER, LOWER, AS_IT_IS, TRANSPOSED, WHOLE, UNIT = 101, 141, 121, 122, 111, 112, 131, 132
"""What BLAS' interface for C calls orders, sides, triangles and diagonals."""

FOLDERS = ("numpy.libs", "numpy/.dylibs")
"""Where wheels of NumPy have its libraries."""


def solved(a: Any, b: Any, lower: bool, unit: bool) -> Any:
    """The solution x of a x = b.

    Args:
        a: a matrix with no zero on the diagonal, of which one triangle is read.
        b: right-hand sides, a matrix of the same dtype: float32, float64, complex64 or complex128.
        lower: whether the triangle is the lower one.
        unit: whether the diagonal counts as ones.
    """
    function = of_blas(a.dtype.char)
    if function is None or not b.size:
        return by_blocks(a, b, lower, unit)
    turned = a.flags.f_contiguous and not a.flags.c_contiguous
    matrix = a.T if turned else np.ascontiguousarray(a)
    out = np.array(b, order="C")
    triangle = LOWER if lower != turned else UPPER
    way, diagonal = TRANSPOSED if turned else AS_IT_IS, UNIT if unit else WHOLE
    rows, columns = out.shape
    one = ONE[a.dtype.char]
    function(
        BY_ROWS, FROM_THE_LEFT, triangle, way, diagonal, rows, columns, one,
        matrix.ctypes.data, rows, out.ctypes.data, columns,
    )  # fmt: skip
    return out


_COMPLEX = {char: np.ones((), char) for char in "FD"}
ONE: dict[str, Any] = {"f": 1.0, "d": 1.0, **{char: one.ctypes.data for char, one in _COMPLEX.items()}}
"""The factor of the right-hand sides, as BLAS takes it: complex ones by their address."""


@cache
def of_blas(char: str) -> Callable[..., None] | None:
    """BLAS' function for a dtype; None where NumPy's library is not found."""
    library = numpy_library()
    letter = {"f": "s", "d": "d", "F": "c", "D": "z"}[char]
    function = getattr(library, f"scipy_cblas_{letter}trsm64_", None) if library is not None else None
    if function is None:
        return None
    number = {"f": ctypes.c_float, "d": ctypes.c_double}.get(char, ctypes.c_void_p)
    size, place = ctypes.c_int64, ctypes.c_void_p
    function.argtypes = [*(ctypes.c_int,) * 5, size, size, number, place, size, place, size]
    function.restype = None
    found: Callable[..., None] = function
    return found


@cache
def numpy_library() -> ctypes.CDLL | None:
    """The library of linear algebra that came with NumPy, which is loaded already; None where there is none."""
    site = Path(np.__file__).parent.parent
    for path in (path for folder in FOLDERS for path in sorted(site.glob(f"{folder}/libscipy_openblas64*"))):
        return ctypes.CDLL(str(path))
    return None


def by_blocks(a: Any, b: Any, lower: bool, unit: bool) -> Any:
    """The same with NumPy alone: halves of the matrix, and elimination where they are small."""
    n = len(a)
    if n <= SIDE:
        own = np.tril(a) if lower else np.triu(a)
        if unit:
            np.fill_diagonal(own, 1)
        return np.linalg.solve(own, b)
    half = -(-n // (2 * SIDE)) * SIDE
    first, last = slice(0, half), slice(half, n)
    here, there = (first, last) if lower else (last, first)
    out = np.empty_like(b, order="C")
    out[here] = by_blocks(a[here, here], b[here], lower, unit)
    out[there] = by_blocks(a[there, there], b[there] - a[there, here] @ out[here], lower, unit)
    return out
