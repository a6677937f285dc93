"""Convolutions and linear filters of signals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import scipy.signal

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops.elementwise import rint
from autodiff.ops.matrices.products import conj
from autodiff.ops.matrices.triangular import solve_triangular
from autodiff.scipy.linalg.patterns import toeplitz
from autodiff.scipy.linear import along, linear_counterpart
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


@counterpart(scipy.signal.lfilter)
def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """A filter with rational transfer function, whose coefficients may be traced: a triangular system of equations."""
    if zi is not None:
        return lfilter_from(b, a, x, axis, zi)
    if not holds_traced((b, a)):
        return _linear_lfilter(b, a, x, axis=axis)
    x = FUNCTIONS[np.moveaxis](as_operand(x), axis, -1)
    length = x.shape[-1]
    past, future = (_lower(as_operand(each), length) for each in (a, b))
    rows = x.reshape(-1, length) @ FUNCTIONS[np.transpose](future)
    found = solve_triangular(past, FUNCTIONS[np.transpose](rows), lower=True, transposed=False, unit=False)
    return FUNCTIONS[np.moveaxis](FUNCTIONS[np.transpose](found).reshape(x.shape), -1, axis)


def lfilter_from(b: Any, a: Any, x: Any, axis: int, zi: Any) -> tuple[Any, Any]:
    """A filter that goes on from a state: its output, and the state that it leaves; linear in both."""
    if holds_traced((b, a)):
        raise DifferentiationError(
            f"lfilter with zi= has a derivative by the signal and the state{at_user_line()}; keep b and a constant"
        )
    count = max(np.size(a), np.size(b)) - 1
    return with_state(lambda x, zi: scipy.signal.lfilter(b, a, x, zi=zi), x, axis, zi, count)


def with_state(function: Any, x: Any, axis: int, zi: Any, count: int) -> tuple[Any, Any]:
    """A linear function of a signal and a state of so many numbers, along the last axis of both."""
    x, zi = (FUNCTIONS[np.moveaxis](as_operand(each), axis, -1) for each in (x, zi))
    lead = np.broadcast_shapes(x.shape[:-1], zi.shape[:-1])
    both = FUNCTIONS[np.concatenate](
        [FUNCTIONS[np.broadcast_to](each, (*lead, each.shape[-1])) for each in (zi, x)], -1
    )
    found = along(lambda own: np.concatenate(function(own[..., count:], own[..., :count]), -1), both)
    y, state = found[..., : x.shape[-1]], found[..., x.shape[-1] :]
    return FUNCTIONS[np.moveaxis](y, -1, axis), FUNCTIONS[np.moveaxis](state, -1, axis)


def _lower(coefficients: Any, length: int) -> Any:
    """The matrix by which a filter's coefficients multiply a signal."""
    column = FUNCTIONS[np.atleast_1d](coefficients)[:length] * 1.0
    column = FUNCTIONS[np.pad](column, (0, length - column.shape[0]))
    dtype = column.dtype
    if holds_traced(coefficients):
        return toeplitz(column, FUNCTIONS[np.concatenate]([column[:1], np.zeros(length - 1, dtype)]))
    return scipy.signal.lfilter(column, np.ones(1, dtype), np.eye(length, dtype=dtype)).T


_linear_lfilter = linear_counterpart(scipy.signal.lfilter, "scipy.signal.lfilter", 2)
filtfilt = linear_counterpart(scipy.signal.filtfilt, "scipy.signal.filtfilt", 2)
sosfilt = linear_counterpart(scipy.signal.sosfilt, "scipy.signal.sosfilt", 1)
sosfiltfilt = linear_counterpart(scipy.signal.sosfiltfilt, "scipy.signal.sosfiltfilt", 1)
savgol_filter = linear_counterpart(scipy.signal.savgol_filter, "scipy.signal.savgol_filter")
detrend = linear_counterpart(scipy.signal.detrend, "scipy.signal.detrend")
hilbert = linear_counterpart(scipy.signal.hilbert, "scipy.signal.hilbert")
resample = linear_counterpart(scipy.signal.resample, "scipy.signal.resample")
_linear_resample_poly = linear_counterpart(scipy.signal.resample_poly, "scipy.signal.resample_poly")
decimate = linear_counterpart(scipy.signal.decimate, "scipy.signal.decimate")
upfirdn = linear_counterpart(scipy.signal.upfirdn, "scipy.signal.upfirdn", 1)

LEVELS: dict[str, Any] = {"median": np.median, "minimum": np.min, "maximum": np.max}
"""Levels of a signal that are not linear in it."""


@counterpart(scipy.signal.resample_poly)
def resample_poly(
    x: Any,
    up: int,
    down: int,
    axis: int = 0,
    window: Any = ("kaiser", 5.0),
    padtype: Any = "constant",
    cval: Any = None,
) -> Any:
    """The signal at another rate; beyond its ends stand zeros, or a level of it."""
    if padtype not in LEVELS:
        return _linear_resample_poly(x, up, down, axis, window, padtype, cval)
    x = as_operand(x)
    level = FUNCTIONS[LEVELS[padtype]](x, axis, keepdims=True)
    return _linear_resample_poly(x - level, up, down, axis, window) + level
