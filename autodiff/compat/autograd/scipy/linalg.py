"""scipy.linalg for plain and traced values alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as _scipy

import autodiff.scipy.linalg as _own
from autodiff.compat.autograd.rules import defvjp, primitive

__all__ = [name for name in dir(_scipy) if not name.startswith("_")]


@primitive
def solve_banded(l_and_u: tuple[int, int], a: Any, b: Any, **options: Any) -> Any:
    """scipy.linalg.solve_banded: the solution of equations with a banded matrix."""
    return _scipy.solve_banded(l_and_u, a, b, **options)


def transposed(l_and_u: tuple[int, int], a: Any) -> Any:
    """The bands of the transposed matrix."""
    low, high = l_and_u
    size = np.shape(a)[1]
    rows = [
        np.roll(a[high - d], -d) for d in range(-low, high + 1)
    ]  # the diagonal d of the matrix is -d of its transpose
    inside = [(np.arange(size) + d >= 0) & (np.arange(size) + d < size) for d in range(-low, high + 1)]
    return np.stack([np.where(mask, row, 0) for mask, row in zip(inside, rows, strict=True)])


def solve_transposed(ans: Any, l_and_u: tuple[int, int], a: Any, g: Any) -> Any:
    """The solution of the transposed equations."""
    low, high = l_and_u
    return solve_banded((high, low), transposed(l_and_u, a), g)


def by_bands(ans: Any, l_and_u: tuple[int, int], a: Any, b: Any, **options: Any) -> Callable[[Any], Any]:
    """The cotangent of the bands: those of the outer product of both solutions."""
    low, high = l_and_u

    def pull(g: Any) -> Any:
        w, x = (np.reshape(part, (np.shape(a)[1], -1)) for part in (solve_transposed(ans, l_and_u, a, g), ans))
        rows = []
        for d in range(high, -low - 1, -1):
            row = np.sum(np.roll(w, d, axis=0) * x, axis=1)
            inside = (np.arange(np.shape(a)[1]) - d >= 0) & (np.arange(np.shape(a)[1]) - d < np.shape(a)[1])
            rows.append(np.where(inside, -row, 0))
        return np.stack(rows)

    return pull


defvjp(
    solve_banded,
    None,
    by_bands,
    lambda ans, l_and_u, a, b, **options: lambda g: solve_transposed(ans, l_and_u, a, g),
)


def __getattr__(name: str) -> object:
    return getattr(_own, name)
