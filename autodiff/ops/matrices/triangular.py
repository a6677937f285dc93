"""Equations with triangular matrices, and triangular factors with pivots."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import scipy.linalg

from autodiff.ops.elementwise import where
from autodiff.ops.matrices.functions import one_by_one
from autodiff.ops.matrices.products import batch_of, check_ndim, column, matmul, swap
from autodiff.ops.matrices.solve import check_square, linalg_dtype
from autodiff.ops.matrices.substitution import solved
from autodiff.ops.on_gpu.special import refused
from autodiff.ops.reductions.sort import pick
from autodiff.ops.shape import broadcast_to, sum_to
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import FLAG
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, broadcast_shapes, spec, spec_of
from autodiff.trace.values.arrays import module_of


def triangle(x: Any, lower: bool, unit: bool = False) -> Any:
    """One triangle of matrices, without the diagonal where that is ``unit``."""
    rows, columns = spec_of(x).shape[-2:]
    module = module_of(x)
    if lower:
        return where(module.tri(rows, columns, -1 if unit else 0, dtype=bool), x, 0)
    return where(module.tri(rows, columns, 0 if unit else -1, dtype=bool), 0, x)


def _evaluate_solve(a: Any, b: Any, *, lower: bool, transposed: bool, unit: bool) -> Any:
    dtype = linalg_dtype(a.dtype, b.dtype)

    def solve(a: Any, b: Any) -> Any:
        if not unit and not np.all(np.diagonal(a)):  # elimination exchanges rows, and may leave rounding there
            raise np.linalg.LinAlgError("Singular matrix")
        whole = np.swapaxes(a, 0, 1) if transposed else a
        return solved(whole, b, lower != transposed, unit)

    return one_by_one(solve, np.asarray(a, dtype), np.asarray(b, dtype))


def _solve_spec(a: Spec, b: Spec, *, lower: bool, transposed: bool, unit: bool) -> Spec:
    check_square(a)
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"{a.shape[-1]} equations have {b.shape[-2]} right-hand sides; they must be as many")
    lead = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return spec((*lead, *b.shape[-2:]), linalg_dtype(a.dtype, b.dtype))


def _solve_da(g: Any, a: Any, out: Any, a_spec: Spec, lower: bool, transposed: bool, unit: bool) -> Any:
    back = solve_triangular(a, g, lower=lower, transposed=not transposed, unit=unit)
    whole = -matmul(out, swap(back)) if transposed else -matmul(back, swap(out))
    return triangle(sum_to(whole, a_spec.shape), lower, unit)


def _solve_forward(tangents: Any, values: Any, out: Any, params: Any) -> Any:
    da, db = tangents
    right = db
    if da is not None:
        moved = triangle(da, params["lower"], params["unit"])
        moved = matmul(swap(moved) if params["transposed"] else moved, out)
        right = -moved if db is None else db - moved
    return solve_triangular(values[0], right, **params)


solve_triangular: Primitive = general(
    "solve_triangular",
    ("a", "b"),
    _evaluate_solve,
    _solve_spec,
    {
        "a": _solve_da,
        "b": lambda g, a, b_spec, lower, transposed, unit: sum_to(
            solve_triangular(a, g, lower=lower, transposed=not transposed, unit=unit), b_spec.shape
        ),
    },
    params={"lower": FLAG, "transposed": FLAG, "unit": FLAG},
    check=lambda a, b, **params: check_ndim(b, 2),
    forward=_solve_forward,
    batch=batch_of(lambda: solve_triangular, 2, 2),
    on_gpu=refused("solve_triangular"),
    facts=Facts(cubes=1.0, new=True),
)
"""The matrices x with a x = b, of whose ``a`` one triangle is read; with ``unit`` its diagonal is one."""


def _evaluate_lu(a: Any) -> tuple[Any, Any]:
    a = np.asarray(a, linalg_dtype(a.dtype))
    stack = a.reshape(prod(a.shape[:-2]), *a.shape[-2:])
    pairs = [scipy.linalg.lu_factor(matrix) for matrix in stack]
    factors = np.stack([pair[0] for pair in pairs]) if pairs else np.zeros_like(stack)
    pivots = np.array([pair[1] for pair in pairs], np.int32).reshape(*a.shape[:-1])
    return factors.reshape(a.shape), pivots


def _lu_spec(a: Spec) -> tuple[Spec, Spec]:
    check_square(a)
    return spec(a.shape, linalg_dtype(a.dtype)), spec(a.shape[:-1], np.int32)


def _lu_rule(g: Any, out: Any) -> Any:
    """The factors satisfy l u = p a, where l has a unit diagonal."""
    factors, pivots = out
    ct = g[0]
    of_l = triangle(matmul(swap(_unit_lower(factors)), triangle(ct, True, unit=True)), True, unit=True)
    of_u = triangle(matmul(triangle(ct, False), swap(triangle(factors, False))), False)
    left = solve_triangular(factors, of_l + of_u, lower=True, transposed=True, unit=True)
    whole = swap(solve_triangular(factors, swap(left), lower=False, transposed=False, unit=False))
    return permuted_rows(whole, permutation(pivots, inverse=True))


def _unit_lower(factors: Any) -> Any:
    return triangle(factors, True, unit=True) + module_of(factors).eye(spec_of(factors).shape[-1])


lu_factor: Primitive = general(
    "lu_factor", ("a",), _evaluate_lu, _lu_spec, {"a": _lu_rule}, on_gpu=refused("lu_factor")
)
"""Both triangular factors in one matrix, and the rows with which each row was exchanged."""


def _evaluate_permutation(pivots: Any, *, inverse: bool) -> Any:
    flat = np.reshape(pivots, (prod(pivots.shape[:-1]), pivots.shape[-1]))
    orders: Any = np.empty(flat.shape, np.intp)
    for order, row in zip(orders, flat, strict=True):
        own: Any = np.arange(row.size)
        for place, other in enumerate(row):
            own[[place, other]] = own[[other, place]]
        order[:] = np.argsort(own) if inverse else own
    return orders.reshape(pivots.shape)


permutation: Primitive = general(
    "permutation_of_pivots",
    ("pivots",),
    _evaluate_permutation,
    lambda pivots, *, inverse: spec(pivots.shape, np.intp),
    {},
    params={"inverse": FLAG},
    check=lambda pivots, *, inverse: check_ndim(pivots, 1),
)
"""The order into which exchanges of rows bring these, or its inverse."""


def permuted_rows(x: Any, order: Any) -> Any:
    """Matrices with their rows in another order."""
    return pick(x, broadcast_to(column(order), shape=spec_of(x).shape), axis=-2)
