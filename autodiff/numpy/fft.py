"""``np.fft``: transforms along one axis, and along several one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.numpy.axes import negative_axes, negative_axis
from autodiff.numpy.dispatch import as_operand, implements, write_outs
from autodiff.ops import fft as ops
from autodiff.ops.fft import REVERSED, Norm, resized
from autodiff.ops.join import roll
from autodiff.ops.matrices.products import conj
from autodiff.trace.errors import OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

NORMS = "None, 'backward', 'ortho' or 'forward'"
Transform = Callable[[Any, int | None, int, Norm], Any]


def finished(result: Any, out: Any) -> Any:
    """A result, written into the array given as ``out=``."""
    return result if out is None else write_outs((out,), result)


def _checked(n: Any, length: int, norm: Norm) -> int:
    """The number of points of a transform."""
    points = length if n is None else int(n)
    if points < 1:
        raise OperandError(f"a Fourier transform got {points} points{at_user_line()}; it needs one at least")
    if norm not in REVERSED:
        raise OperandError(f"a Fourier transform got norm={norm!r}{at_user_line()}; it must be {NORMS}")
    return points


# Along one axis.


def _complex(a: Any, n: int | None, axis: int, norm: Norm, inverse: bool) -> Any:
    own = spec_of(a)
    axis = negative_axis(axis, own.ndim)
    n = _checked(n, own.shape[axis], norm)
    return ops.fft(resized(a, axis, n), axis=axis, norm=norm, inverse=inverse)


def _forward(a: Any, n: int | None, axis: int, norm: Norm) -> Any:
    return _complex(a, n, axis, norm, inverse=False)


def _inverse(a: Any, n: int | None, axis: int, norm: Norm) -> Any:
    return _complex(a, n, axis, norm, inverse=True)


def _half(a: Any, n: int | None, axis: int, norm: Norm) -> Any:
    own = spec_of(a)
    if own.dtype.kind == "c":
        raise TypeError(f"rfft takes real values, got {own!r}{at_user_line()}; use fft")
    axis = negative_axis(axis, own.ndim)
    n = _checked(n, own.shape[axis], norm)
    return ops.rfft(resized(a, axis, n), axis=axis, norm=norm)


def _from_half(a: Any, n: int | None, axis: int, norm: Norm) -> Any:
    own = spec_of(a)
    axis = negative_axis(axis, own.ndim)
    n = _checked(n, 2 * (own.shape[axis] - 1), norm)
    return ops.irfft(resized(a, axis, n // 2 + 1), axis=axis, length=n, norm=norm)


@implements(np.fft.fft)
def fft(a: Any, n: int | None = None, axis: int = -1, norm: Norm = None, out: Any = None) -> Any:
    """The discrete Fourier transform."""
    return finished(_forward(as_operand(a), n, axis, norm), out)


@implements(np.fft.ifft)
def ifft(a: Any, n: int | None = None, axis: int = -1, norm: Norm = None, out: Any = None) -> Any:
    """The inverse transform."""
    return finished(_inverse(as_operand(a), n, axis, norm), out)


@implements(np.fft.rfft)
def rfft(a: Any, n: int | None = None, axis: int = -1, norm: Norm = None, out: Any = None) -> Any:
    """The first half of the transform of real values."""
    return finished(_half(as_operand(a), n, axis, norm), out)


@implements(np.fft.irfft)
def irfft(a: Any, n: int | None = None, axis: int = -1, norm: Norm = None, out: Any = None) -> Any:
    """The real values with a given first half of their transform."""
    return finished(_from_half(as_operand(a), n, axis, norm), out)


@implements(np.fft.hfft)
def hfft(a: Any, n: int | None = None, axis: int = -1, norm: Norm = None, out: Any = None) -> Any:
    """The real transform of values of which the first half is given and the other its conjugated mirror image."""
    a = as_operand(a)
    _checked(n, 1, norm)
    return finished(_from_half(conj(a), n, axis, REVERSED[norm]), out)


@implements(np.fft.ihfft)
def ihfft(a: Any, n: int | None = None, axis: int = -1, norm: Norm = None, out: Any = None) -> Any:
    """The first half of the inverse transform of real values."""
    a = as_operand(a)
    _checked(n, 1, norm)
    return finished(conj(_half(a, n, axis, REVERSED[norm])), out)


# Along several axes.


def _lengths(a: Any, s: Any, axes: Any, halved: bool = False) -> tuple[list[int], list[int]]:
    """The number of points along each axis, and the axes; the last may be given by its half."""
    shape = spec_of(a).shape
    if axes is None:
        axes = range(len(shape)) if s is None else range(-len(s), 0)
    axes = [negative_axis(axis, len(shape)) for axis in axes]
    own = [shape[axis] for axis in axes]
    if s is None:
        return ([*own[:-1], 2 * (own[-1] - 1)] if halved else own), axes
    if len(s) != len(axes):
        raise OperandError(
            f"a Fourier transform got {len(s)} lengths for {len(axes)} axes{at_user_line()}; give as many"
        )
    return [length if n == -1 else int(n) for n, length in zip(s, own, strict=True)], axes


def _one_by_one(transform: Transform, a: Any, lengths: Sequence[int], axes: Sequence[int], norm: Norm) -> Any:
    for n, axis in zip(lengths, axes, strict=True):
        a = transform(a, n, axis, norm)
    return a


def _several(transform: Transform, a: Any, s: Any, axes: Any, norm: Norm, out: Any) -> Any:
    a = as_operand(a)
    lengths, axes = _lengths(a, s, axes)
    return finished(_one_by_one(transform, a, lengths[::-1], axes[::-1], norm), out)


@implements(np.fft.fftn)
def fftn(a: Any, s: Any = None, axes: Any = None, norm: Norm = None, out: Any = None) -> Any:
    """The transform along several axes."""
    return _several(_forward, a, s, axes, norm, out)


@implements(np.fft.ifftn)
def ifftn(a: Any, s: Any = None, axes: Any = None, norm: Norm = None, out: Any = None) -> Any:
    """The inverse transform along several axes."""
    return _several(_inverse, a, s, axes, norm, out)


@implements(np.fft.fft2)
def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Norm = None, out: Any = None) -> Any:
    """The transform along two axes."""
    return _several(_forward, a, s, axes, norm, out)


@implements(np.fft.ifft2)
def ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Norm = None, out: Any = None) -> Any:
    """The inverse transform along two axes."""
    return _several(_inverse, a, s, axes, norm, out)


@implements(np.fft.rfftn)
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Norm = None, out: Any = None) -> Any:
    """The transform of real values along several axes; of the last one its first half."""
    a = as_operand(a)
    lengths, axes = _lengths(a, s, axes)
    half = _half(a, lengths[-1], axes[-1], norm)
    return finished(_one_by_one(_forward, half, lengths[-2::-1], axes[-2::-1], norm), out)


@implements(np.fft.irfftn)
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Norm = None, out: Any = None) -> Any:
    """The real values with a given transform along several axes, of the last one its first half."""
    a = as_operand(a)
    lengths, axes = _lengths(a, s, axes, halved=True)
    inner = _one_by_one(_inverse, a, lengths[:-1], axes[:-1], norm)
    return finished(_from_half(inner, lengths[-1], axes[-1], norm), out)


@implements(np.fft.rfft2)
def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Norm = None, out: Any = None) -> Any:
    """The transform of real values along two axes; of the last one its first half."""
    return rfftn(a, s, axes, norm, out)


@implements(np.fft.irfft2)
def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Norm = None, out: Any = None) -> Any:
    """The real values with a given transform along two axes, of the last one its first half."""
    return irfftn(a, s, axes, norm, out)


# Moving the zero frequency.


def _moved(x: Any, axes: Any, amount: Callable[[int], int]) -> Any:
    x = as_operand(x)
    shape = spec_of(x).shape
    places = negative_axes(axes, len(shape))
    return roll(x, shifts=tuple(amount(shape[axis]) for axis in places), axes=places)


@implements(np.fft.fftshift)
def fftshift(x: Any, axes: Any = None) -> Any:
    """The zero frequency in the middle."""
    return _moved(x, axes, lambda length: length // 2)


@implements(np.fft.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Any:
    """The zero frequency back at the begin."""
    return _moved(x, axes, lambda length: -(length // 2))
