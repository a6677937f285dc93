"""Convolutions and their gradients on GPUs: what lies under the kernel is copied together, then cuBLAS multiplies.

CuPy 14 has no cuDNN. So the elements under a kernel, columns of a matrix, are written once, block of images by block:
with C channels, K elements of a kernel, P positions and N images that is N C K P elements, of which at most
:data:`WORKSPACE` bytes exist at a time, and one image at least. Kernels of one element that visit every place read the
images as they are.

The gradient by the images is a convolution itself where the kernel moves by single steps, and there are not many more
outputs than channels. Elsewhere the columns are computed and added up where they came from, axis after axis.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from autodiff.backends.cupy.libraries.copies import in_order
from autodiff.backends.cupy.libraries.gemm import multipliable, multiply, turned
from autodiff.ops.images import convolution
from autodiff.ops.images.counting import Lengths
from autodiff.ops.images.geometry import Geometry
from autodiff.ops.images.overlap import overlap_add
from autodiff.trace.tape import Equation

WORKSPACE = 1 << 26
"""Bytes of the columns that exist at a time."""

MANY = 2
"""With more than so many outputs for each channel the gradient by the images is no convolution: the columns of what
has the outputs would be the larger ones."""


def convolve(x: Any, w: Any, *, geometry: Geometry, out: Any = None) -> Any:
    """Images (N, C, lengths) under kernels (O, C / groups, kernel): (N, O, counts)."""
    x, w, dtype = alike(x, w)
    if not multipliable(dtype):
        return convolution.convolve.evaluate(x, w, geometry=geometry)
    counts = geometry.counts(x.shape[2:], w.shape[2:])
    out = empty((x.shape[0], w.shape[0], *counts), dtype) if out is None else out
    matrices = by_group(w, geometry.groups)
    results = out.reshape(out.shape[0], geometry.groups, -1, prod(counts)) if out.size else out
    if not out.size or not matrices.size:
        out.fill(0)
    elif pointwise(w.shape[2:], geometry):
        multiply(matrices, x.reshape(x.shape[0], geometry.groups, -1, prod(counts)), results)
    else:
        for first, last, columns in columns_of(x, w.shape[2:], geometry):
            multiply(matrices, columns, results[first:last])
    return out


def convolve_to_input(g: Any, w: Any, *, lengths: Lengths, geometry: Geometry, out: Any = None) -> Any:
    """The transpose by the images: (N, O, counts) to (N, C, lengths)."""
    g, w, dtype = alike(g, w)
    if not multipliable(dtype):
        return convolution.convolve_to_input.evaluate(g, w, lengths=lengths, geometry=geometry)
    groups, kernel = geometry.groups, w.shape[2:]
    out = empty((g.shape[0], groups * w.shape[1], *lengths), dtype) if out is None else out
    if not out.size or not g.size or not w.size:
        out.fill(0)
    elif pointwise(kernel, geometry):
        columns = out.reshape(out.shape[0], groups, -1, prod(lengths))
        multiply(turned(by_group(w, groups)), g.reshape(g.shape[0], groups, -1, prod(lengths)), columns)
    elif is_convolution(w.shape, geometry):
        convolve(g, backwards(w, groups), geometry=around(geometry, kernel), out=out)
    else:
        add_columns(g, w, lengths, geometry, out)
    return out


def convolve_to_kernel(x: Any, g: Any, *, kernel: Lengths, geometry: Geometry, out: Any = None) -> Any:
    """The transpose by the kernels: images and results to (O, C / groups, kernel)."""
    x, g, dtype = alike(x, g)
    if not multipliable(dtype):
        return convolution.convolve_to_kernel.evaluate(x, g, kernel=kernel, geometry=geometry)
    groups, channels = geometry.groups, x.shape[1] // geometry.groups
    out = empty((g.shape[1], channels, *kernel), dtype) if out is None else out
    if not out.size or not g.size:
        out.fill(0)
        return out
    half = dtype.itemsize == 2
    found = out.reshape(groups, g.shape[1] // groups, channels * prod(kernel))
    total = empty(found.shape, np.float32) if half else found
    for first, last, columns in columns_of(x, kernel, geometry, together=True):
        own = g[first:last].reshape(last - first, groups, g.shape[1] // groups, -1)
        apart = own.transpose(1, 2, 0, 3)
        apart = apart if apart.flags.c_contiguous else in_order(apart)
        results = apart.reshape(groups, g.shape[1] // groups, -1)
        multiply(results, turned(columns), total, add=first > 0)
    if half:
        found[...] = total
    return out


# Columns.


def columns_of(x: Any, kernel: Lengths, geometry: Geometry, together: bool = False) -> Iterator[tuple[int, int, Any]]:
    """What lies under the kernel, block by block.

    Args:
        x: images.
        kernel: its lengths.
        geometry: how it moves.
        together: whether the positions of all images of a block are one axis.

    Yields:
        the first image of the block, the first one behind it, and matrices: (images, groups, channels * kernel,
        positions), or (groups, channels * kernel, images * positions). The next block has the same memory.
    """
    images, groups, channels = x.shape[0], geometry.groups, x.shape[1] // geometry.groups
    counts = geometry.counts(x.shape[2:], kernel)
    many = images_at_once(x.shape[1] * prod(kernel) * prod(counts) * x.itemsize, images)
    bare = not any(map(any, geometry.padding))
    padded = None if bare else zeros((many, x.shape[1], *geometry.padded(x.shape[2:])), x.dtype)
    memory = empty((many * x.shape[1] * prod(kernel) * prod(counts),), x.dtype)
    for first in range(0, images, many):
        last = min(first + many, images)
        size = last - first
        block = x[first:last]
        if padded is not None:
            padded[(slice(size), slice(None), *inside(x.shape[2:], geometry))] = block
            block = padded[:size]
        lengths = (groups, channels, *kernel, size, *counts) if together else (size, groups, channels, *kernel, *counts)
        columns = memory[: prod(lengths)].reshape(lengths)
        in_order(under_kernel(block, lengths, geometry, together), columns)
        inner = channels * prod(kernel)
        shape = (groups, inner, size * prod(counts)) if together else (size, groups, inner, prod(counts))
        yield first, last, columns.reshape(shape)


def under_kernel(x: Any, lengths: Lengths, geometry: Geometry, together: bool) -> Any:
    """A view of images in which every element appears as often as the kernel lies over it."""
    image, channel, *steps = x.strides
    group = channel * (x.shape[1] // geometry.groups)
    taken = [step * d for step, d in zip(steps, geometry.dilation, strict=True)]
    moved = [step * s for step, s in zip(steps, geometry.stride, strict=True)]
    strides = (group, channel, *taken, image, *moved) if together else (image, group, channel, *taken, *moved)
    return sys.modules["cupy"].lib.stride_tricks.as_strided(x, lengths, strides)


def add_columns(g: Any, w: Any, lengths: Lengths, geometry: Geometry, out: Any) -> None:
    """Compute columns, and add them up where they came from; those of float16 in float32."""
    images, groups, kernel, counts = g.shape[0], geometry.groups, w.shape[2:], g.shape[2:]
    sums = np.dtype(np.float32) if g.itemsize == 2 else g.dtype
    matrices, rank = turned(by_group(w, groups)), geometry.rank
    inner = w.shape[1] * prod(kernel)
    many = images_at_once(groups * inner * prod(counts) * sums.itemsize, images)
    memory = empty((many, groups, inner, prod(counts)), sums)
    order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    for first in range(0, images, many):
        last = min(first + many, images)
        columns = memory[: last - first]
        multiply(matrices, g[first:last].reshape(last - first, groups, -1, prod(counts)), columns)
        taken = columns.reshape(last - first, out.shape[1], *kernel, *counts).transpose(order)
        laid = overlap_add.evaluate(
            taken, lengths=geometry.padded(lengths), stride=geometry.stride, dilation=geometry.dilation
        )
        out[first:last] = laid[(slice(None), slice(None), *inside(lengths, geometry))]


def images_at_once(size: int, images: int) -> int:
    """Of how many images the columns exist at a time, if those of one have so many bytes."""
    return max(1, min(images, WORKSPACE // max(size, 1)))


def inside(lengths: Lengths, geometry: Geometry) -> tuple[slice, ...]:
    """Where images lie in their padding."""
    return tuple(slice(low, low + length) for length, (low, _) in zip(lengths, geometry.padding, strict=True))


# Geometry.


def pointwise(kernel: Lengths, geometry: Geometry) -> bool:
    """Whether each result is made of one position of an image, and every position makes one."""
    return set(kernel) <= {1} and set(geometry.stride) == {1} and not any(map(any, geometry.padding))


def is_convolution(shape: Lengths, geometry: Geometry) -> bool:
    """Whether the gradient by the images is a convolution that is worth computing as one."""
    outputs, channels = shape[0] // geometry.groups, shape[1]
    fits = all(
        max(widths) <= reach for widths, reach in zip(geometry.padding, reaches(geometry, shape[2:]), strict=True)
    )
    return fits and set(geometry.stride) == {1} and outputs <= MANY * channels


def reaches(geometry: Geometry, kernel: Lengths) -> list[int]:
    """How far the kernel reaches, from its first element to its last one."""
    return [d * (length - 1) for d, length in zip(geometry.dilation, kernel, strict=True)]


def around(geometry: Geometry, kernel: Lengths) -> Geometry:
    """How the kernel moves backwards: over what lies around the results."""
    widths = zip(geometry.padding, reaches(geometry, kernel), strict=True)
    return geometry._replace(padding=tuple((reach - low, reach - high) for (low, high), reach in widths))


def backwards(w: Any, groups: int) -> Any:
    """Kernels read from their ends, with channels for outputs."""
    apart = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    flipped = apart[(..., *(slice(None, None, -1),) * (w.ndim - 2))]
    return flipped.swapaxes(1, 2).reshape(groups * w.shape[1], w.shape[0] // groups, *w.shape[2:])


def by_group(w: Any, groups: int) -> Any:
    """Kernels (O, C / groups, kernel) as matrices (groups, O / groups, C / groups * kernel)."""
    return w.reshape(groups, w.shape[0] // groups, prod(w.shape[1:]))


# Arrays.


def alike(x: Any, y: Any) -> tuple[Any, Any, np.dtype[Any]]:
    """Operands of one dtype, and the dtype."""
    dtype = np.result_type(x.dtype, y.dtype)
    return x.astype(dtype, copy=False), y.astype(dtype, copy=False), dtype


def empty(shape: Sequence[int], dtype: Any) -> Any:
    """New memory on the current GPU."""
    return sys.modules["cupy"].empty(tuple(shape), dtype)


def zeros(shape: Sequence[int], dtype: Any) -> Any:
    """Zeros on the current GPU."""
    return sys.modules["cupy"].zeros(tuple(shape), dtype)


EVALUATORS: dict[str, Callable[..., Any]] = {
    "convolve_nd": convolve,
    "convolve_to_input": convolve_to_input,
    "convolve_to_kernel": convolve_to_kernel,
}
"""What the primitives of these names do to plain arrays on a GPU."""


def convolution_call(equation: Equation) -> Callable[..., Any] | None:
    """The function of arrays on a GPU that computes a convolution or one of its gradients; None for anything else.

    It takes the operands, and ``out=``: memory for the result, in C order.
    """
    function = EVALUATORS.get(equation.primitive.name)
    if function is None or not multipliable(equation.specs[0].dtype):
        return None
    return partial(function, **dict(equation.params))
