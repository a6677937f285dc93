"""Linear equations, inverses and determinants of stacks of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.elementwise import equal, imag, real, where
from autodiff.ops.linalg import batch_of, column, matmul, swap
from autodiff.ops.shape import sum_axes, sum_to
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, result_spec, spec, spec_of


def linalg_dtype(*dtypes: Any) -> np.dtype[Any]:
    """The dtype in which NumPy does linear algebra: single or double precision."""
    for dtype in dtypes:
        if dtype.kind in "fc" and dtype.char not in "fdFD":
            raise TypeError(f"array type {dtype.name} is unsupported in linalg")
    return np.result_type(*(dtype if dtype.kind in "fc" else np.float64 for dtype in dtypes))


def check_square(x: Spec) -> None:
    """Refuse what is not made of square matrices."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError(f"the last two axes have the lengths {x.shape[-2:]}; they must be square")


# Equations.


def _solve_spec(a: Spec, b: Spec) -> Spec:
    check_square(a)
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"{a.shape[-1]} equations have {b.shape[-2]} right-hand sides; they must be as many")
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
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
    forward=lambda tangents, values, out, params: _solve_forward(tangents, values, out),
    batch=batch_of(lambda: solve, 2, 2),
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
    one_by_one = [_inverse_limit(matrix) for matrix in np.reshape(a, (-1, *a.shape[-2:]))]
    return np.reshape(np.stack(one_by_one), a.shape)


def _inverse_limit(a: Any) -> Any:
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        with np.errstate(all="ignore"):
            return np.swapaxes(_evaluate_cofactor(a), -1, -2) / np.zeros((), a.dtype).real


def _inv_spec(a: Spec, *, singular: bool) -> Spec:
    check_square(a)
    return spec(a.shape, linalg_dtype(a.dtype))


inv: Primitive = general(
    "inv",
    ("a",),
    _evaluate_inv,
    _inv_spec,
    {"a": lambda g, out: -matmul(swap(out), matmul(g, swap(out)))},
    forward=lambda tangents, values, out, params: -matmul(out, matmul(tangents[0], out)),
)
"""The inverse matrices. With ``singular``, of a singular matrix its infinite limit in place of an error."""


# Determinants.


def _factors(a: Any) -> tuple[Any, Any, Any, Any]:
    """Singular value decomposition of square matrices, and the determinant of its unitary part."""
    finite = np.isfinite(a).all((-2, -1), keepdims=True)
    u, s, vh = np.linalg.svd(np.where(finite, a, 0), full_matrices=False)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    return np.where(finite, u, np.nan), s, vh, sign[..., None, None]


def _products_without(s: Any, count: int) -> Any:
    """Products of the values but one, or but two (zero where these two are one and the same)."""
    size = s.shape[-1]
    left_out = np.eye(size, dtype=bool)
    if count == 2:
        left_out = left_out[:, None] | left_out
    spread = s.reshape((*s.shape[:-1], *(1,) * count, size))
    products = np.where(left_out, 1, spread).prod(-1)
    return products if count == 1 else np.where(np.eye(size, dtype=bool), 0, products)


def _evaluate_cofactor(a: Any) -> Any:
    u, s, vh, sign = _factors(a)
    return (sign * np.matmul(np.conj(u) * _products_without(s, 1)[..., None, :], np.conj(vh))).astype(a.dtype)


def _evaluate_cofactor_slope(a: Any, d: Any) -> Any:
    u, s, vh, sign = _factors(a)
    inner = np.matmul(np.swapaxes(u.conj(), -1, -2), np.matmul(d, np.swapaxes(vh.conj(), -1, -2)))
    without = _products_without(s, 2)
    main = np.matmul(without, np.diagonal(inner, 0, -2, -1)[..., None])
    middle = main * np.eye(s.shape[-1], dtype=s.dtype) - without * np.swapaxes(inner, -1, -2)
    return (sign * np.matmul(np.conj(u), np.matmul(middle, np.conj(vh)))).astype(d.dtype)


def _cofactor_slope_da(g: Any, a: Any, d: Any) -> Any:
    """The third derivative of the determinant, for regular matrices: by its formula with inverses."""
    inverse = inv(a, singular=False)
    first, second = matmul(inverse, d), matmul(inverse, g)
    one, two, both = trace(first), trace(second), trace(matmul(first, second))
    third = (
        scaled(one * two - both, inverse)
        - scaled(one, matmul(second, inverse))
        - scaled(two, matmul(first, inverse))
        + matmul(matmul(first, second) + matmul(second, first), inverse)
    )
    return swap(scaled(det(a), third))


def trace(x: Any) -> Any:
    """Sums of the diagonals of matrices."""
    return sum_axes(where(np.eye(spec_of(x).shape[-1], dtype=bool), x, 0), axes=(-2, -1))


def scaled(factors: Any, matrices: Any) -> Any:
    """One number for each matrix, times the matrix."""
    return column(column(factors)) * matrices if spec_of(factors).shape else factors * matrices


cofactor_slope: Primitive = general(
    "cofactor_slope",
    ("a", "d"),
    _evaluate_cofactor_slope,
    lambda a, d: spec(d.shape, d.dtype),
    {"a": _cofactor_slope_da, "d": lambda g, a: cofactor_slope(a, g)},
)
"""The derivative of the cofactor matrices of ``a`` along ``d``."""

cofactor: Primitive = general(
    "cofactor",
    ("a",),
    _evaluate_cofactor,
    lambda a: spec(a.shape, a.dtype),
    {"a": lambda g, a: cofactor_slope(a, g)},
)
"""The matrices of cofactors: the derivative of the determinant, of singular matrices as well."""


def _det_spec(a: Spec) -> Spec:
    check_square(a)
    return result_spec(a.shape[:-2], linalg_dtype(a.dtype))


det: Primitive = general(
    "det",
    ("a",),
    np.linalg.det,
    _det_spec,
    {"a": lambda g, a: scaled(g, cofactor(a))},
)
"""The determinants."""


def _slogdet_spec(a: Spec) -> tuple[Spec, Spec]:
    dtype = _det_spec(a).dtype
    lead = a.shape[:-2]
    return result_spec(lead, dtype), result_spec(lead, np.empty(0, dtype).real.dtype)


def _slogdet_rule(g: Any, a: Any, out: Any) -> Any:
    """Of a real matrix the sign is constant; of a complex one it turns as the imaginary part of log det grows."""
    of_sign, of_log = g
    if spec_of(a).dtype.kind == "c":
        of_log = of_log + 1j * imag(of_sign * out[0])
    return scaled(of_log, swap(inv(a, singular=True)))


def _slogdet_forward(tangents: Any, values: Any, out: Any, params: Any) -> Any:
    """The trace of the inverse times the tangent; of a singular matrix infinite where the tangent is not zero."""
    (da,), (a,) = tangents, values
    slope = sum_axes(where(equal(da, 0), 0, da * swap(inv(a, singular=True))), axes=(-2, -1))
    of_sign = out[0] * (1j * imag(slope)) if spec_of(a).dtype.kind == "c" else None
    return of_sign, real(slope)


slogdet: Primitive = general(
    "slogdet",
    ("a",),
    lambda a: tuple(np.linalg.slogdet(a)),
    _slogdet_spec,
    {"a": _slogdet_rule},
    forward=_slogdet_forward,
)
"""Sign and logarithm of the absolute value of the determinants."""
