"""Linear algebra in the forms that CuPy has."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.arrays import module_of


def adjoint(a: Any) -> Any:
    """The matrices transposed and conjugated."""
    return np.conj(np.swapaxes(a, -1, -2))


def solve(a: Any, b: Any) -> Any:
    """The matrices x with a x = b; leading axes broadcast, which CuPy does not do."""
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if a.shape[:-2] != lead:
        a = np.broadcast_to(a, (*lead, *a.shape[-2:]))
    if b.shape[:-2] != lead:
        b = np.broadcast_to(b, (*lead, *b.shape[-2:]))
    return np.linalg.solve(a, b)


def inv(a: Any, *, singular: bool) -> Any:
    """The inverse matrices; what becomes of singular ones is CuPy's own."""
    return np.linalg.inv(a)


def cholesky(a: Any, *, upper: bool) -> Any:
    """The triangular factors; of a matrix whose upper triangle is read, by its adjoint."""
    return adjoint(np.linalg.cholesky(adjoint(a))) if upper else np.linalg.cholesky(a)


def pinv(a: Any, *, rcond: float | None, hermitian: bool) -> Any:
    """The pseudo-inverses; with ``hermitian`` of the matrices that their lower triangles stand for."""
    if hermitian:
        below = np.tril(a, -1)
        middle = np.where(module_of(a).eye(a.shape[-1], dtype=bool), a, 0)
        a = below + adjoint(below) + (middle + adjoint(middle)) / 2
    return np.linalg.pinv(a) if rcond is None else np.linalg.pinv(a, rcond)


def lstsq(a: Any, b: Any, *, rcond: float | None) -> tuple[Any, ...]:
    """Least-squares solution, squared residuals, rank and singular values, matrix by matrix."""
    module = module_of(a, b)
    if a.ndim > 2:
        results = [lstsq(one, other, rcond=rcond) for one, other in zip(a, b, strict=True)]
        return tuple(np.stack(parts) for parts in zip(*results, strict=True))
    x, residuals, rank, values = np.linalg.lstsq(a, b, rcond)
    return x, residuals, module.asarray(rank).astype(np.int32), values


def size_of(*xs: Any) -> Any:
    """The size of the largest element of matrices that belong together."""
    sizes = [largest(abs(x), (-2, -1)) for x in xs]
    found = sizes[0]
    for size in sizes[1:]:
        found = np.maximum(found, size)
    return found


def largest(x: Any, axes: tuple[int, ...]) -> Any:
    """The largest elements of what is not negative, with axes of length one; 0 of none."""
    if all(x.shape[axis] for axis in axes):
        return x.max(axis=axes, keepdims=True)
    return x.sum(axis=axes, keepdims=True)
