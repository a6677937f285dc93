"""Differences, numerical derivatives and integrals along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from autodiff.numpy.axes import negative_axis
from autodiff.numpy.dispatch import as_operand, implements
from autodiff.numpy.statistics.reductions import NOTHING
from autodiff.ops.elementwise import cast, not_equal, subtract
from autodiff.ops.shape import broadcast_to, reshape
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.values.arrays import module_of, placed_number


def part(x: Any, axis: int, start: int | None, stop: int | None) -> Any:
    """A slice along one negative axis."""
    return x[(..., slice(start, stop), *(slice(None),) * (-axis - 1))]


def beside(piece: Any, a: Any, axis: int) -> Any:
    """What is put before or after ``a``: a number becomes one element for each line."""
    piece = placed_number(as_operand(piece), a)
    if spec_of(piece).shape:
        return piece
    shape = list(spec_of(a).shape)
    shape[axis] = 1
    return broadcast_to(piece if hasattr(piece, "dtype") else module_of(a).asarray(piece), shape=tuple(shape))


@implements(np.diff)
def diff(a: Any, n: int = 1, axis: Any = -1, prepend: Any = NOTHING, append: Any = NOTHING) -> Any:
    """Each element minus the one before it, n times over."""
    if n < 0:
        raise ValueError(f"diff needs n >= 0, got {n}{at_user_line()}")
    if n == 0:
        return a
    a = as_operand(a)
    if not spec_of(a).shape:
        raise ValueError(f"diff needs an array with at least one axis, got {spec_of(a)!r}{at_user_line()}")
    k = negative_axis(axis, len(spec_of(a).shape))
    pieces = [beside(piece, a, k) for piece in (prepend,) if piece is not NOTHING]
    pieces += [a, *(beside(piece, a, k) for piece in (append,) if piece is not NOTHING)]
    if len(pieces) > 1:
        a = np.concatenate(pieces, axis=k)
    difference = not_equal if spec_of(a).dtype == bool else subtract
    for _ in range(n):
        a = difference(part(a, k, 1, None), part(a, k, None, -1))
    return a


@implements(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """The differences of neighbours in the flattened array, with elements before and after them."""
    ary = as_operand(ary)
    flat = reshape(ary, shape=(spec_of(ary).size,))
    between = subtract(flat[1:], flat[:-1])
    if to_end is None and to_begin is None:
        return between
    dtype = spec_of(ary).dtype
    ends = [end if end is None else fitting(end, dtype) for end in (to_begin, to_end)]
    return np.concatenate([piece for piece in (ends[0], between, ends[1]) if piece is not None])


def fitting(end: Any, dtype: np.dtype[Any]) -> Any:
    """An end of ``ediff1d``, flattened and in the dtype of the array."""
    end = as_operand(end)
    own = spec_of(end)
    if own.kind != "python" and not np.can_cast(own.dtype, dtype, casting="same_kind"):
        raise TypeError(f"ediff1d puts {own!r} beside differences of {dtype.name}{at_user_line()}; convert it before")
    return cast(reshape(end, shape=(own.size,)), dtype=dtype)


@implements(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """The integral along an axis by the trapezoidal rule; differentiable by ``y``, ``x`` and ``dx``."""
    y = as_operand(y)
    ndim = len(spec_of(y).shape)
    k = negative_axis(axis, ndim)
    width = dx
    if x is not None:
        x = as_operand(x)
        width = diff(x, axis=k if len(spec_of(x).shape) > 1 else -1)
        if len(spec_of(x).shape) == 1:
            width = reshape(width, shape=(spec_of(width).size, *(1,) * (-k - 1)))
    return np.sum(width * (part(y, k, 1, None) + part(y, k, None, -1)) / 2.0, axis=k)


@implements(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Central differences inside and one-sided ones at the ends; differentiable by ``f`` and by the spacing."""
    f = as_operand(f)
    own = spec_of(f)
    if own.dtype.kind in "biu":
        f = cast(f, dtype=np.dtype(np.float64))
    ndim = len(own.shape)
    axes = normalize_axis_tuple(range(ndim) if axis is None else axis, ndim)
    if edge_order not in (1, 2):
        raise ValueError(f"gradient needs edge_order 1 or 2, got {edge_order}{at_user_line()}")
    spacings = all_spacings(varargs, own.shape, axes)
    results = [slope(f, k - ndim, spacing, edge_order) for k, spacing in zip(axes, spacings)]
    return results[0] if len(results) == 1 else tuple(results)


