"""Eigenvalues, eigenvectors and singular values of stacks of matrices.

Derivatives of vectors divide by the gaps between values. For equal values that term is taken as zero, with a
:class:`~autodiff.ops.gauge.GaugeWarning` where the result depends on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.decompositions import first_columns, read_from
from autodiff.ops.diagonal import diagonal, square_from_diagonal
from autodiff.ops.elementwise import real, where
from autodiff.ops.gauge import drop_gauge, equal_pairs, fixed_turn, gaps, size_of, zero_columns, zero_pairs
from autodiff.ops.linalg import adjoint, column, conj, matmul, row
from autodiff.ops.solve import check_square, linalg_dtype, solve
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, spec, spec_of


def real_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype of the absolute values of numbers of a dtype."""
    return np.empty(0, dtype).real.dtype


# Hermitian matrices.


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
)
"""Eigenvalues of Hermitian matrices, of which one triangle is read."""

eigh: Primitive = general(
    "eigh",
    ("a",),
    lambda a, *, triangle: tuple(np.linalg.eigh(a, triangle)),
    _eigh_spec,
    {"a": _eigh_rule},
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
    middle = where(np.eye(size, dtype=bool), square_from_diagonal(of_w), turned)
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
)
"""Eigenvalues as complex numbers."""

eig: Primitive = general(
    "eig",
    ("a",),
    _evaluate_eig,
    lambda a: (_eigvals_spec(a), spec(a.shape, complex_dtype(a.dtype))),
    {"a": _eig_rule},
)
"""Eigenvalues and eigenvectors as complex numbers."""


# Singular values.


def _svdvals_spec(a: Spec) -> Spec:
    return spec((*a.shape[:-2], min(a.shape[-2:])), real_dtype(linalg_dtype(a.dtype)))


def _svd_spec(a: Spec, *, full: bool) -> tuple[Spec, Spec, Spec]:
    rows, columns = a.shape[-2:]
    inner = min(rows, columns)
    lead, dtype = a.shape[:-2], linalg_dtype(a.dtype)
    return (
        spec((*lead, rows, rows if full else inner), dtype),
        _svdvals_spec(a),
        spec((*lead, columns if full else inner, columns), dtype),
    )


def _svdvals_rule(g: Any, a: Any) -> Any:
    u, _, vh = svd(a, full=False)
    return conj(matmul(u * row(g), vh))


def _outside(of_u: Any, u: Any, s: Any) -> Any:
    """What of the cotangent of the left vectors leads out of their span, divided by the values."""
    rest = of_u - matmul(u, matmul(adjoint(u), of_u))
    zero = zero_columns(s)
    return drop_gauge(rest, zero, size_of(of_u), part="columns", name="svd") / where(zero, 1, row(s))


def _svd_core(u: Any, s: Any, v: Any, of_u: Any, of_s: Any, of_v: Any, size: Any) -> Any:
    """The cotangent of thin factors u, s, v with u s v* = a.

    The sum of both turns is divided by the differences of the values, their difference by the sums.
    """
    mine, other = matmul(adjoint(u), of_u), matmul(adjoint(v), of_v)
    equal, zero = equal_pairs(s), zero_pairs(s)
    together = fixed_turn(mine + other, equal, size, "svd") / gaps(s, equal)
    against = fixed_turn(mine - other, zero, size, "svd") / where(zero, 1, row(s) + column(s))
    ct = matmul(matmul(u, square_from_diagonal(of_s) + together + against), adjoint(v))
    (rows, inner), columns = spec_of(u).shape[-2:], spec_of(v).shape[-2]
    if rows > inner:
        ct = ct + matmul(_outside(of_u, u, s), adjoint(v))
    if columns > inner:
        ct = ct + matmul(u, adjoint(_outside(of_v, v, s)))
    return ct


def _thin(u: Any, of_u: Any, inner: int) -> tuple[Any, Any]:
    """The first columns of a unitary matrix, and their cotangent, to which that of the others is brought.

    A unitary matrix turns by a skew one: where the others turn, the first ones turn against them. Among themselves
    the others are free.
    """
    size = spec_of(u).shape[-1]
    if size == inner:
        return u, of_u
    later = np.arange(size) >= inner
    free = np.broadcast_to(later & later[:, None], spec_of(u).shape)
    turn = fixed_turn(matmul(adjoint(u), of_u), free, size_of(of_u), "svd", "turn")
    twice = np.where(later, 2, 1)[:, None].astype(real_dtype(spec_of(u).dtype))
    return first_columns(u, inner), matmul(u, first_columns(turn, inner) * twice)


def _svd_rule(g: Any, out: Any) -> Any:
    u, s, vh = out
    inner = spec_of(s).shape[-1]
    thin_u, of_u = _thin(u, conj(g[0]), inner)
    thin_v, of_v = _thin(adjoint(vh), adjoint(conj(g[2])), inner)
    return conj(_svd_core(thin_u, s, thin_v, of_u, g[1], of_v, size_of(g[0], g[2])))


svdvals: Primitive = general(
    "svdvals",
    ("a",),
    lambda a: np.linalg.svd(a, compute_uv=False),
    _svdvals_spec,
    {"a": _svdvals_rule},
)
"""Singular values, the largest first."""

svd: Primitive = general(
    "svd",
    ("a",),
    lambda a, *, full: tuple(np.linalg.svd(a, full_matrices=full)),
    _svd_spec,
    {"a": _svd_rule},
)
"""Left singular vectors, singular values, and right singular vectors conjugated and transposed."""
