"""Functions of matrices, such as exponential and logarithm, and equations in matrices.

Of any function of matrices f([[A, E], [0, A]]) has f(A) on its diagonal and the derivative along E in its corner. So
one operation is closed under differentiation, whichever function it is.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import scipy.linalg

from autodiff.ops.index import slice_of
from autodiff.ops.join import joined
from autodiff.ops.matrices.decompositions import last_columns
from autodiff.ops.matrices.products import check_ndim, matmul, swap
from autodiff.ops.matrices.solve import check_square, linalg_dtype
from autodiff.ops.on_gpu.special import refused
from autodiff.trace.parameters import one_of
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, broadcast_shapes, spec, spec_of
from autodiff.trace.values.arrays import module_of

NAMES = ("expm", "logm", "sqrtm", "sinm", "cosm", "sinhm", "coshm", "signm")

NOISE = 1e-3
"""A real function of a real matrix has no larger imaginary part, even where its eigenvalues come in blocks."""


def one_by_one(function: Any, *stacks: Any) -> Any:
    """A function of matrices on each of a stack."""
    if all(x.ndim == 2 for x in stacks):
        return function(*stacks)
    lead = broadcast_shapes(*(x.shape[:-2] for x in stacks))
    count = prod(lead)
    full = [np.broadcast_to(x, (*lead, *x.shape[-2:])).reshape(count, *x.shape[-2:]) for x in stacks]
    parts = [function(*matrices) for matrices in zip(*full, strict=True)]
    if not parts:
        return np.zeros((*lead, *stacks[-1].shape[-2:]), np.result_type(*stacks))
    return np.reshape(np.stack(parts), (*lead, *parts[0].shape))


def _evaluate(a: Any, *, name: str) -> Any:
    a = np.asarray(a, linalg_dtype(a.dtype))
    found = one_by_one(getattr(scipy.linalg, name), a)
    if found.dtype.kind == "c" and a.dtype.kind == "f":
        if np.abs(found.imag).max(initial=0) > NOISE * np.abs(found).max(initial=0):
            raise ValueError(f"{name} of this real matrix is complex; pass a complex matrix, a.astype(complex)")
        found = found.real
    return found.astype(a.dtype, copy=False)


def _spec(a: Spec, *, name: str) -> Spec:
    check_square(a)
    return spec(a.shape, linalg_dtype(a.dtype))


def derivative_along(a: Any, e: Any, name: str) -> Any:
    """The derivative of a function of matrices at ``a`` along ``e``, which is linear in ``e``."""
    if name == "sqrtm":
        root = matrix_function(a, name=name)
        return solve_sylvester(root, root, e)
    size = spec_of(a).shape[-1]
    zero = module_of(a).zeros(spec_of(a).shape, dtype=spec_of(a).dtype)
    whole = joined(joined(a, e, axis=-1), joined(zero, a, axis=-1), axis=-2)
    corner = last_columns(matrix_function(whole, name=name), size)
    return slice_of(corner, key=((None, size, None), (None, None, None)))


matrix_function: Primitive = general(
    "matrix_function",
    ("a",),
    _evaluate,
    _spec,
    {"a": lambda g, a, name: derivative_along(swap(a), g, name)},
    forward=lambda tangents, values, out, params: derivative_along(values[0], tangents[0], params["name"]),
    params={"name": one_of(*NAMES)},
    check=lambda a, *, name: check_ndim(a, 2),
    on_gpu=refused("a function of matrices"),
)
"""A function of square matrices, by SciPy's name for it. Of real matrices the result is real, or an error."""


def _sylvester_spec(a: Spec, b: Spec, q: Spec) -> Spec:
    check_square(a)
    check_square(b)
    if q.shape[-2:] != (a.shape[-1], b.shape[-1]):
        raise ValueError(f"q has the shape {q.shape[-2:]}; a and b need {(a.shape[-1], b.shape[-1])}")
    lead = broadcast_shapes(a.shape[:-2], b.shape[:-2], q.shape[:-2])
    return spec((*lead, *q.shape[-2:]), linalg_dtype(a.dtype, b.dtype, q.dtype))


def _solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    dtype = linalg_dtype(a.dtype, b.dtype, q.dtype)
    return one_by_one(scipy.linalg.solve_sylvester, a, b, q).astype(dtype, copy=False)


def _check_sylvester(a: Spec, b: Spec, q: Spec) -> None:
    for x in (a, b, q):
        check_ndim(x, 2)


def _back(g: Any, a: Any, b: Any) -> Any:
    return solve_sylvester(swap(a), swap(b), g)


def _sylvester_forward(tangents: Any, values: Any, out: Any) -> Any:
    da, db, dq = tangents
    right = dq
    if da is not None:
        right = -matmul(da, out) if right is None else right - matmul(da, out)
    if db is not None:
        right = -matmul(out, db) if right is None else right - matmul(out, db)
    return solve_sylvester(values[0], values[1], right)


solve_sylvester: Primitive = general(
    "solve_sylvester",
    ("a", "b", "q"),
    _solve_sylvester,
    _sylvester_spec,
    {
        "a": lambda g, a, b, out: -matmul(_back(g, a, b), swap(out)),
        "b": lambda g, a, b, out: -matmul(swap(out), _back(g, a, b)),
        "q": lambda g, a, b: _back(g, a, b),
    },
    forward=lambda tangents, values, out, params: _sylvester_forward(tangents, values, out),
    check=_check_sylvester,
    on_gpu=refused("solve_sylvester"),
)
"""The matrices x with a x + x b = q."""
