"""Linear equations and inverses of stacks of matrices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from autodiff.ops.matrices.cofactors import cofactor_matrices
from autodiff.ops.matrices.products import batch_of, check_ndim, matmul, swap
from autodiff.ops.on_chunks.axes import matrices
from autodiff.ops.shape import sum_to
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import FLAG
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, broadcast_shapes, spec


def linalg_dtype(*dtypes: Any) -> np.dtype[Any]:
    """The dtype in which NumPy does linear algebra: single or double precision."""
    for dtype in dtypes:
        if dtype.kind in "fc" and dtype.char not in "fdFD":
            raise TypeError(f"array type {dtype.name} is unsupported in linalg")
    return np.result_type(*(dtype if dtype.kind in "fc" else np.float64 for dtype in dtypes))


def real_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype of the absolute values of numbers of a dtype."""
    return np.empty(0, dtype).real.dtype


def check_square(x: Spec) -> None:
    """Refuse what is not made of square matrices."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError(f"the last two axes have the lengths {x.shape[-2:]}; they must be square")


# Equations.


def _solve_spec(a: Spec, b: Spec) -> Spec:
    check_square(a)
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"{a.shape[-1]} equations have {b.shape[-2]} right-hand sides; they must be as many")
    lead = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return spec((*lead, *b.shape[-2:]), linalg_dtype(a.dtype, b.dtype))


solve: Primitive = general(
    "solve",
    ("a", "b"),
    np.linalg.solve,
    _solve_spec,
    {
        "a": lambda g, a, out, a_spec: sum_to(-matmul(solve(swap(a), g), swap(out)), a_spec.shape),
        "b": lambda g, a, b_spec: sum_to(solve(swap(a), g), b_spec.shape),
    },
    check=lambda a, b: check_ndim(b, 2),
    forward=lambda tangents, values, out, params: _solve_forward(tangents, values, out),
    batch=batch_of(lambda: solve, 2, 2),
    on_chunks=matrices(2, 2),
    facts=Facts(cubes=2 / 3, new=True),
)
"""The matrices x with a x = b; b has at least two axes, leading axes broadcast."""


def _solve_forward(tangents: Any, values: Any, out: Any) -> Any:
    da, db = tangents
    right = db if da is None else -matmul(da, out) if db is None else db - matmul(da, out)
    return solve(values[0], right)


# Inverses.


def _evaluate_inv(a: Any, *, singular: bool) -> Any:
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        if not singular:
            raise
    one_by_one = [_inverse_limit(matrix) for matrix in np.reshape(a, (prod(a.shape[:-2]), *a.shape[-2:]))]
    return np.reshape(np.stack(one_by_one), a.shape)


def _inverse_limit(a: Any) -> Any:
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        with np.errstate(all="ignore"):
            return np.swapaxes(cofactor_matrices(a), -1, -2) / np.zeros((), a.dtype).real


def _inv_spec(a: Spec, *, singular: bool) -> Spec:
    check_square(a)
    return spec(a.shape, linalg_dtype(a.dtype))


inv: Primitive = general(
    "inv",
    ("a",),
    _evaluate_inv,
    _inv_spec,
    {"a": lambda g, out: -matmul(swap(out), matmul(g, swap(out)))},
    params={"singular": FLAG},
    forward=lambda tangents, values, out, params: -matmul(out, matmul(tangents[0], out)),
    on_chunks=matrices(2),
    facts=Facts(cubes=2.0, new=True),
)
"""The inverse matrices. With ``singular``, of a singular matrix its infinite limit in place of an error."""
