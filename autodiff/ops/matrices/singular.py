"""Singular values and singular vectors of stacks of matrices.

As with eigenvectors, the derivatives of vectors divide by the gaps between values: see
:mod:`autodiff.ops.matrices.gauge`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.elementwise import where
from autodiff.ops.matrices.decompositions import thin
from autodiff.ops.matrices.diagonal import square_from_diagonal
from autodiff.ops.matrices.gauge import drop_gauge, equal_pairs, fixed_turn, gaps, size_of, zero_columns, zero_pairs
from autodiff.ops.matrices.products import adjoint, check_ndim, column, conj, matmul, row
from autodiff.ops.matrices.solve import linalg_dtype, real_dtype
from autodiff.ops.on_chunks.axes import matrices
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import FLAG
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, spec, spec_of


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


def _svd_rule(g: Any, out: Any) -> Any:
    u, s, vh = out
    inner = spec_of(s).shape[-1]
    thin_u, of_u = thin("svd", u, conj(g[0]), inner)
    thin_v, of_v = thin("svd", adjoint(vh), adjoint(conj(g[2])), inner)
    return conj(_svd_core(thin_u, s, thin_v, of_u, g[1], of_v, size_of(g[0], g[2])))


svdvals: Primitive = general(
    "svdvals",
    ("a",),
    lambda a: np.linalg.svd(a, compute_uv=False),
    _svdvals_spec,
    {"a": _svdvals_rule},
    check=lambda a: check_ndim(a, 2),
    on_chunks=matrices(2),
    facts=Facts(cubes=8 / 3),
)
"""Singular values, the largest first."""

svd: Primitive = general(
    "svd",
    ("a",),
    lambda a, *, full: tuple(np.linalg.svd(a, full_matrices=full)),
    _svd_spec,
    {"a": _svd_rule},
    params={"full": FLAG},
    check=lambda a, *, full: check_ndim(a, 2),
    facts=Facts(cubes=22.0),
)
"""Left singular vectors, singular values, and right singular vectors conjugated and transposed."""
