"""Norms of vectors and matrices, and what is made of them."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from autodiff.numpy.arrays.outline import known, permuted
from autodiff.numpy.axes import Axes, negative_axes, negative_axis
from autodiff.numpy.dispatch import as_operand, implements
from autodiff.numpy.statistics.reductions import kept
from autodiff.numpy.statistics.reductions import max as largest_along
from autodiff.numpy.statistics.reductions import min as smallest_along
from autodiff.ops.elementwise import (
    absolute,
    cast,
    equal,
    greater,
    imag,
    isinf,
    isnan,
    logical_or,
    not_equal,
    real,
    where,
)
from autodiff.ops.index import slice_of
from autodiff.ops.matrices.norms import nan_as_infinity, power_root
from autodiff.ops.matrices.products import conj, dot, shaped
from autodiff.ops.matrices.singular import svdvals
from autodiff.ops.matrices.solve import inv, real_dtype
from autodiff.ops.matrices.spectral import eigvalsh
from autodiff.ops.reductions.reduce import any_axes, root
from autodiff.ops.shape import reshape, sum_axes
from autodiff.trace.errors import DifferentiationError, OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.values.leaves import as_leaf


def inexact(x: Any) -> Any:
    """Numbers and lists as arrays, whole numbers as floating-point ones."""
    x = as_operand(x)
    x = x if hasattr(x, "dtype") else np.asarray(as_leaf(x))
    return x if spec_of(x).inexact else cast(x, dtype=np.dtype(float))


@implements(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm of vectors or matrices; at zero its derivative is zero."""
    x = inexact(x)
    ndim = spec_of(x).ndim
    if axis is None and not isinstance(ord, Traced) and is_length(ord, ndim):
        return _with_ones(_length_of_all(x), ndim, keepdims)
    axes = _given_axes(axis, ndim)
    if len(axes) == 1:
        return kept(_vector_norm(x, ord, axes), spec_of(x).shape, axes, keepdims)
    if len(axes) == 2:
        return kept(_matrix_norm(x, ord, axes), spec_of(x).shape, axes, keepdims)
    raise OperandError(
        f"norm got {len(axes)} axes of an array of {ndim}{at_user_line()}; a norm is taken along one or two: name them "
        "by axis="
    )


def is_length(ord: Any, ndim: int) -> bool:
    """Whether the norm of all elements is the length of one vector."""
    return ord is None or (ord in ("f", "fro") and ndim == 2) or (ord == 2 and ndim == 1)


def _with_ones(result: Any, ndim: int, keepdims: bool) -> Any:
    return reshape(result, shape=(1,) * ndim) if keepdims else result


def _given_axes(axis: Any, ndim: int) -> Axes:
    """Negative axes in the order in which they were given: rows first."""
    if axis is None:
        return tuple(range(-ndim, 0))
    axes = axis if isinstance(axis, tuple) else (axis,)
    found = tuple(negative_axis(k, ndim) for k in axes)
    if len(set(found)) != len(found):
        raise ValueError("Duplicate axes given.")
    return found


def _length_of_all(x: Any) -> Any:
    """The length of all elements as one vector, summed as NumPy sums it."""
    now = known(x)
    if isinstance(now, Spec) or (type(now) is np.ndarray and now.flags.c_contiguous):
        flat = x if now.ndim == 1 else reshape(x, shape=(now.size,))
    else:
        flat = np.ravel(x, order="K")
    if spec_of(x).dtype.kind != "c":
        return root(dot(flat, flat))
    along, across = real(flat), imag(flat)
    return root(dot(along, along) + dot(across, across))


def _vector_norm(x: Any, ord: Any, axes: Axes) -> Any:
    if isinstance(ord, Traced):
        return _norm_of_traced_order(x, ord, axes)
    if ord is None or ord == 2:
        return root(sum_axes(real(conj(x) * x) if spec_of(x).dtype.kind == "c" else x * x, axes=axes))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == 0:
        return sum_axes(cast(not_equal(x, 0), dtype=real_dtype(spec_of(x).dtype)), axes=axes)
    sizes = absolute(x)
    if ord == np.inf:
        return largest_along(sizes, axes, initial=0)
    if ord == -np.inf:
        return smallest_along(sizes, axes)
    if ord == 1:
        return sum_axes(sizes, axes=axes)
    exponent = ord if isinstance(ord, int) else float(ord)
    total = sum_axes(sizes**exponent if ord > 1 else _steep_powers(sizes, exponent), axes=axes)
    return power_root(total, np.reciprocal(ord, dtype=spec_of(total).dtype))


def _steep_powers(sizes: Any, exponent: float) -> Any:
    """Powers whose derivative at zero is infinite: there it is left out, because the norm has a kink of slope 0."""
    zero = equal(sizes, 0)
    return where(zero, 0.0 if exponent > 0 else np.inf, where(zero, 1, sizes) ** exponent)


