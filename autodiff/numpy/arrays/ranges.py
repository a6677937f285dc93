"""NumPy's functions that make ranges and grids of numbers."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from autodiff.numpy.arrays.joining import concatenate
from autodiff.numpy.arrays.memory_order import copied
from autodiff.numpy.arrays.outline import known
from autodiff.numpy.arrays.shapes import expand_dims, moveaxis, reshape
from autodiff.numpy.dispatch import FUNCTIONS, as_operand, implements
from autodiff.ops import elementwise as ew
from autodiff.ops.creation import samples
from autodiff.ops.index import slice_of
from autodiff.ops.join import WHOLE
from autodiff.ops.shape import broadcast_to
from autodiff.trace.spec import Spec, broadcast_shapes, common_dtype, spec_of
from autodiff.trace.values.arrays import module_of, placed_number


def floating_dtype(*values: Any) -> np.dtype[Any]:
    """The floating dtype that NumPy promotes to; Python numbers are weak."""
    return np.result_type(common_dtype(*map(spec_of, values)), 0.0)


def _as_dtype(x: Any, dtype: np.dtype[Any]) -> Any:
    return x if spec_of(x).dtype == dtype and spec_of(x).kind != "python" else ew.cast(x, dtype=dtype)


@implements(np.linspace)
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """Numbers at equal distances from ``start`` to ``stop``."""
    count = operator.index(num)
    if count < 0:
        raise ValueError(f"Number of samples, {count}, must be non-negative.")
    start, stop = as_operand(start), as_operand(stop)
    exact = floating_dtype(start, stop)
    start, stop = _as_dtype(start, exact), _as_dtype(stop, exact)
    shape = broadcast_shapes(spec_of(start).shape, spec_of(stop).shape)
    start, stop = placed_number(start, stop), placed_number(stop, start)
    ends = [end if spec_of(end).shape == shape else broadcast_to(end, shape=shape) for end in (start, stop)]
    y = samples(*ends, count=count, endpoint=bool(endpoint))
    y = moveaxis(y, -1, axis) if shape else y
    wanted = exact if dtype is None else np.dtype(dtype)
    y = _as_dtype(ew.floor(y) if wanted.kind in "iu" else y, wanted)
    if not retstep:
        return y
    steps = count - 1 if endpoint else count
    return y, ew.divide(ew.subtract(stop, start), steps) if steps > 0 else np.nan


@implements(np.logspace)
def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Powers of the base whose exponents lie at equal distances."""
    start, stop, base = as_operand(start), as_operand(stop), as_operand(base)
    if spec_of(base).ndim:
        ndim = max(spec_of(part).ndim for part in (start, stop, base))
        start, stop, base = (_with_rank(part, ndim) for part in (start, stop, base))
        base = expand_dims(base, axis)
    y = ew.power(base, linspace(start, stop, num, endpoint, axis=axis))
    return y if dtype is None else _as_dtype(y, np.dtype(dtype))


def _with_rank(x: Any, ndim: int) -> Any:
    shape = spec_of(x).shape
    return reshape(x, (*(1,) * (ndim - len(shape)), *shape))


@implements(np.geomspace)
def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    """Numbers with equal ratios from ``start`` to ``stop``."""
    start, stop = as_operand(start), as_operand(stop)
    for end in (known(start), known(stop)):
        if not isinstance(end, Spec) and np.any(np.equal(end, 0)):
            raise ValueError("Geometric sequence cannot include zero")
    # NumPy computes in double precision unless a dtype is given, and Python's numbers are not weak here.
    exact = np.result_type(spec_of(start).dtype, spec_of(stop).dtype, np.dtype(dtype), 0.0)
    start, stop = _as_dtype(start, exact), _as_dtype(stop, exact)
    sign = ew.divide(start, ew.absolute(start)) if exact.kind == "c" else ew.sign(start)
    start, stop = ew.divide(start, sign), ew.divide(stop, sign)
    y = _with_ends(logspace(ew.log10(start), ew.log10(stop), num, endpoint), start, stop, endpoint)
    y = ew.multiply(y, sign)
    y = moveaxis(y, 0, axis) if axis != 0 else y
    return y if dtype is None else _as_dtype(y, np.dtype(dtype))


def _with_ends(y: Any, start: Any, stop: Any, endpoint: bool) -> Any:
    """The samples with the given ends in place of their computed ones."""
    count, *rest = spec_of(y).shape
    if count == 0:
        return y
    last = count > 1 and endpoint
    inner = slice_of(y, key=((1, -1 if last else None, None), *(WHOLE,) * len(rest)))
    ends = [broadcast_to(end, shape=(1, *rest)) for end in (start, stop)]
    return concatenate((ends[0], inner, ends[1]) if last else (ends[0], inner))


@implements(np.meshgrid)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Any, ...]:
    """The coordinates of a grid, from those along each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    order = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        order[:2] = [1, 0]
    vectors = [as_operand(x) for x in xi]
    lengths = {axis: spec_of(x).size for axis, x in zip(order, vectors)}
    full = tuple(lengths[axis] for axis in range(len(xi)))
    grids = []
    for axis, x in zip(order, vectors):
        grid = FUNCTIONS[np.reshape](x, tuple(full[k] if k == axis else 1 for k in range(len(xi))))
        grid = grid if sparse else FUNCTIONS[np.broadcast_to](grid, full)
        grids.append(copied(grid, "C") if copy else grid)
    return tuple(grids)


@implements(np.ix_)
def ix_(*args: Any) -> tuple[Any, ...]:
    """Index arrays that pick all combinations of the given indices; boolean ones must be known."""
    parts = []
    for k, arg in enumerate(args):
        part = as_operand(arg)
        if not hasattr(part, "shape") or spec_of(part).ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if spec_of(part).dtype.kind == "b":
            part = np.flatnonzero(part)
        elif spec_of(part).size == 0 and not isinstance(arg, np.ndarray):
            part = ew.cast(part, dtype=np.dtype(np.intp))
        parts.append(reshape(part, (*(1,) * k, -1, *(1,) * (len(args) - k - 1))))
    return tuple(parts)


@implements(np.vander)
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The powers of the elements, each in its row."""
    x = as_operand(x)
    if spec_of(x).ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = spec_of(x).shape[0] if N is None else operator.index(N)
    x = _as_dtype(x, np.promote_types(spec_of(x).dtype, int))
    column = reshape(x, (-1, 1))
    powers = [module_of(x).ones((spec_of(x).shape[0], 1), dtype=spec_of(x).dtype)]
    for _ in range(1, count):
        powers.append(column if len(powers) == 1 else ew.multiply(powers[-1], column))
    if count == 0:
        return slice_of(concatenate(powers, 1), key=((0, 0, None),))
    return concatenate(powers if increasing else powers[::-1], 1)
