"""Sums and maxima under windows that slide along the last axes, without an array of the windows.

Sums have the transpose ``spread_windows``; what one element of each window decides, ``pick_from_windows``, has the
transpose ``lay_in_windows``. A window's elements are numbered in C order; axes are counted from the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from autodiff.ops.images.counting import Lengths, window_counts
from autodiff.ops.images.overlap import COUNTS, LENGTHS, check_rank
from autodiff.ops.index import check_index
from autodiff.trace.facts import FIRST, Facts
from autodiff.trace.parameters import require, same
from autodiff.trace.primitive import Primitive, general, linear
from autodiff.trace.spec import Spec, spec


def _counts(lengths: Lengths, shape: Lengths, stride: Lengths) -> Lengths:
    """How many windows there are along each of the last axes."""
    rank = len(shape)
    return window_counts(lengths[-rank:], shape, stride, (1,) * rank)


def _along(x: Any, axis: int, count: int, width: int, stride: int) -> Iterator[Any]:
    """Along one axis: all first elements of windows, all second ones, ..."""
    behind = (slice(None),) * (-axis - 1)
    for at in range(width):
        yield x[(..., slice(at, at + stride * (count - 1) + 1, stride), *behind)]


def _reduced(x: Any, ufunc: Callable[..., Any], shape: Lengths, stride: Lengths) -> Any:
    """One axis after another: a window of 3 times 3 takes six passes, not nine."""
    counts = _counts(x.shape, shape, stride)
    for axis in range(-len(shape), 0):
        parts = _along(x, axis, counts[axis], shape[axis], stride[axis])
        x = next(parts).copy()
        for part in parts:
            ufunc(x, part, out=x)
    return x


def _reduced_spec(x: Spec, *, shape: Lengths, stride: Lengths) -> Spec:
    return spec((*x.shape[: -len(shape)], *_counts(x.shape, shape, stride)), x.dtype)


SLIDING = {"shape": COUNTS, "stride": COUNTS}
LAYING = {"lengths": LENGTHS, **SLIDING}


def _check_reduced(x: Spec, *, shape: Lengths, stride: Lengths) -> None:
    check_rank(x, shape, stride)


def _check_laid(g: Spec, *, lengths: Lengths, shape: Lengths, stride: Lengths) -> None:
    """The operand has one number for each window over axes of these lengths."""
    check_rank(g, shape, lengths, stride)
    same("the numbers of windows", g.shape[-len(shape) :], _counts(lengths, shape, stride))


def _check_one_of_each(x: Spec, found: Spec, *, shape: Lengths, stride: Lengths) -> None:
    """The second operand has one number for each window of the first."""
    check_rank(x, shape, stride)
    same("the shapes of windows and numbers", _reduced_spec(x, shape=shape, stride=stride).shape, found.shape)


def _check_positions(positions: Spec, shape: Lengths) -> None:
    """Positions in windows are small, and not negative."""
    check_index(positions)
    require(positions.dtype == _position_dtype(shape), f"places in windows of {shape} are not of {positions.dtype}")


def _check_pick(x: Spec, positions: Spec, *, shape: Lengths, stride: Lengths) -> None:
    _check_one_of_each(x, positions, shape=shape, stride=stride)
    _check_positions(positions, shape)


def _check_lay(g: Spec, positions: Spec, *, lengths: Lengths, shape: Lengths, stride: Lengths) -> None:
    _check_laid(g, lengths=lengths, shape=shape, stride=stride)
    same("the shapes of numbers and positions", g.shape, positions.shape)
    _check_positions(positions, shape)


def _sum_rule(g: Any, x_spec: Spec, shape: Lengths, stride: Lengths) -> Any:
    return spread_windows(g, lengths=x_spec.shape[-len(shape) :], shape=shape, stride=stride)


sum_windows: Primitive = linear(
    "sum_windows",
    ("x",),
    lambda x, *, shape, stride: _reduced(x, np.add, shape, stride),
    _reduced_spec,
    {"x": _sum_rule},
    adds=True,
    params=SLIDING,
    check=_check_reduced,
)
"""The sum under each window: axes (..., lengths) become (..., counts)."""


def _evaluate_spread(g: Any, *, lengths: Lengths, shape: Lengths, stride: Lengths) -> Any:
    rank = len(shape)
    for axis in range(-1, -rank - 1, -1):
        out = np.zeros_like(g, shape=(*g.shape[:axis], lengths[axis], *g.shape[g.ndim + axis + 1 :]), order="C")
        for part in _along(out, axis, g.shape[axis], shape[axis], stride[axis]):
            part += g
        g = out
    return g


def _laid_spec(g: Spec, lengths: Lengths) -> Spec:
    return spec((*g.shape[: -len(lengths)], *lengths), g.dtype)


spread_windows: Primitive = linear(
    "spread_windows",
    ("g",),
    _evaluate_spread,
    lambda g, *, lengths, shape, stride: _laid_spec(g, lengths),
    {"g": lambda u, shape, stride: sum_windows(u, shape=shape, stride=stride)},
    adds=True,
    params=LAYING,
    check=_check_laid,
)
"""Each number added to all elements of its window: the transpose of :data:`sum_windows`."""


def _evaluate_positions(x: Any, extreme: Any, *, shape: Lengths, stride: Lengths) -> Any:
    """The number of places before the first hit, summed up without a branch: several times faster than selecting."""
    positions = np.zeros_like(extreme, dtype=_position_dtype(shape), order="C")
    undefined = extreme != extreme
    undefined = undefined if undefined.any() else None
    missing = np.ones_like(positions, dtype=bool)
    for place in np.ndindex(*shape):
        element = x[(..., *_elements(place, extreme.shape, stride))]
        missed = element != extreme
        if undefined is not None:
            missed &= ~undefined | (element == element)
        missing &= missed
        positions += missing
    return positions


def _elements(place: Lengths, shape: Lengths, stride: Lengths) -> tuple[slice, ...]:
    """What stands at a place of each window."""
    return tuple(slice(at, at + s * (n - 1) + 1, s) for at, n, s in zip(place, shape[-len(place) :], stride))


def _position_dtype(shape: Lengths) -> np.dtype[Any]:
    return np.min_scalar_type(max(prod(shape) - 1, 0))


first_positions: Primitive = general(
    "first_positions",
    ("x", "extreme"),
    _evaluate_positions,
    lambda x, extreme, *, shape, stride: spec(extreme.shape, _position_dtype(shape)),
    {},
    params=SLIDING,
    check=_check_one_of_each,
)
"""The number of the first element of each window that equals ``extreme``; NaN equals NaN. No derivative."""


def _max_rule(g: Any, x: Any, out: Any, x_spec: Spec, shape: Lengths, stride: Lengths) -> Any:
    positions = first_positions(x, out, shape=shape, stride=stride)
    return lay_in_windows(g, positions, lengths=x_spec.shape[-len(shape) :], shape=shape, stride=stride)


def _max_forward(tangents: Any, values: Any, out: Any, params: Any) -> Any:
    return pick_from_windows(tangents[0], first_positions(values[0], out, **params), **params)


max_windows: Primitive = general(
    "max_windows",
    ("x",),
    lambda x, *, shape, stride: _reduced(x, np.maximum, shape, stride),
    _reduced_spec,
    {"x": _max_rule},
    params=SLIDING,
    check=_check_reduced,
    forward=_max_forward,
    facts=Facts(exact=True),
)
"""The largest element under each window; of equal ones the first has the derivative. NaN is the largest."""


def _flat_places(positions: Any, lengths: Lengths, shape: Lengths, stride: Lengths) -> Any:
    """Where the numbered elements of windows stand in the flattened image, for each image."""
    rank = len(shape)
    steps = [prod(lengths[k + 1 :]) for k in range(rank)]
    inside = [sum(map(int.__mul__, place, steps)) for place in np.ndindex(*shape)]
    corners = np.zeros((), np.intp)
    for count, s, step in zip(positions.shape[-rank:], stride, steps):
        corners = np.add.outer(corners, np.arange(count) * (s * step))
    images = prod(positions.shape[:-rank])
    flat = np.take(np.asarray(inside, np.intp, like=positions), positions).reshape(images, corners.size)
    flat += np.asarray(corners.reshape(-1), like=positions)
    flat += np.asarray(np.arange(images)[:, np.newaxis] * prod(lengths), like=positions)
    return flat


def _evaluate_pick(x: Any, positions: Any, *, shape: Lengths, stride: Lengths) -> Any:
    flat = _flat_places(positions, x.shape[-len(shape) :], shape, stride)
    return np.take(x.reshape(-1), flat).reshape(positions.shape)


def _pick_rule(g: Any, positions: Any, x_spec: Spec, shape: Lengths, stride: Lengths) -> Any:
    return lay_in_windows(g, positions, lengths=x_spec.shape[-len(shape) :], shape=shape, stride=stride)


pick_from_windows: Primitive = linear(
    "pick_from_windows",
    ("x", "positions"),
    _evaluate_pick,
    lambda x, positions, *, shape, stride: spec(positions.shape, x.dtype),
    {"x": _pick_rule},
    adds=True,
    params=SLIDING,
    check=_check_pick,
    facts=Facts(copies=FIRST),
)
"""The element of each window that ``positions`` number."""


def _evaluate_lay(g: Any, positions: Any, *, lengths: Lengths, shape: Lengths, stride: Lengths) -> Any:
    lead = g.shape[: -len(lengths)]
    flat = _flat_places(positions, lengths, shape, stride).reshape(-1)
    out = np.zeros_like(g, shape=(prod(lead) * prod(lengths),))
    if all(s >= width for s, width in zip(stride, shape)):
        out[flat] = g.reshape(-1)  # windows side by side: nothing is hit twice
    else:
        np.add.at(out, flat, g.reshape(-1))
    return out.reshape(*lead, *lengths)


lay_in_windows: Primitive = linear(
    "lay_in_windows",
    ("g", "positions"),
    _evaluate_lay,
    lambda g, positions, *, lengths, shape, stride: _laid_spec(g, lengths),
    {"g": lambda u, positions, shape, stride: pick_from_windows(u, positions, shape=shape, stride=stride)},
    adds=True,
    params=LAYING,
    check=_check_lay,
)
"""Each number added to one element of its window, zeros elsewhere: the transpose of :data:`pick_from_windows`."""
