"""Products of vectors and matrices.

Three primitives share the work as three functions of BLAS do, so that values keep the bits that NumPy gives them:
:data:`matmul` for stacks of matrices, :data:`matvec` for matrices times vectors, :data:`dot` for ``np.dot`` and all
that NumPy builds on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.ops.elementwise import conjugate
from autodiff.ops.on_chunks import products
from autodiff.ops.on_chunks.itself import itself
from autodiff.ops.shape import reshape, sum_to, transpose
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import require
from autodiff.trace.primitive import Primitive, multilinear
from autodiff.trace.spec import Spec, broadcast_shapes, result_spec, spec_of

Shape = tuple[int, ...]


def of_matrices(given: Sequence[Spec], out: Spec, params: dict[str, Any]) -> float:
    """Multiplications of a product of matrices or vectors."""
    return out.size * given[0].shape[-1]


def swap(x: Any) -> Any:
    """The matrices transposed."""
    return transpose(x, axes=(-1, -2))


def conj(x: Any) -> Any:
    """The complex conjugate; real values as they are."""
    return conjugate(x) if spec_of(x).dtype.kind == "c" else x


def adjoint(x: Any) -> Any:
    """The matrices transposed and conjugated."""
    return conj(swap(x))


def column(x: Any) -> Any:
    """Vectors as matrices of one column."""
    return reshape(x, shape=(*spec_of(x).shape, 1))


def row(x: Any) -> Any:
    """Vectors as matrices of one row."""
    shape = spec_of(x).shape
    return reshape(x, shape=(*shape[:-1], 1, shape[-1]))


def shaped(x: Any, shape: Shape) -> Any:
    """``x`` in another shape, where it does not have it already."""
    return x if spec_of(x).shape == shape else reshape(x, shape=shape)


def aligned(values: Sequence[Any], batched: Sequence[bool], cores: Sequence[int]) -> list[Any]:
    """Operands of which each has so many core axes, ready to broadcast their leading axes example by example."""
    leads = [spec_of(v).ndim - b - core for v, b, core in zip(values, batched, cores, strict=True)]
    rank = max(leads)
    return [
        reshape(v, shape=(v.shape[0], *(1,) * (rank - lead), *v.shape[1:])) if b and lead < rank else v
        for v, b, lead in zip(values, batched, leads, strict=True)
    ]


def batch_of(find: Callable[[], Primitive], *cores: int) -> Callable[..., Any]:
    """The batching rule of an operation on so many last axes of each operand that broadcasts all others."""

    def batch(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
        return find()(*aligned(values, batched, cores), **params)

    return batch


# Stacks of matrices.


def check_inner(first: int, second: int) -> None:
    """Refuse operands whose axes that are summed together differ."""
    if first != second:
        raise ValueError(f"the inner lengths {first} and {second} differ; they must be equal")


def check_ndim(x: Spec, least: int, most: int | None = None) -> None:
    """Refuse an operand with too few axes, or too many."""
    wanted = f"{least}" if most == least else f"{least} or more" if most is None else f"{least} to {most}"
    require(least <= x.ndim and (most is None or x.ndim <= most), f"an operand has {x.ndim} axes, and needs {wanted}")


def _check_matmul(x: Spec, y: Spec) -> None:
    check_ndim(x, 2)
    check_ndim(y, 2)


def _check_linear_map(x: Spec, w: Spec) -> None:
    check_ndim(x, 2, 2)
    check_ndim(w, 2, 2)


def _check_matvec(x: Spec, v: Spec) -> None:
    check_ndim(x, 2)
    check_ndim(v, 1)


def _check_dot(x: Spec, y: Spec) -> None:
    check_ndim(x, 1)
    check_ndim(y, 1)


def _matmul_spec(x: Spec, y: Spec) -> Spec:
    check_inner(x.shape[-1], y.shape[-2])
    lead = broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return result_spec((*lead, x.shape[-2], y.shape[-1]), np.result_type(x.dtype, y.dtype))


def swapped_spec(x: Spec) -> Spec:
    """The spec of the matrices transposed."""
    return result_spec((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)


def _rows(x: Any) -> Any:
    """A stack of matrices as one, with the rows of all of them."""
    shape = spec_of(x).shape
    return reshape(x, shape=(prod(shape[:-1]), shape[-1]))


def _matmul_dy(g: Any, x: Any, y_spec: Spec) -> Any:
    """Of one matrix that multiplies a whole stack the cotangent is one product, not a stack of them to be summed."""
    if y_spec.ndim == 2 and spec_of(x).ndim > 2:
        return matmul(swap(_rows(x)), _rows(g))
    return sum_to(matmul(swap(x), g), y_spec.shape)


def _matmul_dx(g: Any, y: Any, x_spec: Spec) -> Any:
    if x_spec.ndim == 2 and spec_of(y).ndim > 2:
        return matmul(swap(_rows(swap(g))), _rows(swap(y)))
    return sum_to(matmul(g, swap(y)), x_spec.shape)


matmul: Primitive = multilinear(
    "matmul",
    ("x", "y"),
    np.matmul,
    _matmul_spec,
    {"x": _matmul_dx, "y": _matmul_dy},
    check=_check_matmul,
    batch=batch_of(lambda: matmul, 2, 2),
    on_chunks=itself,
    facts=Facts(multiplications=of_matrices, label="MatMul"),
)
"""Matrix product of operands with at least two axes each; leading axes broadcast."""


linear_map: Primitive = multilinear(
    "linear_map",
    ("x", "w"),
    lambda x, w: np.matmul(x, w.T),
    lambda x, w: _matmul_spec(x, swapped_spec(w)),
    {"x": lambda g, w: matmul(g, w), "w": lambda g, x: matmul(swap(g), x)},
    check=_check_linear_map,
    batch=lambda values, batched, params: matmul(values[0], swap(values[1])),
    on_chunks=products.linear_map,
    facts=Facts(multiplications=of_matrices),
)
"""The rows of a matrix multiplied by another one: x w^T.

