"""Determinants of stacks of matrices. Their derivative is made of cofactors, so that a singular matrix has one too."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.elementwise import imag, real, where
from autodiff.ops.matrices.cofactors import cofactor_matrices, cofactor_slopes
from autodiff.ops.matrices.products import column, matmul, swap
from autodiff.ops.matrices.solve import check_square, inv, linalg_dtype
from autodiff.ops.on_chunks.axes import matrices
from autodiff.ops.shape import sum_axes
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import same
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, result_spec, spec, spec_of
from autodiff.trace.values.arrays import module_of


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
    return sum_axes(where(module_of(x).eye(spec_of(x).shape[-1], dtype=bool), x, 0), axes=(-2, -1))


def scaled(factors: Any, matrices: Any) -> Any:
    """One number for each matrix, times the matrix."""
    return column(column(factors)) * matrices if spec_of(factors).shape else factors * matrices


def _check_slope(a: Spec, d: Spec) -> None:
    check_square(a)
    same("the shapes of matrices and directions", a.shape, d.shape)


cofactor_slope: Primitive = general(
    "cofactor_slope",
    ("a", "d"),
    cofactor_slopes,
    lambda a, d: spec(d.shape, d.dtype),
    {"a": _cofactor_slope_da, "d": lambda g, a: cofactor_slope(a, g)},
    check=_check_slope,
)
"""The derivative of the cofactor matrices of ``a`` along ``d``."""

cofactor: Primitive = general(
    "cofactor",
    ("a",),
    cofactor_matrices,
    lambda a: spec(a.shape, a.dtype),
    {"a": lambda g, a: cofactor_slope(a, g)},
    check=check_square,
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
    on_chunks=matrices(2),
    facts=Facts(cubes=2 / 3, new=True),
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
    """The trace of the inverse times the tangent; of a singular matrix infinite where the tangent is there."""
    (da,), (a,) = tangents, values
    slope = sum_axes(da * swap(inv(a, singular=True)), axes=(-2, -1))
    of_sign = out[0] * (1j * imag(slope)) if spec_of(a).dtype.kind == "c" else None
    return of_sign, real(slope)


slogdet: Primitive = general(
    "slogdet",
    ("a",),
    lambda a: tuple(np.linalg.slogdet(a)),
    _slogdet_spec,
    {"a": _slogdet_rule},
    forward=_slogdet_forward,
    facts=Facts(cubes=2 / 3),
)
"""Sign and logarithm of the absolute value of the determinants."""
