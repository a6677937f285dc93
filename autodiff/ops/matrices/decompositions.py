"""Triangular decompositions: Cholesky and QR."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.elementwise import where
from autodiff.ops.index import slice_of
from autodiff.ops.join import joined
from autodiff.ops.matrices.gauge import fixed_turn, size_of
from autodiff.ops.matrices.products import adjoint, check_ndim, conj, matmul, swap
from autodiff.ops.matrices.solve import check_square, linalg_dtype, real_dtype, solve
from autodiff.ops.on_chunks.axes import matrices
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import FLAG, one_of
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, spec, spec_of
from autodiff.trace.values.arrays import module_of


def lower(x: Any, diagonal: float) -> Any:
    """The lower triangles of matrices, their diagonals multiplied by a number."""
    shape = spec_of(x).shape[-2:]
    module = module_of(x)
    halved = where(module.eye(*shape, dtype=bool), diagonal * x, x)
    return where(module.tri(*shape, dtype=bool), halved, 0)


def first_columns(x: Any, count: int) -> Any:
    """The columns of matrices before a given one."""
    return slice_of(x, key=((None, count, None),))


def first_rows(x: Any, count: int) -> Any:
    """The rows of matrices before a given one."""
    return slice_of(x, key=((None, count, None), (None, None, None)))


def last_columns(x: Any, start: int) -> Any:
    """The columns of matrices from a given one on."""
    return slice_of(x, key=((start, None, None),))


def thin(name: str, u: Any, of_u: Any, inner: int) -> tuple[Any, Any]:
    """The first columns of a unitary matrix, and their cotangent, to which that of the others is brought.

    A unitary matrix turns by a skew one: where the others turn, the first ones turn against them. Among themselves
    the others are free.
    """
    size = spec_of(u).shape[-1]
    if size == inner:
        return u, of_u
    module = module_of(u, of_u)
    later = module.arange(size) >= inner
    free = module.broadcast_to(later & later[:, None], spec_of(u).shape)
    turn = fixed_turn(matmul(adjoint(u), of_u), free, size_of(of_u), name, "turn")
    twice = module.where(later, 2, 1)[:, None].astype(real_dtype(spec_of(u).dtype))
    return first_columns(u, inner), matmul(u, first_columns(turn, inner) * twice)


def twice_hermitian(x: Any) -> Any:
    """Matrices plus their adjoints."""
    return x + adjoint(x)


def read_from(x: Any, triangle: str) -> Any:
    """The cotangent of the one triangle that is read, from that of the whole Hermitian matrix.

    Nothing is sent to the other triangle, since NumPy never looks at it.
    """
    whole = twice_hermitian(x)
    return lower(whole, 0.5) if triangle == "L" else swap(lower(swap(whole), 0.5))


def _cholesky_spec(a: Spec, *, upper: bool) -> Spec:
    check_square(a)
    return spec(a.shape, linalg_dtype(a.dtype))


def _cholesky_rule(g: Any, out: Any, upper: bool) -> Any:
    factor, ct = (adjoint(out), swap(g)) if upper else (out, conj(g))
    inverse_of = adjoint(factor)
    middle = lower(matmul(inverse_of, ct), 0.5)
    whole = adjoint(solve(inverse_of, adjoint(solve(inverse_of, middle))))
    return conj(read_from(whole, "U" if upper else "L"))


cholesky: Primitive = general(
    "cholesky",
    ("a",),
    lambda a, *, upper: np.linalg.cholesky(a, upper=upper),
    _cholesky_spec,
    {"a": _cholesky_rule},
    params={"upper": FLAG},
    on_chunks=matrices(2),
    facts=Facts(cubes=1 / 3, new=True),
)
"""The triangular matrices L with L L* = a (U* U = a with ``upper``). One triangle of ``a`` is read, and only that
gets a cotangent."""


# QR.


def _qr_spec(a: Spec, *, mode: str) -> tuple[Spec, Spec]:
    rows, columns = a.shape[-2:]
    inner = rows if mode == "complete" else min(rows, columns)
    dtype = linalg_dtype(a.dtype)
    return spec((*a.shape[:-2], rows, inner), dtype), spec((*a.shape[:-2], inner, columns), dtype)


def _qr_tall(of_q: Any, of_r: Any, q: Any, r: Any) -> Any:
    """The cotangent of a matrix with at least as many rows as columns; r is square."""
    middle = lower(matmul(r, adjoint(of_r)) - matmul(adjoint(of_q), q), 0.5)
    return adjoint(solve(r, adjoint(of_q + matmul(q, twice_hermitian(middle)))))


def _qr_rule(g: Any, out: Any) -> Any:
    """Of a wide matrix the first columns determine q, and the others are q times those of r.

    Of a tall one the columns determine as many of q. Others are any basis of what is orthogonal to them.
    """
    (q, r), (of_q, of_r) = out, (conj(part) for part in g)
    rows, columns = spec_of(r).shape[-2:]
    if rows > columns:
        first, of_first = thin("qr", q, of_q, columns)
        return conj(_qr_tall(of_first, first_rows(of_r, columns), first, first_rows(r, columns)))
    if rows == columns:
        return conj(_qr_tall(of_q, of_r, q, r))
    a_later, of_later = matmul(q, last_columns(r, rows)), last_columns(of_r, rows)
    ct_first = _qr_tall(of_q + matmul(a_later, adjoint(of_later)), first_columns(of_r, rows), q, first_columns(r, rows))
    return conj(joined(ct_first, matmul(q, of_later), axis=-1))


qr: Primitive = general(
    "qr",
    ("a",),
    lambda a, *, mode: tuple(np.linalg.qr(a, mode=mode)),
    _qr_spec,
    {"a": _qr_rule},
    params={"mode": one_of("reduced", "complete")},
    check=lambda a, *, mode: check_ndim(a, 2),
    facts=Facts(cubes=4 / 3),
)
"""Orthonormal columns and an upper triangle whose product is ``a``; its first columns must be independent."""
