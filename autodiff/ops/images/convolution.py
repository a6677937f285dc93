"""Convolution of images of any number of dimensions, as networks have it.

Everything here is a derivative of one form, <g, convolve(x, w)>, which is linear in each of its three parts:
``convolve`` is its gradient by g, ``convolve_to_input`` by x (a transposed convolution), ``convolve_to_kernel`` by w.
So the rules of each one are the other two. All three are products of matrices of windows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.ops.creation import full
from autodiff.ops.folding import inside, outside
from autodiff.ops.images.counting import Lengths
from autodiff.ops.images.geometry import GEOMETRY, Geometry, check_operands, geometry_of
from autodiff.ops.images.overlap import LENGTHS, overlap_add, windows
from autodiff.trace.facts import Facts
from autodiff.trace.parameters import require, same
from autodiff.trace.primitive import Primitive, multilinear
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec, spec_of

Place = tuple[int, int]


def _columns(x: Any, kernel: Lengths, geometry: Geometry) -> Any:
    """Every element under the kernel: (N, C, lengths) to (N, C, kernel, counts). Only padding is copied."""
    if any(map(any, geometry.padding)):
        x = _padded(x, geometry.padding)
    return _kernel_first(windows(x, shape=kernel, stride=geometry.stride, dilation=geometry.dilation), geometry.rank)


def _padded(x: Any, padding: Sequence[tuple[int, int]]) -> Any:
    """The images between zeros; ``np.pad`` takes ten times as long for small ones."""
    lengths = x.shape[2:]
    widened = [low + length + high for length, (low, high) in zip(lengths, padding)]
    out: Any = np.zeros_like(x, shape=(*x.shape[:2], *widened), order="C")
    out[(..., *(slice(low, low + length) for length, (low, _) in zip(lengths, padding)))] = x
    return out


def _kernel_first(x: Any, rank: int) -> Any:
    """The last two groups of axes, of the counts and of the kernel, in the other order; or back."""
    return np.transpose(x, (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank)))


def _by_group(w: Any, groups: int) -> Any:
    """Kernels (O, C / groups, kernel) as matrices (groups, O / groups, C / groups * kernel)."""
    return w.reshape(groups, w.shape[0] // groups, prod(w.shape[1:]))


def _outputs_by_group(g: Any, groups: int) -> Any:
    """Results (N, O, counts) as matrices (N, groups, O / groups, counts)."""
    return g.reshape(g.shape[0], groups, g.shape[1] // groups, prod(g.shape[2:]))


def _evaluate_convolve(x: Any, w: Any, *, geometry: Geometry) -> Any:
    groups, kernel = geometry.groups, w.shape[2:]
    counts = geometry.counts(x.shape[2:], kernel)
    columns = _columns(x, kernel, geometry).reshape(x.shape[0], groups, prod(w.shape[1:]), prod(counts))
    return np.matmul(_by_group(w, groups), columns).reshape(x.shape[0], w.shape[0], *counts)


def _evaluate_to_input(g: Any, w: Any, *, lengths: Lengths, geometry: Geometry) -> Any:
    groups, kernel, counts = geometry.groups, w.shape[2:], g.shape[2:]
    columns = np.matmul(np.swapaxes(_by_group(w, groups), -1, -2), _outputs_by_group(g, groups))
    taken = _kernel_first(columns.reshape(g.shape[0], groups * w.shape[1], *kernel, *counts), geometry.rank)
    laid = overlap_add(taken, lengths=geometry.padded(lengths), stride=geometry.stride, dilation=geometry.dilation)
    return laid[(..., *(slice(low, low + size) for size, (low, _) in zip(lengths, geometry.padding)))]


def _evaluate_to_kernel(x: Any, g: Any, *, kernel: Lengths, geometry: Geometry) -> Any:
    groups, channels = geometry.groups, x.shape[1] // geometry.groups
    size = g.shape[0] * prod(g.shape[2:])
    columns = np.moveaxis(_columns(x, kernel, geometry), 0, 1 + geometry.rank)
    outputs = np.moveaxis(g, 0, 1)
    found = np.matmul(
        outputs.reshape(groups, g.shape[1] // groups, size),
        np.swapaxes(columns.reshape(groups, channels * prod(kernel), size), -1, -2),
    )
    return found.reshape(g.shape[1], channels, *kernel)


def _convolve_spec(x: Spec, w: Spec, *, geometry: Geometry) -> Spec:
    shape = (x.shape[0], w.shape[0], *geometry.counts(x.shape[2:], w.shape[2:]))
    return spec(shape, np.result_type(x.dtype, w.dtype))


def _to_input_spec(g: Spec, w: Spec, *, lengths: Lengths, geometry: Geometry) -> Spec:
    return spec((g.shape[0], geometry.groups * w.shape[1], *lengths), np.result_type(g.dtype, w.dtype))


def _to_kernel_spec(x: Spec, g: Spec, *, kernel: Lengths, geometry: Geometry) -> Spec:
    shape = (g.shape[1], x.shape[1] // geometry.groups, *kernel)
    return spec(shape, np.result_type(x.dtype, g.dtype))


def _check_convolve(x: Spec, w: Spec, *, geometry: Geometry) -> None:
    same("the numbers of axes and entries", x.ndim, geometry.rank + 2)
    check_operands(x, w, 1, geometry)


def _check_to_input(g: Spec, w: Spec, *, lengths: Lengths, geometry: Geometry) -> None:
    same("the numbers of axes and entries", (g.ndim, len(lengths)), (geometry.rank + 2, geometry.rank))
    check_operands(g, w, 0, geometry)
    same("the counts", g.shape[2:], geometry.counts(lengths, w.shape[2:]))


def _check_to_kernel(x: Spec, g: Spec, *, kernel: Lengths, geometry: Geometry) -> None:
    rank, groups = geometry.rank, geometry.groups
    same("the numbers of axes and entries", (x.ndim, g.ndim, len(kernel)), (rank + 2, rank + 2, rank))
    same("the numbers of images", x.shape[0], g.shape[0])
    require(x.shape[1] % groups == 0 and g.shape[1] % groups == 0, f"channels do not fall into {groups} groups")
    same("the counts", g.shape[2:], geometry.counts(x.shape[2:], kernel))


# A batch of operands is one call with more images, more channels, or, where both operands have it, more groups.


def _batched(
    primitive: Primitive, values: Sequence[Any], places: Sequence[Place | None], result: Place, params: Any
) -> Any:
    """Run the primitive with the batch inside the operands, at (axis, inner length) each, and take it out."""
    size = next(value.shape[0] for value, place in zip(values, places) if place is not None)
    if not size:  # of no examples nobody could say how long an axis was
        its = map(spec_of, values)
        each = [s if place is None else spec(s.shape[1:], s.dtype) for s, place in zip(its, places, strict=True)]
        own = primitive.spec(*each, **params)
        return full(values[0], own.dtype.type(0), shape=(0, *own.shape), dtype=own.dtype)
    folded = [value if place is None else inside(value, *place) for value, place in zip(values, places)]
    if None not in places:
        geometry = params["geometry"]
        params = {**params, "geometry": geometry._replace(groups=geometry.groups * size)}
    return outside(primitive(*folded, **params), *result, size)


def _batch_convolve(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    x, w = values
    images, outputs = x.shape[-2 - params["geometry"].rank], w.shape[int(batched[1])]
    if all(batched):
        return _batched(convolve, values, [(1, x.shape[2]), (0, outputs)], (1, outputs), params)
    if batched[0]:
        return _batched(convolve, values, [(0, images), None], (0, images), params)
    members = outputs // params["geometry"].groups
    return _batched(convolve, values, [None, (0, members)], (1, members), params)


def _batch_to_input(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    g, w = values
    images, channels = g.shape[-2 - params["geometry"].rank], w.shape[1 + batched[1]]
    if all(batched):
        places = [(1, g.shape[2]), (0, w.shape[1])]
        return _batched(convolve_to_input, values, places, (1, channels * params["geometry"].groups), params)
    if batched[0]:
        return _batched(convolve_to_input, values, [(0, images), None], (0, images), params)
    return _batched(convolve_to_input, values, [None, (1, channels)], (1, channels), params)


def _batch_to_kernel(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    x, g = values
    groups = params["geometry"].groups
    channels, outputs = x.shape[1 + batched[0]], g.shape[1 + batched[1]]
    if all(batched):
        return _batched(convolve_to_kernel, values, [(1, channels), (1, outputs)], (0, outputs), params)
    if batched[0]:
        return _batched(convolve_to_kernel, values, [(1, channels // groups), None], (1, channels // groups), params)
    return _batched(convolve_to_kernel, values, [None, (1, outputs // groups)], (0, outputs // groups), params)


convolve: Primitive = multilinear(
    "convolve_nd",
    ("x", "w"),
    _evaluate_convolve,
    _convolve_spec,
    {
        "x": lambda g, x_spec, w, geometry: convolve_to_input(
            g, w, lengths=x_spec.shape[-geometry.rank :], geometry=geometry
        ),
        "w": lambda g, x, w_spec, geometry: convolve_to_kernel(
            x, g, kernel=w_spec.shape[-geometry.rank :], geometry=geometry
        ),
    },
    params={"geometry": GEOMETRY},
    check=_check_convolve,
    batch=_batch_convolve,
    facts=Facts(multiplications=lambda given, out, params: out.size * prod(given[1].shape[1:])),
)
"""Images (N, C, lengths) under kernels (O, C / groups, kernel): (N, O, counts)."""

convolve_to_input: Primitive = multilinear(
    "convolve_to_input",
    ("g", "w"),
    _evaluate_to_input,
    _to_input_spec,
    {
        "g": lambda u, w, geometry: convolve(u, w, geometry=geometry),
        "w": lambda u, g, w_spec, geometry: convolve_to_kernel(
            u, g, kernel=w_spec.shape[-geometry.rank :], geometry=geometry
        ),
    },
    params={"lengths": LENGTHS, "geometry": GEOMETRY},
    check=_check_to_input,
    batch=_batch_to_input,
    facts=Facts(multiplications=lambda given, out, params: given[0].size * prod(given[1].shape[1:])),
)
"""The transpose of :data:`convolve` by its images: (N, O, counts) to (N, C, lengths)."""

convolve_to_kernel: Primitive = multilinear(
    "convolve_to_kernel",
    ("x", "g"),
    _evaluate_to_kernel,
    _to_kernel_spec,
    {
        "x": lambda u, x_spec, g, geometry: convolve_to_input(
            g, u, lengths=x_spec.shape[-geometry.rank :], geometry=geometry
        ),
        "g": lambda u, x, geometry: convolve(x, u, geometry=geometry),
    },
    params={"kernel": LENGTHS, "geometry": GEOMETRY},
    check=_check_to_kernel,
    batch=_batch_to_kernel,
    facts=Facts(multiplications=lambda given, out, params: given[1].size * prod(out.shape[1:])),
)
"""The transpose of :data:`convolve` by its kernels: images and results to (O, C / groups, kernel)."""


def convolve_nd(x: Any, w: Any, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:
    """out[n, o, p] = sum of x[n, c, p * stride + k * dilation] * w[o, c, k] over channels c and kernel positions k.

    Args:
        x: images (N, C, lengths), with one or more spatial axes.
        w: kernels (O, C / groups, kernel).
        stride: steps between kernel positions: a number, or one for each spatial axis.
        padding: zeros around the images: a number, one for each spatial axis, or a pair (before, after) for each.
        dilation: steps between elements under the kernel: a number, or one for each spatial axis.
        groups: channels and outputs fall into so many groups; each output sees the channels of its group.

    Returns:
        (N, O, counts), where a count is (length + padding - dilation * (kernel - 1) - 1) // stride + 1.

    Raises:
        ValueError: if the shapes do not fit together.

    >>> import numpy as np
    >>> convolve_nd(np.arange(4.0).reshape(1, 1, 4), np.ones((1, 1, 2)))
    array([[[1., 3., 5.]]])
    """
    geometry = geometry_of(spec_of(x).ndim - 2, stride, padding, dilation, groups)
    check_operands(spec_of(x), spec_of(w), 1, geometry)
    return convolve(x, w, geometry=geometry)


def transposed_convolve_nd(
    g: Any,
    w: Any,
    *,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    lengths: Sequence[int] | None = None,
) -> Any:
    """What :func:`convolve_nd` does to images, backwards: each element of ``g`` lays down a kernel, and overlaps add.

    Args:
        g: (N, O, counts).
        w: kernels (O, C / groups, kernel).
        stride: of the convolution whose transpose this is, as are the next three.
        padding: which is cut off here.
        dilation: steps between elements under the kernel.
        groups: of channels.
        lengths: spatial lengths of the result; by default the smallest that give these counts.

    Returns:
        (N, C, lengths).

    Raises:
        ValueError: if the shapes do not fit together.

    >>> import numpy as np
    >>> transposed_convolve_nd(np.ones((1, 1, 2)), np.array([[[1.0, 2.0, 3.0]]]), stride=2)
    array([[[1., 2., 4., 2., 3.]]])
    """
    geometry = geometry_of(spec_of(g).ndim - 2, stride, padding, dilation, groups)
    counts, kernel = spec_of(g).shape[2:], spec_of(w).shape[2:]
    check_operands(spec_of(g), spec_of(w), 0, geometry)
    if lengths is None:
        lengths = [
            s * (n - 1) + d * (k - 1) + 1 - sum(widths)
            for n, k, s, d, widths in zip(counts, kernel, geometry.stride, geometry.dilation, geometry.padding)
        ]
    own = tuple(int(length) for length in lengths)
    if len(own) != geometry.rank or min(own) < 0 or geometry.counts(own, kernel) != counts:
        raise ValueError(f"a convolution of lengths {own} does not give the counts {counts}{at_user_line()}")
    return convolve_to_input(g, w, lengths=own, geometry=geometry)