def all_spacings(given: Sequence[Any], shape: tuple[int, ...], axes: Sequence[int]) -> list[Any]:
    """For each axis a number, or a vector of the distances of neighbours."""
    if not given:
        return [1.0] * len(axes)
    operands = [as_operand(spacing) for spacing in given]
    if len(operands) == 1 and not spec_of(operands[0]).shape:
        return operands * len(axes)
    if len(operands) != len(axes):
        raise TypeError(
            f"gradient along {len(axes)} axes got {len(operands)} spacings{at_user_line()}; give one for each"
        )
    return [distances(spacing, shape[k]) for spacing, k in zip(operands, axes)]


def distances(spacing: Any, length: int) -> Any:
    """A spacing as it is, or the distances between coordinates; a number where plain ones are all equal."""
    own = spec_of(spacing)
    if not own.shape:
        return spacing
    if own.shape != (length,):
        raise ValueError(f"gradient along an axis of length {length} got coordinates {own!r}{at_user_line()}")
    between = diff(cast(spacing, dtype=np.dtype(np.float64)) if own.dtype.kind in "iu" else spacing)
    same = isinstance(between, np.ndarray) and between.size and bool(np.all(between == between[0]))
    return between[0] if same else between


def slope(f: Any, axis: int, spacing: Any, edge_order: int) -> Any:
    """The numerical derivative along one axis."""
    length = spec_of(f).shape[axis]
    if length < edge_order + 1:
        raise ValueError(
            f"gradient with edge_order {edge_order} needs at least {edge_order + 1} elements along each axis, got "
            f"{length}{at_user_line()}"
        )
    uniform = not spec_of(spacing).shape
    inside = inner_uniform(f, axis, spacing) if uniform else inner(f, axis, spacing)
    ends = edges_first(f, axis, spacing) if edge_order == 1 else edges_second(f, axis, spacing)
    whole = np.concatenate([ends[0], inside, ends[1]], axis=axis)
    return cast(whole, dtype=spec_of(f).dtype) if spec_of(whole).dtype != spec_of(f).dtype else whole


def inner_uniform(f: Any, axis: int, spacing: Any) -> Any:
    """Second order on evenly spaced coordinates: half the difference of the two neighbours."""
    return (part(f, axis, 2, None) - part(f, axis, None, -2)) / (2.0 * spacing)


def inner(f: Any, axis: int, spacing: Any) -> Any:
    """Second order on uneven coordinates: the slope of the parabola through three neighbours."""
    before, after = spacing[:-1], spacing[1:]
    weights = (
        -after / (before * (before + after)),
        (after - before) / (before * after),
        before / (after * (before + after)),
    )
    a, b, c = (reshape(w, shape=(spec_of(w).size, *(1,) * (-axis - 1))) for w in weights)
    return a * part(f, axis, None, -2) + b * part(f, axis, 1, -1) + c * part(f, axis, 2, None)


def edges_first(f: Any, axis: int, spacing: Any) -> tuple[Any, Any]:
    """One-sided differences of two elements."""
    first, last = (spacing, spacing) if not spec_of(spacing).shape else (spacing[0], spacing[-1])
    low = (part(f, axis, 1, 2) - part(f, axis, 0, 1)) / first
    return low, (part(f, axis, -1, None) - part(f, axis, -2, -1)) / last


def edges_second(f: Any, axis: int, spacing: Any) -> tuple[Any, Any]:
    """The slopes, at its ends, of the parabola through three elements."""
    if not spec_of(spacing).shape:
        low = (-1.5 / spacing, 2.0 / spacing, -0.5 / spacing)
        high = (0.5 / spacing, -2.0 / spacing, 1.5 / spacing)
    else:
        h, k = spacing[0], spacing[1]
        low = (-(2.0 * h + k) / (h * (h + k)), (h + k) / (h * k), -h / (k * (h + k)))
        h, k = spacing[-2], spacing[-1]
        high = (k / (h * (h + k)), -(k + h) / (h * k), (2.0 * k + h) / (k * (h + k)))
    first = [part(f, axis, j, j + 1) for j in range(3)]
    last = [part(f, axis, -3, -2), part(f, axis, -2, -1), part(f, axis, -1, None)]
    return weighted(low, first), weighted(high, last)


def weighted(weights: Sequence[Any], elements: Sequence[Any]) -> Any:
    """The weighted sum of three elements."""
    return weights[0] * elements[0] + weights[1] * elements[1] + weights[2] * elements[2]
