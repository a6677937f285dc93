"""Products of vectors, matrices and arrays, and Python's ``@``."""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from autodiff.numpy.arrays.outline import permuted
from autodiff.numpy.axes import negative_axis
from autodiff.numpy.dispatch import WITH_AXIS, as_operand, as_strong_operand, implements, write_outs, write_whole
from autodiff.numpy.statistics.reductions import total
from autodiff.ops.matrices.cross import cross as cross_product
from autodiff.ops.matrices.diagonal import diagonal
from autodiff.ops.matrices.products import column, conj, row, shaped, swap
from autodiff.ops.matrices.products import dot as dot_product
from autodiff.ops.matrices.products import matmul as matrix_product
from autodiff.ops.matrices.products import matvec as matrix_vector
from autodiff.ops.shape import reshape
from autodiff.trace.errors import DifferentiationError, LeafError, OperandError
from autodiff.trace.fast_path import OPERANDS, binary
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import is_chunked, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.arrays import on_gpu
from autodiff.trace.values.deferring import left_to_other
from autodiff.trace.values.leaves import as_leaf

FORWARD, REFLECTED = binary(matrix_product, operator.matmul)
FACTORS = (*OPERANDS, list, tuple)
"""What ``@`` takes on its other side; what is no matrix is refused with an error of its own."""


def shape_of(x: Any) -> tuple[int, ...]:
    """The lengths of the axes of a value."""
    return spec_of(x).shape


def finished(result: Any, out: Any) -> Any:
    """A result, written into the array given as ``out=``, which has its shape."""
    return result if out is None else write_whole(out, result)


# Matrix products.


@implements(np.matmul, np.linalg.matmul)
def matmul(x1: Any, x2: Any) -> Any:
    """The matrix product; a vector on the left is a row, on the right a column."""
    x1, x2 = as_operand(x1), as_operand(x2)
    left, right = spec_of(x1).ndim, spec_of(x2).ndim
    if left == 0 or right == 0:
        raise OperandError(
            f"matmul got operands of {left} and {right} axes{at_user_line()}; both need one at least. Multiply numbers "
            "by *"
        )
    if right > 1:
        return matrix_product(x1, x2) if left > 1 else matrix_vector(swap(x2), x1)
    return matrix_vector(x1, x2) if left > 1 else dot_product(x1, x2)


def _times(x: Tracer, y: Any) -> Any:
    if isinstance(y, (np.ndarray, Traced)) and y.ndim == x.ndim == 2:
        return FORWARD(x, y)
    if not (isinstance(y, FACTORS) or on_gpu(y) or is_chunked(y)):
        return left_to_other("matmul", (x, y))
    try:
        return matmul(x, y)
    except LeafError:
        return matmul(x, as_leaf(y))


def _times_reflected(y: Tracer, x: Any) -> Any:
    if isinstance(x, np.ndarray) and x.ndim == y.ndim == 2:
        return REFLECTED(y, x)
    if not (isinstance(x, FACTORS) or on_gpu(x) or is_chunked(x)):
        return left_to_other("matmul", (x, y))
    try:
        return matmul(x, y)
    except LeafError:
        return matmul(as_leaf(x), y)


for name, operation in (("__matmul__", _times), ("__rmatmul__", _times_reflected)):
    setattr(Tracer, name, operation)


@implements(np.dot)
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """The sum over the last axis of ``a`` and the last but one of ``b``, or its only one."""
    a, b = as_strong_operand(a), as_strong_operand(b)
    if spec_of(a).ndim == 0 or spec_of(b).ndim == 0:
        return finished(a * b, out)
    return finished(dot_product(a, b), out)


@implements(np.inner)
def inner(a: Any, b: Any, /) -> Any:
    """The sum over the last axes of both."""
    a, b = as_strong_operand(a), as_strong_operand(b)
    left, right = shape_of(a), shape_of(b)
    if not left or not right:
        return a * b
    return dot_product(a, swap(b) if len(right) > 1 else b)


def _matrix(x: Any, rows: tuple[int, ...]) -> Any:
    """``x`` with so many of its first axes as one, and all others as another."""
    shape = shape_of(x)
    return shaped(x, (prod(rows), prod(shape[len(rows) :])))


