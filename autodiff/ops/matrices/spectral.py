"""Eigenvalues and eigenvectors of stacks of matrices.

Derivatives of vectors divide by the gaps between values. For equal values that term is taken as zero, with a
:class:`~autodiff.ops.matrices.gauge.GaugeWarning` where the result depends on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.elementwise import real, where
from autodiff.ops.matrices.decompositions import read_from
from autodiff.ops.matrices.diagonal import diagonal, square_from_diagonal
from autodiff.ops.matrices.gauge import drop_gauge, equal_pairs, fixed_turn, gaps, size_of
from autodiff.ops.matrices.products import adjoint, column, conj, matmul, row
from autodiff.ops.matrices.solve import check_square, linalg_dtype, real_dtype, solve
from autodiff.ops.on_chunks.axes import matrices
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import one_of
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, spec, spec_of
from autodiff.trace.values.arrays import module_of

# Hermitian matrices.


TRIANGLE = one_of("L", "U")


def _eigvalsh_spec(a: Spec, *, triangle: str) -> Spec:
    check_square(a)
    return spec(a.shape[:-1], real_dtype(linalg_dtype(a.dtype)))


def _eigh_spec(a: Spec, *, triangle: str) -> tuple[Spec, Spec]:
    return _eigvalsh_spec(a, triangle=triangle), spec(a.shape, linalg_dtype(a.dtype))


def _between(v: Any, middle: Any) -> Any:
    return matmul(v, matmul(middle, adjoint(v)))


def _eigvalsh_rule(g: Any, a: Any, triangle: str) -> Any:
    v = eigh(a, triangle=triangle)[1]
    return conj(read_from(matmul(v * row(g), adjoint(v)), triangle))


def _eigh_rule(g: Any, out: Any, triangle: str) -> Any:
    w, v = out
    equal = equal_pairs(w)
    turned = fixed_turn(matmul(adjoint(v), conj(g[1])), equal, size_of(g[1]), "eigh") / gaps(w, equal)
    return conj(read_from(_between(v, square_from_diagonal(g[0]) + turned), triangle))


eigvalsh: Primitive = general(
    "eigvalsh",
    ("a",),
    lambda a, *, triangle: np.linalg.eigvalsh(a, triangle),
    _eigvalsh_spec,
    {"a": _eigvalsh_rule},
    params={"triangle": TRIANGLE},
    on_chunks=matrices(2),
    facts=Facts(cubes=4 / 3),
)
"""Eigenvalues of Hermitian matrices, of which one triangle is read."""

eigh: Primitive = general(
    "eigh",
    ("a",),
    lambda a, *, triangle: tuple(np.linalg.eigh(a, triangle)),
    _eigh_spec,
    {"a": _eigh_rule},
    params={"triangle": TRIANGLE},
    facts=Facts(cubes=9.0),
)
"""Eigenvalues and eigenvectors of Hermitian matrices, of which one triangle is read."""


# Any square matrices. Results are complex, whatever the matrix.


def complex_dtype(dtype: Any) -> np.dtype[Any]:
    """The complex dtype of the precision in which NumPy works."""
    return np.result_type(linalg_dtype(dtype), np.complex64)


def _evaluate_eig(a: Any) -> tuple[Any, Any]:
    w, v = np.linalg.eig(a)
    dtype = complex_dtype(a.dtype)
    return w.astype(dtype), v.astype(dtype)


def _eigvals_spec(a: Spec) -> Spec:
    check_square(a)
    return spec(a.shape[:-1], complex_dtype(a.dtype))


def _eig_rule(g: Any, out: Any) -> Any:
    """The vectors have length one, which keeps the change of each from growing along itself."""
    (w, v), (of_w, of_v) = out, (conj(part) for part in g)
    size = spec_of(v).shape[-1]
    mine = matmul(adjoint(v), of_v)
    kept = real(diagonal(mine, offset=0))
    across = mine - matmul(adjoint(v), v) * row(kept)
    equal = equal_pairs(w)
    turned = drop_gauge(across, equal, size_of(of_v), part="columns", name="eig") / conj(gaps(w, equal))
    middle = where(module_of(mine).eye(size, dtype=bool), square_from_diagonal(of_w), turned)
    return conj(solve(adjoint(v), matmul(middle, adjoint(v))))


def _eigvals_rule(g: Any, a: Any) -> Any:
    v = eig(a)[1]
    return conj(solve(adjoint(v), column(conj(g)) * adjoint(v)))


eigvals: Primitive = general(
    "eigvals",
    ("a",),
    lambda a: np.linalg.eigvals(a).astype(complex_dtype(a.dtype)),
    _eigvals_spec,
    {"a": _eigvals_rule},
    facts=Facts(cubes=10.0),
)
"""Eigenvalues as complex numbers."""

eig: Primitive = general(
    "eig",
    ("a",),
    _evaluate_eig,
    lambda a: (_eigvals_spec(a), spec(a.shape, complex_dtype(a.dtype))),
    {"a": _eig_rule},
    facts=Facts(cubes=25.0),
)
"""Eigenvalues and eigenvectors as complex numbers."""
