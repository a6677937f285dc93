"""Convolutions of signals, and filters that are convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import scipy.signal

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops.elementwise import rint
from autodiff.ops.matrices.products import conj
from autodiff.scipy.linear import linear_counterpart
from autodiff.scipy.mirror import counterpart, holds_traced
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

FEW = 128
"""Kernels of so many elements are multiplied element by element, larger ones by Fourier transforms."""


def full_convolution(a: Any, b: Any) -> Any:
    """All sums of products a[i - k] b[k]."""
    lengths = tuple(n + m - 1 for n, m in zip(a.shape, b.shape, strict=True))
    if min(a.size, b.size) > FEW:
        axes = tuple(range(len(lengths)))
        both_real = spec_of(a).dtype.kind != "c" and spec_of(b).dtype.kind != "c"
        spectrum = FUNCTIONS[np.fft.fftn](a, lengths, axes) * FUNCTIONS[np.fft.fftn](b, lengths, axes)
        found = FUNCTIONS[np.fft.ifftn](spectrum, lengths, axes)
        found = found.real if both_real else found
        dtype = np.result_type(spec_of(a).dtype, spec_of(b).dtype)
        return FUNCTIONS[np.astype](rint(found), dtype) if dtype.kind in "iub" else found
    if b.size > a.size:
        a, b = b, a
    total: Any = 0
    for places in product(*map(range, b.shape)):
        around = [(k, length - n - k) for k, length, n in zip(places, lengths, a.shape, strict=True)]
        total = total + FUNCTIONS[np.pad](a, around) * b[places]
    return total


def part_of(full: Any, a: Any, b: Any, mode: str) -> Any:
    """The part of a full convolution that SciPy returns."""
    if mode == "full":
        return full
    if mode == "same":
        sizes = a.shape
    elif mode == "valid":
        sizes = tuple(abs(n - m) + 1 for n, m in zip(a.shape, b.shape, strict=True))
    else:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    starts = [(length - size) // 2 for length, size in zip(full.shape, sizes, strict=True)]
    return full[tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))]


def operands(in1: Any, in2: Any) -> tuple[Any, Any]:
    """The two arrays of a convolution."""
    a, b = as_operand(in1), as_operand(in2)
    if np.ndim(a) != np.ndim(b):
        raise ValueError(
            f"a convolution needs two arrays with as many axes each, got {spec_of(a)} and {spec_of(b)}{at_user_line()}"
        )
    if 0 in (*np.shape(a), *np.shape(b)):
        raise ValueError(f"a convolution needs elements, got {spec_of(a)} and {spec_of(b)}{at_user_line()}")
    return a, b


@counterpart(scipy.signal.convolve)
def convolve(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """The convolution of two arrays with as many axes each."""
    a, b = operands(in1, in2)
    if np.ndim(a) == np.ndim(b) == 0:
        return a * b
    if mode == "valid":
        check_lengths(a, b, list(zip(a.shape, b.shape, strict=True)))
    return part_of(full_convolution(a, b), a, b, mode)


def check_lengths(a: Any, b: Any, lengths: Sequence[tuple[int, int]]) -> None:
    """Refuse arrays of which neither is as long as the other along all axes."""
    differences = [n - m for n, m in lengths]
    if min(differences, default=0) < 0 < max(differences, default=0):
        raise ValueError(
            f"mode 'valid' needs one array that is at least as long as the other along each axis, got {spec_of(a)} and "
            f"{spec_of(b)}{at_user_line()}"
        )


@counterpart(scipy.signal.fftconvolve)
def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """The convolution of two arrays with as many axes each."""
    if axes is not None:
        raise DifferentiationError(f"fftconvolve of traced values has no axes={axes!r}{at_user_line()}; use vmap")
    a, b = operands(inexact(in1), inexact(in2))
    if mode == "valid":  # SciPy repeats axes of length 1 here
        check_lengths(a, b, [pair for pair in zip(a.shape, b.shape, strict=True) if 1 not in pair])
    return part_of(full_convolution(a, b), a, b, mode) if np.ndim(a) else a * b


def inexact(x: Any) -> Any:
    """An array of real or complex numbers, those of integers in double precision."""
    x = as_operand(x)
    return x if spec_of(x).dtype.kind in "fc" else x * 1.0


@counterpart(scipy.signal.oaconvolve)
def oaconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """The convolution of two arrays with as many axes each."""
    return fftconvolve(in1, in2, mode, axes)


@counterpart(scipy.signal.correlate)
def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """The correlation of two arrays: the convolution with the second one reversed and conjugated."""
    a, b = operands(in1, in2)
    if mode == "valid" and any(n < m for n, m in zip(np.shape(a), np.shape(b), strict=True)):
        return conj(FUNCTIONS[np.flip](convolve(b, conj(FUNCTIONS[np.flip](a)), mode)))
    return convolve(a, conj(FUNCTIONS[np.flip](b)), mode)


def plain_edges(name: str, boundary: str, fillvalue: Any) -> None:
    """Refuse edges that are not zero."""
    if boundary != "fill" or holds_traced(fillvalue) or fillvalue != 0:
        raise DifferentiationError(
            f"{name} of traced values takes zeros around the arrays{at_user_line()}; pad them with np.pad"
        )


@counterpart(scipy.signal.convolve2d)
def convolve2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    """The convolution of two matrices."""
    plain_edges("convolve2d", boundary, fillvalue)
    return convolve(in1, in2, mode)


@counterpart(scipy.signal.correlate2d)
def correlate2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    """The correlation of two matrices."""
    plain_edges("correlate2d", boundary, fillvalue)
    if mode != "same":
        return correlate(in1, in2, mode)
    a, b = operands(in1, in2)
    starts = [length // 2 for length in b.shape]  # beyond the middle, where correlate stays before it
    return correlate(a, b)[tuple(slice(start, start + size) for start, size in zip(starts, a.shape, strict=True))]


def smoothed_back(g: Any, length: int, options: Any) -> Any:
    """The transpose of smoothing by polynomials, of which each element knows the elements around it alone."""
    reach = options["window_length"]

    def smoothed(x: Any) -> Any:
        return scipy.signal.savgol_filter(x, axis=-1, **{**options, "cval": 0.0})

    if length <= 4 * reach:
        return g @ smoothed(np.eye(length)).T
    small = smoothed(np.eye(4 * reach))  # rows: what elements in the middle, and those near the ends, are made of
    kernel = small[reach : 3 * reach + 1, 2 * reach]
    inside = np.array(g)
    inside[..., :reach] = inside[..., -reach:] = 0
    found = scipy.signal.convolve(inside, kernel.reshape((1,) * (g.ndim - 1) + (-1,)))[..., reach : reach + length]
    for own, columns in ((g[..., :reach], small[:, :reach]), (g[..., -reach:], small[:, -reach:])):
        ends = own @ columns.T
        found[..., : 2 * reach] += ends[..., : 2 * reach]
        found[..., -2 * reach :] += ends[..., 2 * reach :]
    return found


def orthogonal(g: Any, length: int, options: Any) -> Any:
    """What is left of a signal beside lines is an orthogonal projection, which is its own transpose."""
    return scipy.signal.detrend(g, axis=-1, **options)


detrend = linear_counterpart(scipy.signal.detrend, "scipy.signal.detrend", transposed=orthogonal)
savgol_filter = linear_counterpart(scipy.signal.savgol_filter, "scipy.signal.savgol_filter", transposed=smoothed_back)


@counterpart(scipy.signal.hilbert)
def hilbert(x: Any, N: Any = None, axis: int = -1) -> Any:
    """The analytic signal, whose real part is a real signal."""
    x = as_operand(x)
    if spec_of(x).dtype.kind == "c":
        raise ValueError(f"hilbert takes a real signal, and got {spec_of(x)!r}{at_user_line()}")
    x = FUNCTIONS[np.moveaxis](x, axis, -1)
    count = x.shape[-1] if N is None else int(N)
    if count < 1:
        raise ValueError(f"N is positive, and not {N}")
    weights = np.zeros(count)
    weights[0], weights[1 : (count + 1) // 2] = 1, 2
    if count % 2 == 0:
        weights[count // 2] = 1
    spectrum = FUNCTIONS[np.fft.fft](x, count)
    weights = weights.astype(spec_of(spectrum.real).dtype)
    return FUNCTIONS[np.moveaxis](FUNCTIONS[np.fft.ifft](spectrum * weights), -1, axis)