@implements(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """The products of each element of ``a`` with each of ``b``."""
    a, b = (shaped(x, (spec_of(x).size,)) for x in (as_operand(a), as_operand(b)))
    product = column(a) * row(b)
    return product if out is None else write_outs((out,), product)  # the product is a ufunc: its rows may be repeated


@implements(np.linalg.outer)
def outer_of_vectors(x1: Any, x2: Any, /) -> Any:
    """The products of each element of a vector with each of another."""
    x1, x2 = as_operand(x1), as_operand(x2)
    if spec_of(x1).ndim != 1 or spec_of(x2).ndim != 1:
        raise OperandError(
            f"np.linalg.outer got operands of shapes {shape_of(x1)} and {shape_of(x2)}{at_user_line()}; both must be "
            "vectors"
        )
    return column(x1) * row(x2)


@implements(np.vdot)
def vdot(a: Any, b: Any, /) -> Any:
    """The sum of the products of the elements of ``b`` with the conjugated ones of ``a``."""
    a, b = (shaped(x, (spec_of(x).size,)) for x in (as_operand(a), as_operand(b)))
    return dot_product(conj(a), b)


def vecdot(x1: Any, x2: Any) -> Any:
    """The sum over the last axis of the products, ``x1`` conjugated."""
    x1, x2 = conj(as_operand(x1)), as_operand(x2)
    if spec_of(x1).ndim == spec_of(x2).ndim == 1:
        return dot_product(x1, x2)
    product = matrix_product(row(x1), column(x2))
    return reshape(product, shape=shape_of(product)[:-2])


def matvec(x1: Any, x2: Any) -> Any:
    """Matrices times vectors."""
    return matrix_vector(as_operand(x1), as_operand(x2))


def vecmat(x1: Any, x2: Any) -> Any:
    """Vectors, conjugated, times matrices."""
    return matrix_vector(swap(as_operand(x2)), conj(as_operand(x1)))


for own in (vecdot, matvec, vecmat):  # NumPy has these one after the other since 2.0
    if hasattr(np, own.__name__):
        implements(getattr(np, own.__name__))(own)


@implements(np.linalg.vecdot)
def vecdot_along(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The sum along one axis of the products, ``x1`` conjugated."""
    x1, x2 = (permuted(x, np.moveaxis, operator.index(axis), -1) for x in (as_operand(x1), as_operand(x2)))
    return vecdot(x1, x2)


if hasattr(np, "vecdot"):
    WITH_AXIS[np.vecdot] = vecdot_along


# Products of arrays.


@implements(np.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """The sum of products over given axes of both."""
    a, b = as_operand(a), as_operand(b)
    left, right = shape_of(a), shape_of(b)
    summed_a, summed_b = _summed_axes(axes, len(left), len(right))
    if [left[k] for k in summed_a] != [right[k] for k in summed_b]:
        raise ValueError(
            f"tensordot sums axes {summed_a} of shape {left} with axes {summed_b} of shape {right}{at_user_line()}; "
            "their lengths must be equal"
        )
    free_a = [k for k in range(len(left)) if k not in summed_a]
    free_b = [k for k in range(len(right)) if k not in summed_b]
    rows = _matrix(permuted(a, np.transpose, (*free_a, *summed_a)), tuple(left[k] for k in free_a))
    columns = _matrix(permuted(b, np.transpose, (*summed_b, *free_b)), tuple(right[k] for k in summed_b))
    shape = tuple(left[k] for k in free_a) + tuple(right[k] for k in free_b)
    return reshape(dot_product(rows, columns), shape=shape)


def _summed_axes(axes: Any, left: int, right: int) -> tuple[list[int], list[int]]:
    if isinstance(axes, (int, np.integer)):
        count = int(axes)
        if count > min(left, right):
            raise ValueError(
                f"tensordot got axes={count} for arrays of {left} and {right} axes{at_user_line()}; neither may have "
                "fewer"
            )
        return list(range(left - count, left)), list(range(count))
    first, second = ([axis] if isinstance(axis, (int, np.integer)) else list(axis) for axis in axes)
    if len(first) != len(second):
        raise ValueError(
            f"tensordot got {len(first)} axes of one operand and {len(second)} of the other{at_user_line()}; give as "
            "many"
        )
    return [negative_axis(k, left) + left for k in first], [negative_axis(k, right) + right for k in second]


@implements(np.linalg.tensordot)
def tensordot_of(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """The sum of products over given axes of both."""
    return tensordot(x1, x2, axes)


@implements(np.kron)
def kron(a: Any, b: Any) -> Any:
    """Blocks of ``b``, one for each element of ``a``, times that element."""
    a, b = as_operand(a), as_operand(b)
    left, right = shape_of(a), shape_of(b)
    rank = max(len(left), len(right))
    left, right = (1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right
    spread_a = reshape(a, shape=tuple(length for pair in zip(left, (1,) * rank, strict=True) for length in pair))
    spread_b = reshape(b, shape=tuple(length for pair in zip((1,) * rank, right, strict=True) for length in pair))
    return reshape(spread_a * spread_b, shape=tuple(m * n for m, n in zip(left, right, strict=True)))


@implements(np.cross)
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """The cross products of vectors of three elements."""
    if axis is not None:
        axisa = axisb = axisc = operator.index(axis)
    a = permuted(as_operand(a), np.moveaxis, axisa, -1)
    b = permuted(as_operand(b), np.moveaxis, axisb, -1)
    if shape_of(a)[-1] != 3 or shape_of(b)[-1] != 3:
        raise DifferentiationError(
            f"np.cross got traced vectors of {shape_of(a)[-1]} and {shape_of(b)[-1]} elements{at_user_line()}; both "
            "need three. For two write a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]"
        )
    return permuted(cross_product(a, b), np.moveaxis, -1, axisc)


@implements(np.linalg.cross)
def cross_along(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The cross products of vectors of three elements along one axis."""
    return cross(x1, x2, axis=axis)


# Traces.


@implements(np.trace)
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """The sums of diagonals."""
    last = permuted(as_operand(a), np.moveaxis, (axis1, axis2), (-2, -1))
    along = diagonal(last, offset=int(offset))
    return finished(total(along, (-1,), dtype), out)


@implements(np.linalg.trace)
def trace_of_matrices(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """The sums of the diagonals of matrices."""
    return trace(x, offset, -2, -1, dtype)