def _norm_of_traced_order(x: Any, ord: Any, axes: Axes) -> Any:
    """The norm as a function of its order, too: one formula for all orders but those that are limits."""
    sizes, order = absolute(x), as_operand(ord)
    infinite, none = isinf(order), equal(order, 0)
    exponent = cast(where(logical_or(infinite, none), 1, order), dtype=spec_of(sizes).dtype)
    zero, growing = equal(sizes, 0), greater(exponent, 0)
    powers = where(zero, where(growing, 0.0, np.inf), where(zero, 1, sizes) ** exponent)
    total = sum_axes(powers, axes=axes)
    nothing = logical_or(equal(total, 0), isinf(total))
    found = where(nothing, where(growing, total, 1 / total), where(nothing, 1, total) ** (1 / exponent))
    limit = where(greater(order, 0), largest_along(sizes, axes, initial=0), smallest_along(sizes, axes))
    return where(none, _vector_norm(x, 0, axes), where(infinite, limit, found))[()]


def _matrix_norm(x: Any, ord: Any, axes: Axes) -> Any:
    if isinstance(ord, Traced):
        raise DifferentiationError(
            f"a norm of matrices takes a constant ord{at_user_line()}, by which NumPy chooses a formula; pass a plain "
            "number, or stop_gradient(ord) where no derivative is wanted"
        )
    rows, columns = axes
    if ord is None or ord in ("fro", "f"):
        return _vector_norm(x, None, tuple(sorted(axes)))
    if ord in (1, -1):
        return _extreme_sum(x, rows, columns, ord)
    if ord in (np.inf, -np.inf):
        return _extreme_sum(x, columns, rows, ord)
    if ord not in (2, -2, "nuc"):
        raise ValueError("Invalid norm order for matrices.")
    values = svdvals(permuted(x, np.moveaxis, axes, (-2, -1)))
    if ord == "nuc":
        return sum_axes(values, axes=(-1,))
    return smallest_along(values, -1) if ord == -2 else largest_along(values, -1, initial=0)


def _extreme_sum(x: Any, summed: int, other: int, ord: float) -> Any:
    sums = sum_axes(absolute(x), axes=(summed,))
    axis = other + 1 if summed > other else other
    return largest_along(sums, axis, initial=0) if ord > 0 else smallest_along(sums, axis)


@implements(np.linalg.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """The norm of the matrices in the last two axes."""
    return norm(x, ord, (-2, -1), keepdims)


@implements(np.linalg.vector_norm)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """The norm along axes, of all elements as one vector where none is named."""
    x = inexact(x)
    shape = spec_of(x).shape
    axes = negative_axes(axis, len(shape))
    if axis is None:
        flat = norm(reshape(x, shape=(spec_of(x).size,)), ord, 0)
    elif isinstance(axis, tuple):
        flat = norm(_gathered(x, tuple(negative_axis(k, len(shape)) for k in axis)), ord, 0)
    else:
        return norm(x, ord, axis, keepdims)
    return kept(flat, shape, axes, keepdims)


def _gathered(x: Any, axes: Axes) -> Any:
    """``x`` with the given axes as its first one, in their order."""
    shape = spec_of(x).shape
    rest = tuple(k for k in range(-len(shape), 0) if k not in axes)
    lengths = (prod(shape[k] for k in axes), *(shape[k] for k in rest))
    return shaped(permuted(x, np.transpose, (*axes, *rest)), lengths)


@implements(np.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    """The condition number: the largest singular value by the smallest, or the norms of a matrix and its inverse."""
    x = inexact(x)
    if spec_of(x).size == 0:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    with np.errstate(all="ignore"):
        found = (
            _ratio(x, p) if p is None or (not isinstance(p, Traced) and p in (2, -2)) else _product_with_inverse(x, p)
        )
        return nan_as_infinity(found, any_axes(isnan(x), axes=(-2, -1)))


def _ratio(x: Any, p: Any) -> Any:
    values = svdvals(x)
    largest, smallest = (slice_of(values, key=(k,)) for k in (0, -1))
    return smallest / largest if p == -2 else largest / smallest


def _product_with_inverse(x: Any, p: Any) -> Any:
    return norm(x, p, (-2, -1)) * norm(inv(x, singular=True), p, (-2, -1))


@implements(np.linalg.matrix_rank)
def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """How many singular values are larger than a tolerance: a whole number, which has no derivative."""
    if tol is not None and rtol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    A = inexact(A)
    its = spec_of(A)
    if its.ndim < 2:
        return cast(any_axes(not_equal(A, 0), axes=tuple(range(-its.ndim, 0))), dtype=np.dtype(int))
    values = absolute(eigvalsh(A, triangle="L")) if hermitian else svdvals(A)
    if tol is None:
        relative = max(its.shape[-2:]) * np.finfo(its.dtype).eps if rtol is None else as_operand(rtol)
        largest = largest_along(values, -1, keepdims=True, initial=0)
        tol = largest * (relative if np.ndim(relative) == 0 else relative[..., None])
    elif np.ndim(tol):
        tol = as_operand(tol)[..., None]
    return sum_axes(cast(greater(values, tol), dtype=np.dtype(int)), axes=(-1,))
