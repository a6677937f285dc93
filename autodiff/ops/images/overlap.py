"""Windows that slide along the last axes, and their transpose, which adds up what overlaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.images.counting import Lengths, scaled, window_counts
from autodiff.ops.on_gpu import making
from autodiff.trace.facts import FIRST, Facts
from autodiff.trace.parameters import COUNT, LENGTH, each, require, same
from autodiff.trace.primitive import Primitive, linear
from autodiff.trace.spec import Spec, spec

LENGTHS, COUNTS = each(LENGTH, 1), each(COUNT, 1)
"""Parameters with one entry for each of the last axes."""


def check_rank(x: Spec, *each_axis: Lengths, groups: int = 1) -> None:
    """Refuse parameters that do not have one entry for each of as many axes; an operand has ``groups`` times these."""
    rank = len(each_axis[0])
    require(all(len(lengths) == rank for lengths in each_axis), "there must be one entry for each of the axes")
    require(groups * rank <= x.ndim, f"an operand with {x.ndim} axes has no {groups * rank} last ones")


def _slices(counts: Lengths, offsets: Lengths, stride: Lengths) -> tuple[slice, ...]:
    """The elements that lie at an offset within each window."""
    return tuple(slice(at, at + s * (n - 1) + 1 if n else at, s) for n, at, s in zip(counts, offsets, stride))


def _evaluate_windows(x: Any, *, shape: Lengths, stride: Lengths, dilation: Lengths) -> Any:
    rank = len(shape)
    lead, lengths = x.shape[:-rank], x.shape[-rank:]
    counts = window_counts(lengths, shape, stride, dilation)
    if isinstance(x, np.ndarray):
        steps = x.strides[-rank:]
        strides = (*x.strides[:-rank], *scaled(steps, stride), *scaled(steps, dilation))
        return np.lib.stride_tricks.as_strided(x, (*lead, *counts, *shape), strides, writeable=False)
    out = np.empty_like(x, shape=(*lead, *counts, *shape))
    for place in np.ndindex(*shape):
        out[(..., *place)] = x[(..., *_slices(counts, scaled(place, dilation), stride))]
    return out


def _windows_spec(x: Spec, *, shape: Lengths, stride: Lengths, dilation: Lengths) -> Spec:
    rank = len(shape)
    counts = window_counts(x.shape[-rank:], shape, stride, dilation)
    return spec((*x.shape[:-rank], *counts, *shape), x.dtype)


def _windows_rule(g: Any, x_spec: Spec, shape: Lengths, stride: Lengths, dilation: Lengths) -> Any:
    return overlap_add(g, lengths=x_spec.shape[-len(shape) :], stride=stride, dilation=dilation)


windows: Primitive = linear(
    "windows",
    ("x",),
    _evaluate_windows,
    _windows_spec,
    {"x": _windows_rule},
    params={"shape": LENGTHS, "stride": COUNTS, "dilation": COUNTS},
    check=lambda x, *, shape, stride, dilation: check_rank(x, shape, stride, dilation),
    view=True,
    on_gpu=making.windows,
    adds=True,
    facts=Facts(copies=FIRST),
)
"""All windows of a shape over the last axes, every ``stride`` elements, of every ``dilation``-th element.

Axes (..., lengths) become (..., counts, shape). Nothing is copied.
"""


def _evaluate_overlap_add(g: Any, *, lengths: Lengths, stride: Lengths, dilation: Lengths) -> Any:
    for place in reversed(range(len(lengths))):  # one axis after another: sums of sums are fewer
        out = _zeros(g, (*g.shape[: -len(lengths) - 1], lengths[place], *g.shape[-len(lengths) : -1]), place)
        g = _overlap_last(g, out, len(lengths), stride[place], dilation[place])
    return g


def _zeros(g: Any, shape: Lengths, last: int) -> Any:
    """Zeros of a shape whose last axes, along windows, are the slowest: images stay together in memory."""
    split = len(shape) - last
    return np.zeros_like(g, shape=(*shape[split:], *shape[:split])).transpose((*range(last, len(shape)), *range(last)))


def _overlap_last(g: Any, out: Any, rank: int, stride: int, dilation: int) -> Any:
    """The last axis, along windows, laid down along the axis of their counts, which stands ``rank`` before it."""
    behind = g.shape[-rank:-1]
    rest: tuple[Any, ...] = (slice(None),) * len(behind)
    for at in range(g.shape[-1]):
        (places,) = _slices((g.shape[-rank - 1],), (at * dilation,), (stride,))
        out[(..., places, *rest)] += g[..., at]
    return out


def _overlap_spec(g: Spec, *, lengths: Lengths, stride: Lengths, dilation: Lengths) -> Spec:
    return spec((*g.shape[: -2 * len(lengths)], *lengths), g.dtype)


def _overlap_rule(g: Any, g_spec: Spec, stride: Lengths, dilation: Lengths) -> Any:
    return windows(g, shape=g_spec.shape[-len(stride) :], stride=stride, dilation=dilation)


def _check_overlap(g: Spec, *, lengths: Lengths, stride: Lengths, dilation: Lengths) -> None:
    check_rank(g, lengths, stride, dilation, groups=2)
    rank = len(lengths)
    counts = window_counts(lengths, g.shape[-rank:], stride, dilation)
    same("the numbers of windows", g.shape[-2 * rank : -rank], counts)


overlap_add: Primitive = linear(
    "overlap_add",
    ("g",),
    _evaluate_overlap_add,
    _overlap_spec,
    {"g": _overlap_rule},
    adds=True,
    params={"lengths": LENGTHS, "stride": COUNTS, "dilation": COUNTS},
    check=_check_overlap,
    facts=Facts(each=True),
)
"""The sum of windows, each laid down where it was taken from: the transpose of :data:`windows`."""
