"""Products and equations with sparse matrices: the pattern is constant, the entries are an array like any other."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import scipy.sparse

from autodiff.ops.matrices.products import batch_of, check_ndim
from autodiff.ops.on_gpu.special import refused
from autodiff.trace.primitive import Primitive, general, multilinear
from autodiff.trace.spec import Spec, broadcast_shapes, spec


class Pattern:
    """Where a sparse matrix has entries.

    Args:
        rows: the row of each entry.
        columns: its column; entries in one place are added.
        shape: of the matrix.
        base: the pattern of which this one is the transpose.
    """

    def __init__(self, rows: Any, columns: Any, shape: tuple[int, int], base: Pattern | None = None) -> None:
        self.rows = np.asarray(rows, np.intp)
        self.columns = np.asarray(columns, np.intp)
        self.shape = shape
        self.base = base
        self._transpose: Pattern | None = base
        self._factor: tuple[Any, Any] | None = None

    @property
    def transpose(self) -> Pattern:
        """The same entries with rows and columns exchanged."""
        if self._transpose is None:
            self._transpose = Pattern(self.columns, self.rows, (self.shape[1], self.shape[0]), self)
        return self._transpose

    def matrix(self, data: Any) -> Any:
        """A matrix of SciPy's with these entries."""
        return scipy.sparse.csc_array((data, (self.rows, self.columns)), shape=self.shape)

    def solve(self, data: Any, b: Any) -> Any:
        """The solution of equations; the last factors are kept, and serve the transposed equations too."""
        owner = self if self.base is None else self.base
        if owner._factor is None or not np.array_equal(owner._factor[0], data):
            from scipy.sparse.linalg import splu  # noqa: PLC0415 - takes long to import, and is rarely needed

            try:
                factor = splu(owner.matrix(data).tocsc())
            except RuntimeError as error:
                raise np.linalg.LinAlgError(f"a sparse matrix of the shape {self.shape} is singular") from error
            owner._factor = (np.array(data), factor)
        dtype = np.result_type(data, b)
        b, trans = np.asarray(b, dtype), "N" if owner is self else "T"
        if dtype.kind == "c" and np.asarray(data).dtype.kind != "c":  # SuperLU casts no numbers to real ones
            return owner._factor[1].solve(b.real, trans) + 1j * owner._factor[1].solve(b.imag, trans)
        return owner._factor[1].solve(b, trans)


def _looped(function: Any, first: Any, second: Any, cores: tuple[int, int], shape: tuple[int, ...]) -> Any:
    """A function of arrays with so many axes each, whose results have a shape, on stacks of them."""
    lead = broadcast_shapes(first.shape[: first.ndim - cores[0]], second.shape[: second.ndim - cores[1]])
    if not lead:
        return function(first, second)
    own = [x.shape[x.ndim - core :] for x, core in zip((first, second), cores, strict=True)]
    if not prod(lead):
        return np.zeros((*lead, *shape), np.result_type(first, second))
    stacks = [
        np.broadcast_to(x, (*lead, *core)).reshape(prod(lead), *core)
        for x, core in zip((first, second), own, strict=True)
    ]
    return np.stack([function(a, b) for a, b in zip(*stacks, strict=True)]).reshape(*lead, *shape)


def _product(data: Any, x: Any, *, pattern: Pattern) -> Any:
    return _looped(lambda d, x: pattern.matrix(d) @ x, data, x, (1, 2), (pattern.shape[0], x.shape[-1]))


def _product_spec(data: Spec, x: Spec, *, pattern: Pattern) -> Spec:
    check_ndim(data, 1)
    check_ndim(x, 2)
    if x.shape[-2] != pattern.shape[1]:
        raise ValueError(f"a matrix of the shape {pattern.shape} cannot multiply {x.shape[-2]} rows")
    lead = broadcast_shapes(data.shape[:-1], x.shape[:-2])
    return spec((*lead, pattern.shape[0], x.shape[-1]), np.result_type(data.dtype, x.dtype))


def _sampled(left: Any, x: Any, *, pattern: Pattern) -> Any:
    def entries(a: Any, b: Any) -> Any:
        return np.einsum("ek,ek->e", a[pattern.rows], b[pattern.columns])

    return _looped(entries, left, x, (2, 2), (pattern.rows.size,))


def _sampled_spec(left: Spec, x: Spec, *, pattern: Pattern) -> Spec:
    check_ndim(left, 2)
    check_ndim(x, 2)
    lead = broadcast_shapes(left.shape[:-2], x.shape[:-2])
    return spec((*lead, pattern.rows.size), np.result_type(left.dtype, x.dtype))


sparse_product: Primitive = multilinear(
    "sparse_product",
    ("data", "x"),
    _product,
    _product_spec,
    {
        "data": lambda g, x, pattern: sampled_product(g, x, pattern=pattern),
        "x": lambda g, data, pattern: sparse_product(data, g, pattern=pattern.transpose),
    },
    batch=batch_of(lambda: sparse_product, 1, 2),
    params=None,
    on_gpu=refused("sparse_product"),
)
"""A sparse matrix times a matrix."""

sampled_product: Primitive = multilinear(
    "sampled_product",
    ("left", "x"),
    _sampled,
    _sampled_spec,
    {
        "left": lambda g, x, pattern: sparse_product(g, x, pattern=pattern),
        "x": lambda g, left, pattern: sparse_product(g, left, pattern=pattern.transpose),
    },
    batch=batch_of(lambda: sampled_product, 2, 2),
    params=None,
    on_gpu=refused("sampled_product"),
)
"""The entries of left x^T at the places of a pattern."""


def _solve(data: Any, b: Any, *, pattern: Pattern) -> Any:
    return _looped(pattern.solve, data, b, (1, 2), b.shape[-2:])


def _solve_forward(tangents: Any, values: Any, out: Any, params: Any) -> Any:
    moved, right = tangents
    if moved is not None:
        change = sparse_product(moved, out, **params)
        right = -change if right is None else right - change
    return sparse_solve(values[0], right, **params)


sparse_solve: Primitive = general(
    "sparse_solve",
    ("data", "b"),
    _solve,
    _product_spec,
    {
        "data": lambda g, data, out, pattern: (
            -sampled_product(sparse_solve(data, g, pattern=pattern.transpose), out, pattern=pattern)
        ),
        "b": lambda g, data, pattern: sparse_solve(data, g, pattern=pattern.transpose),
    },
    forward=_solve_forward,
    batch=batch_of(lambda: sparse_solve, 1, 2),
    params=None,
    on_gpu=refused("sparse_solve"),
)
"""The solution of equations with a square sparse matrix, by SuperLU; one factorization serves both directions."""