As a composition the cotangent of w would be a transposed matrix, and a copy of it would take as long as the product.
"""


# Matrices times vectors.


def _evaluate_matvec(x: Any, v: Any) -> Any:
    return np.matmul(x, v) if np.ndim(v) == 1 else np.matmul(x, v[..., None])[..., 0]


def _matvec_spec(x: Spec, v: Spec) -> Spec:
    check_inner(x.shape[-1], v.shape[-1])
    lead = broadcast_shapes(x.shape[:-2], v.shape[:-1])
    return result_spec((*lead, x.shape[-2]), np.result_type(x.dtype, v.dtype))


def _batch_matvec(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    x, v = values
    if not batched[0] and spec_of(x).ndim == v.ndim == 2:  # one matrix, many vectors
        return matmul(v, swap(x))
    return matvec(*aligned(values, batched, (2, 1)))


matvec: Primitive = multilinear(
    "matvec",
    ("x", "v"),
    _evaluate_matvec,
    _matvec_spec,
    {
        "x": lambda g, v, x_spec: sum_to(column(g) * row(v), x_spec.shape),
        "v": lambda g, x, v_spec: sum_to(matvec(swap(x), g), v_spec.shape),
    },
    check=_check_matvec,
    batch=_batch_matvec,
    on_chunks=itself,
    facts=Facts(multiplications=of_matrices),
)
"""Matrix times vector; leading axes broadcast."""


# np.dot.


def _inner_axis(y: Spec) -> int:
    """The axis of the second operand along which np.dot sums."""
    return -1 if y.ndim == 1 else -2


def _dot_spec(x: Spec, y: Spec) -> Spec:
    axis = _inner_axis(y) % y.ndim
    check_inner(x.shape[-1], y.shape[axis])
    return result_spec((*x.shape[:-1], *y.shape[:axis], *y.shape[axis + 1 :]), np.result_type(x.dtype, y.dtype))


def _inner_first(y: Any) -> Any:
    """The second operand of np.dot as a matrix whose rows are numbered by the axis that is summed."""
    ndim = spec_of(y).ndim
    if ndim > 2:
        y = transpose(y, axes=(-2, *range(-ndim, -2), -1))
    shape = spec_of(y).shape
    return shaped(y, (shape[0], prod(shape[1:])))


def _dot_dx(g: Any, y: Any, x_spec: Spec) -> Any:
    if x_spec.ndim == spec_of(y).ndim == 1:
        return g * y
    rows = _inner_first(y)
    return shaped(matmul(shaped(g, (prod(x_spec.shape[:-1]), rows.shape[1])), swap(rows)), x_spec.shape)


def _dot_dy(g: Any, x: Any, y_spec: Spec) -> Any:
    if y_spec.ndim == spec_of(x).ndim == 1:
        return g * x
    shape, ndim = y_spec.shape, y_spec.ndim
    own = spec_of(x).shape
    count, length = prod(own[:-1]), own[-1]
    others = shape[1:] if ndim == 1 else (*shape[:-2], shape[-1])
    ct = matmul(swap(shaped(x, (count, length))), shaped(g, (count, prod(others))))
    if ndim <= 2:
        return shaped(ct, shape)
    return transpose(reshape(ct, shape=(length, *others)), axes=(*range(1 - ndim, -1), -ndim, -1))


def _batch_dot(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    """The product of matrices that np.dot is, of which either may belong to a batch."""
    x, y = values
    size = (x if batched[0] else y).shape[0]
    lead_x, lead_y = ((size,) if b else () for b in batched)
    own_x, own_y = (spec_of(v).shape[int(b) :] for v, b in zip(values, batched, strict=True))
    rank = len(own_y)
    if rank > 2:
        y = transpose(y, axes=(-2, *range(-rank, -2), -1))
    others = own_y[1:] if rank == 1 else (*own_y[:-2], own_y[-1])
    left = shaped(x, (*lead_x, prod(own_x[:-1]), own_x[-1]))
    right = shaped(y, (*lead_y, own_x[-1], prod(others)))
    return shaped(matmul(left, right), (size, *own_x[:-1], *others))


dot: Primitive = multilinear(
    "dot",
    ("x", "y"),
    np.dot,
    _dot_spec,
    {"x": _dot_dx, "y": _dot_dy},
    check=_check_dot,
    batch=_batch_dot,
    on_chunks=itself,
    facts=Facts(multiplications=of_matrices),
)
"""Sum over the last axis of ``x`` and the last but one of ``y`` (or its only one), as ``np.dot`` does."""
