"""Convolution of images of any number of dimensions, as networks have it.

Everything here is a derivative of one form, <g, convolve(x, w)>, which is linear in each of its three parts:
``convolve`` is its gradient by g, ``convolve_to_input`` by x (a transposed convolution), ``convolve_to_kernel`` by w.
So the rules of each one are the other two. All three are products of matrices of windows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from autodiff.ops.shape import reshape, transpose
from autodiff.ops.windows import Lengths, overlap_add, window_counts, windows
from autodiff.trace.primitive import Primitive, multilinear
from autodiff.trace.spec import Spec, spec, spec_of

Widths = tuple[tuple[int, int], ...]


class Geometry(NamedTuple):
    """How a kernel moves: one entry for each spatial axis, and the number of groups of channels."""

    stride: Lengths
    padding: Widths
    dilation: Lengths
    groups: int

    @property
    def rank(self) -> int:
        """The number of spatial axes."""
        return len(self.stride)

    def padded(self, lengths: Lengths) -> Lengths:
        """Lengths of the spatial axes with their padding."""
        return tuple(length + low + high for length, (low, high) in zip(lengths, self.padding))

    def counts(self, lengths: Lengths, kernel: Lengths) -> Lengths:
        """Spatial lengths of the result."""
        return window_counts(self.padded(lengths), kernel, self.stride, self.dilation)


def _columns(x: Any, kernel: Lengths, geometry: Geometry) -> Any:
    """Every element under the kernel: (N, C, lengths) to (N, groups, C / groups * kernel, counts), each flattened."""
    if any(map(any, geometry.padding)):
        x = np.pad(x, ((0, 0), (0, 0), *geometry.padding))
    found = windows(x, shape=kernel, stride=geometry.stride, dilation=geometry.dilation)
    rank = geometry.rank
    order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    channels = x.shape[1] // geometry.groups
    return np.transpose(found, order).reshape(
        x.shape[0], geometry.groups, channels * prod(kernel), prod(found.shape[2 : 2 + rank])
    )


def _by_group(w: Any, groups: int) -> Any:
    """Kernels (O, C / groups, kernel) as matrices (groups, O / groups, C / groups * kernel)."""
    return w.reshape(groups, w.shape[0] // groups, prod(w.shape[1:]))


def _outputs_by_group(g: Any, groups: int) -> Any:
    """Results (N, O, counts) as matrices (N, groups, O / groups, counts)."""
    return g.reshape(g.shape[0], groups, g.shape[1] // groups, prod(g.shape[2:]))


def _evaluate_convolve(x: Any, w: Any, *, geometry: Geometry) -> Any:
    kernel = w.shape[2:]
    counts = geometry.counts(x.shape[2:], kernel)
    out = np.matmul(_by_group(w, geometry.groups), _columns(x, kernel, geometry))
    return out.reshape(x.shape[0], w.shape[0], *counts)


def _evaluate_to_input(g: Any, w: Any, *, lengths: Lengths, geometry: Geometry) -> Any:
    kernel, counts = w.shape[2:], g.shape[2:]
    columns = np.matmul(
        np.swapaxes(_by_group(w, geometry.groups), -1, -2), _outputs_by_group(g, geometry.groups)
    ).reshape(g.shape[0], geometry.groups * w.shape[1], *kernel, *counts)
    rank = geometry.rank
    order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    laid = overlap_add(
        np.transpose(columns, order),
        lengths=geometry.padded(lengths),
        stride=geometry.stride,
        dilation=geometry.dilation,
    )
    inner = (slice(low, low + length) for length, (low, _) in zip(lengths, geometry.padding))
    return laid[(..., *inner)]


def _evaluate_to_kernel(x: Any, g: Any, *, kernel: Lengths, geometry: Geometry) -> Any:
    columns = np.moveaxis(_columns(x, kernel, geometry), 0, -1)
    outputs = np.moveaxis(_outputs_by_group(g, geometry.groups), 0, -1)
    flat_columns = columns.reshape(*columns.shape[:2], -1)
    flat_outputs = outputs.reshape(*outputs.shape[:2], -1)
    found = np.matmul(flat_outputs, np.swapaxes(flat_columns, -1, -2))
    return found.reshape(g.shape[1], x.shape[1] // geometry.groups, *kernel)


def _convolve_spec(x: Spec, w: Spec, *, geometry: Geometry) -> Spec:
    shape = (x.shape[0], w.shape[0], *geometry.counts(x.shape[2:], w.shape[2:]))
    return spec(shape, np.result_type(x.dtype, w.dtype))


def _to_input_spec(g: Spec, w: Spec, *, lengths: Lengths, geometry: Geometry) -> Spec:
    return spec((g.shape[0], geometry.groups * w.shape[1], *lengths), np.result_type(g.dtype, w.dtype))


def _to_kernel_spec(x: Spec, g: Spec, *, kernel: Lengths, geometry: Geometry) -> Spec:
    shape = (g.shape[1], x.shape[1] // geometry.groups, *kernel)
    return spec(shape, np.result_type(x.dtype, g.dtype))
