"""The pseudo-inverse, and least squares by it."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.elementwise import real
from autodiff.ops.matrices.decompositions import lower, read_from
from autodiff.ops.matrices.diagonal import diagonal
from autodiff.ops.matrices.products import adjoint, check_ndim, conj, matmul, row, swap
from autodiff.ops.matrices.singular import svd
from autodiff.ops.matrices.solve import check_square, linalg_dtype
from autodiff.ops.shape import sum_axes
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import FINITE, FLAG, optional, same
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec, spec_of
from autodiff.trace.tracer import concrete


def _chain(a: Any, b: Any, c: Any) -> Any:
    """The product of three matrices, in the order that multiplies less."""
    (rows, inner), (middle, columns) = spec_of(a).shape[-2:], spec_of(c).shape[-2:]
    first = rows * middle * (inner + columns)
    last = inner * columns * (middle + rows)
    return matmul(matmul(a, b), c) if first < last else matmul(a, matmul(b, c))


def pinv_cotangent(g: Any, a: Any, p: Any) -> Any:
    """The cotangent of matrices from that of their pseudo-inverses ``p``, where the rank does not change nearby."""
    g, ph = conj(g), adjoint(p)
    gh = adjoint(g)
    in_range = _chain(gh, p, ph)
    in_rows = _chain(ph, p, gh)
    total = in_range - matmul(a, matmul(p, in_range)) + in_rows - matmul(matmul(in_rows, p), a)
    return conj(total - _chain(ph, g, ph))


def _pinv_spec(a: Spec, *, rcond: float | None, hermitian: bool) -> Spec:
    return spec((*a.shape[:-2], a.shape[-1], a.shape[-2]), linalg_dtype(a.dtype))


def _evaluate_pinv(a: Any, *, rcond: float | None, hermitian: bool) -> Any:
    return np.linalg.pinv(a, hermitian=hermitian) if rcond is None else np.linalg.pinv(a, rcond, hermitian)


def _pinv_rule(g: Any, a: Any, out: Any, hermitian: bool) -> Any:
    """With ``hermitian`` only one triangle is read; what ``a`` has in the other must not count."""
    if not hermitian:
        return pinv_cotangent(g, a, out)
    lower_half = lower(a, 0.5)
    return conj(read_from(conj(pinv_cotangent(g, lower_half + adjoint(lower_half), out)), "L"))


def _check_pinv(a: Spec, *, rcond: float | None, hermitian: bool) -> None:
    check_ndim(a, 2)
    if hermitian:
        check_square(a)


pinv: Primitive = general(
    "pinv",
    ("a",),
    _evaluate_pinv,
    _pinv_spec,
    {"a": _pinv_rule},
    params={"rcond": optional(FINITE), "hermitian": FLAG},
    check=_check_pinv,
    facts=Facts(cubes=24.0),
)
"""The pseudo-inverses. At a matrix whose rank drops the derivative is that among matrices of its rank: 0 at 0."""


# Least squares.


def _evaluate_lstsq(a: Any, b: Any, *, rcond: float | None) -> tuple[Any, ...]:
    if np.ndim(a) == 2:
        return tuple(np.linalg.lstsq(a, b, rcond))
    if not len(a):
        return tuple(np.zeros(s.shape, s.dtype) for s in _lstsq_spec(spec_of(a), spec_of(b), rcond=rcond))
    results = [_evaluate_lstsq(*pair, rcond=rcond) for pair in zip(a, b, strict=True)]
    return tuple(np.stack(parts) for parts in zip(*results, strict=True))


def _lstsq_spec(a: Spec, b: Spec, *, rcond: float | None) -> tuple[Spec, ...]:
    (rows, columns), sides = a.shape[-2:], b.shape[-1]
    dtype = linalg_dtype(a.dtype, b.dtype)
    real = np.empty(0, dtype).real.dtype
    lead = a.shape[:-2]
    return (
        spec((*lead, columns, sides), dtype),
        spec((*lead, sides if rows > columns else 0), real),
        spec(lead, np.int32, "array" if lead else "scalar"),
        spec((*lead, min(rows, columns)), real),
    )


def _check_full_rank(a: Any, rank: Any) -> None:
    known, full = concrete(rank), min(spec_of(a).shape[-2:])
    if not isinstance(known, Spec) and np.any(known < full):
        raise np.linalg.LinAlgError(
            f"lstsq has no derivative at a matrix of rank {np.min(known)}{at_user_line()}: it needs rank {full}. Drop "
            "dependent columns, add a small multiple of the identity, or use np.linalg.pinv(a) @ b, whose derivative "
            "keeps the rank fixed"
        )


def _nothing(g: Any) -> bool:
    """Whether a cotangent is known to be zero: that of a result that is not used."""
    return isinstance(g, np.ndarray) and not g.any()


def _residual_part(g: Any, a: Any, b: Any, x: Any) -> Any:
    """The cotangent of ``b - a x`` from that of its squared length."""
    return 2 * conj(b - matmul(a, x)) * row(g)


def _lstsq_da(g: Any, a: Any, b: Any, out: Any) -> Any:
    x, residuals, rank, _ = out
    of_x, of_residuals, _, of_values = g
    _check_full_rank(a, rank)
    ct = pinv_cotangent(matmul(of_x, swap(b)), a, pinv(a, rcond=None, hermitian=False))
    if spec_of(residuals).size and not _nothing(of_residuals):
        ct = ct - matmul(_residual_part(of_residuals, a, b, x), swap(x))
    if not _nothing(of_values):
        u, _, vh = svd(a, full=False)
        ct = ct + conj(matmul(u * row(of_values), vh))
    return ct


def _lstsq_db(g: Any, a: Any, b: Any, out: Any) -> Any:
    x, residuals, rank, _ = out
    _check_full_rank(a, rank)
    ct = matmul(swap(pinv(a, rcond=None, hermitian=False)), g[0])
    if spec_of(residuals).size and not _nothing(g[1]):
        ct = ct + _residual_part(g[1], a, b, x)
    return ct


def _lstsq_forward(tangents: Any, values: Any, out: Any, params: Any) -> Any:
    (a, b), (x, residuals, rank, _) = values, out
    da, db = (0 * v if t is None else t for v, t in zip(values, tangents, strict=True))
    _check_full_rank(a, rank)
    p, rest, change = pinv(a, rcond=None, hermitian=False), b - matmul(a, x), db - matmul(da, x)
    turned = matmul(adjoint(da), matmul(adjoint(p), x))
    dx = matmul(p, change + matmul(adjoint(p), matmul(adjoint(da), rest))) + turned - matmul(p, matmul(a, turned))
    u, _, vh = svd(a, full=False)
    moved = matmul(matmul(adjoint(u), da), adjoint(vh))
    lost = sum_axes(real(2 * conj(rest) * change), axes=(-2,)) if spec_of(residuals).size else residuals
    return dx, lost, None, real(diagonal(moved, offset=0))


def _check_lstsq(a: Spec, b: Spec, *, rcond: float | None) -> None:
    check_ndim(a, 2)
    same("the numbers of axes", a.ndim, b.ndim)
    same("the lengths before the last one", a.shape[:-1], b.shape[:-1])


lstsq: Primitive = general(
    "lstsq",
    ("a", "b"),
    _evaluate_lstsq,
    _lstsq_spec,
    {"a": _lstsq_da, "b": _lstsq_db},
    params={"rcond": optional(FINITE)},
    check=_check_lstsq,
    forward=_lstsq_forward,
    facts=Facts(cubes=4.0),
)
"""Least-squares solution, squared residuals, rank and singular values, for matrices ``b``."""
