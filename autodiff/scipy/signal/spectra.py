"""Spectra of signals in segments: Fourier transforms of windows that move along, and means of their squares."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.signal

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops import elementwise as ew
from autodiff.ops.matrices.products import conj
from autodiff.scipy.mirror import counterpart, holds_traced
from autodiff.scipy.signal.filters import detrend
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

EDGES = {"even": "reflect", "constant": "edge", "zeros": "constant"}
"""What NumPy calls SciPy's ways to go on beyond the ends."""


class Segments(NamedTuple):
    """How a signal is cut: SciPy's options, completed.

    Attributes:
        window: the weights of one segment.
        step: from one segment to the next.
        nfft: the length of transforms.
        detrend: what is taken out of each segment; False or None for nothing.
        scale: by which squares are multiplied.
    """

    window: Any
    step: int
    nfft: int
    detrend: Any
    scale: float


def segments(
    name: str, length: int, fs: float, window: Any, nperseg: Any, noverlap: Any, nfft: Any, detrend: Any, scaling: str
) -> Segments:
    """How a signal of a length is cut."""
    if isinstance(window, (str, tuple)):
        size = min(256 if nperseg is None else int(nperseg), length)
        window = scipy.signal.get_window(window, size)
    window = np.asarray(window, float)
    size = window.size
    overlap = size // 2 if noverlap is None else int(noverlap)
    if size > length or overlap >= size or (nfft is not None and nfft < size):
        raise ValueError(f"{name} cannot cut {length} samples into segments of {size} that overlap by {overlap}")
    power = fs * np.sum(window**2) if scaling in ("density", "psd") else np.sum(window) ** 2
    return Segments(window, size - overlap, size if nfft is None else int(nfft), detrend, float(1.0 / power))


def real_signal(name: str, x: Any, axis: int) -> Any:
    """A signal along the last axis.

    Raises:
        DifferentiationError: if it is complex.
    """
    x = FUNCTIONS[np.moveaxis](as_operand(x) * 1.0, axis, -1)
    if spec_of(x).dtype.kind == "c":
        raise DifferentiationError(f"{name} of a traced complex signal has no rule{at_user_line()}; take real parts")
    return x


def transforms(x: Any, cut: Segments) -> Any:
    """The Fourier transforms of all segments, the frequencies along the last axis."""
    size = cut.window.size
    count = (spec_of(x).shape[-1] - size) // cut.step + 1
    parts = x[..., np.arange(count)[:, None] * cut.step + np.arange(size)]
    if cut.detrend in ("constant", "c"):
        parts = parts - FUNCTIONS[np.mean](parts, -1, keepdims=True)
    elif cut.detrend in ("linear", "l"):
        parts = detrend(parts)
    elif cut.detrend:
        parts = cut.detrend(parts)
    return FUNCTIONS[np.fft.rfft](parts * cut.window.astype(spec_of(parts).dtype), cut.nfft)


def one_sided(squares: Any, nfft: int) -> Any:
    """Squares at frequencies that are not negative, those of the negative ones added."""
    twice = np.full(nfft // 2 + 1, 2.0, spec_of(squares.real).dtype)
    twice[0] = 1.0
    if nfft % 2 == 0:
        twice[-1] = 1.0
    return squares * twice


def refuse(name: str, **options: Any) -> None:
    """Refuse options that have no derivative here."""
    for option, (value, usual) in options.items():
        if value != usual:
            raise DifferentiationError(
                f"{name} of traced values has no {option}={value!r}{at_user_line()}; leave it out"
            )


@counterpart(scipy.signal.csd)
def csd(
    x: Any,
    y: Any,
    fs: float = 1.0,
    window: Any = "hann",
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Any, Any]:
    """Frequencies, and the mean over segments of the product of two spectra."""
    refuse("csd", return_onesided=(return_onesided, True), average=(average, "mean"))
    x, y = real_signal("csd", x, axis), real_signal("csd", y, axis)
    length = max(spec_of(x).shape[-1], spec_of(y).shape[-1])
    x, y = (
        FUNCTIONS[np.pad](s, [(0, 0)] * (spec_of(s).ndim - 1) + [(0, length - spec_of(s).shape[-1])]) for s in (x, y)
    )
    cut = segments("csd", length, fs, window, nperseg, noverlap, nfft, detrend, scaling)
    products = conj(transforms(x, cut)) * transforms(y, cut) * cut.scale
    found = FUNCTIONS[np.mean](one_sided(products, cut.nfft), -2)
    return np.fft.rfftfreq(cut.nfft, 1 / fs), FUNCTIONS[np.moveaxis](found, -1, axis)


@counterpart(scipy.signal.welch)
def welch(x: Any, *args: Any, **options: Any) -> tuple[Any, Any]:
    """Frequencies, and the mean over segments of the squares of the spectrum.

    >>> import numpy as np, autodiff
    >>> t = np.arange(64.0)
    >>> round(autodiff.grad(lambda a: np.sum(welch(a * np.sin(t), nperseg=16)[1]))(1.0), 6)
    16.145527
    """
    frequencies, found = csd.__wrapped__(x, x, *args, **options)  # type: ignore[attr-defined]
    return frequencies, found.real


@counterpart(scipy.signal.periodogram)
def periodogram(
    x: Any,
    fs: float = 1.0,
    window: Any = "boxcar",
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
) -> tuple[Any, Any]:
    """Frequencies, and the squares of the spectrum of the whole signal."""
    length = spec_of(as_operand(x)).shape[axis]
    if nfft is not None and nfft < length:
        raise DifferentiationError(f"periodogram of traced values has no nfft={nfft}{at_user_line()}; cut the signal")
    window = "boxcar" if window is None else window
    return welch(x, fs, window, length, 0, nfft, detrend, return_onesided, scaling, axis)


@counterpart(scipy.signal.coherence)
def coherence(x: Any, y: Any, *args: Any, **options: Any) -> tuple[Any, Any]:
    """Frequencies, and the square of the product of two spectra over that of each."""
    frequencies, both = csd(x, y, *args, **options)
    first, second = welch(x, *args, **options)[1], welch(y, *args, **options)[1]
    return frequencies, (both.real * both.real + both.imag * both.imag) / first / second


@counterpart(scipy.signal.spectrogram)
def spectrogram(
    x: Any,
    fs: float = 1.0,
    window: Any = ("tukey_periodic", 0.25),
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    mode: str = "psd",
) -> tuple[Any, Any, Any]:
    """Frequencies, times, and the squares of the spectrum of each segment, or its transform or size."""
    refuse("spectrogram", return_onesided=(return_onesided, True))
    if mode not in ("psd", "complex", "magnitude"):
        raise DifferentiationError(
            f"spectrogram of traced values has no mode={mode!r}{at_user_line()}; it has psd, complex and magnitude"
        )
    x = real_signal("spectrogram", x, axis)
    length = spec_of(x).shape[-1]
    size = min(256 if nperseg is None else int(nperseg), length) if isinstance(window, (str, tuple)) else len(window)
    noverlap = size // 8 if noverlap is None else noverlap
    cut = segments("spectrogram", length, fs, window, nperseg, noverlap, nfft, detrend, scaling)
    found = transforms(x, cut)
    if mode == "psd":
        found = one_sided(found.real * found.real + found.imag * found.imag, cut.nfft) * cut.scale
    else:
        found = found * math.sqrt(cut.scale)
        found = ew.absolute(found) if mode == "magnitude" else found
    count = spec_of(found).shape[-2]
    times = (np.arange(count) * cut.step + cut.window.size / 2) / fs
    return np.fft.rfftfreq(cut.nfft, 1 / fs), times, placed(found, axis)


def placed(found: Any, axis: int) -> Any:
    """Segments by frequencies as SciPy returns them: frequencies where the signal was, segments last."""
    found = FUNCTIONS[np.swapaxes](found, -1, -2)
    return FUNCTIONS[np.moveaxis](found, -2, axis - 1 if axis < 0 else axis)


@counterpart(scipy.signal.stft)
def stft(
    x: Any,
    fs: float = 1.0,
    window: Any = "hann",
    nperseg: Any = 256,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = False,
    return_onesided: bool = True,
    boundary: Any = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: str = "spectrum",
) -> tuple[Any, Any, Any]:
    """Frequencies, times, and the Fourier transforms of windows that move along a signal."""
    refuse("stft", return_onesided=(return_onesided, True))
    x = real_signal("stft", x, axis)
    length = spec_of(x).shape[-1]
    cut = segments("stft", length, fs, window, nperseg, noverlap, nfft, detrend, scaling)
    size = cut.window.size
    if boundary is not None:
        x = extended(x, size // 2, boundary)
    if padded:
        x = extended(x, (0, -(spec_of(x).shape[-1] - size) % cut.step), "zeros")
    found = transforms(x, cut) * math.sqrt(cut.scale)
    times = (np.arange(spec_of(found).shape[-2]) * cut.step + (0 if boundary is not None else size / 2)) / fs
    return np.fft.rfftfreq(cut.nfft, 1 / fs), times, placed(found, axis)


def extended(x: Any, count: Any, boundary: str) -> Any:
    """A signal that goes on beyond its ends."""
    around: list[Any] = [(0, 0)] * (spec_of(x).ndim - 1)
    if boundary == "odd":
        return FUNCTIONS[np.pad](x, [*around, (count, count)], "reflect", reflect_type="odd")
    return FUNCTIONS[np.pad](x, [*around, count if isinstance(count, tuple) else (count, count)], EDGES[boundary])


@counterpart(scipy.signal.istft)
def istft(
    Zxx: Any,
    fs: float = 1.0,
    window: Any = "hann_periodic",
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: str = "spectrum",
) -> tuple[Any, Any]:
    """Times, and the signal of which Fourier transforms of windows that move along are given."""
    z = as_operand(Zxx)
    ndim = spec_of(z).ndim
    if ndim < 2 or freq_axis % ndim == time_axis % ndim:
        raise ValueError(
            f"istft takes an axis of frequencies and one of segments, and got {spec_of(z)!r}{at_user_line()}"
        )
    z = FUNCTIONS[np.moveaxis](z + 0j, (freq_axis, time_axis), (-2, -1))
    usual = 2 * (z.shape[-2] - 1) if input_onesided else z.shape[-2]
    size = usual if nperseg is None else int(nperseg)
    count = int(nfft) if nfft is not None else size if input_onesided and size == usual + 1 else usual
    step = size - (size // 2 if noverlap is None else int(noverlap))
    if not 0 < step <= size <= count:
        raise ValueError(f"istft got nperseg={size}, noverlap={size - step} and nfft={count}; they must decrease")
    weights = scipy.signal.get_window(window, size) if isinstance(window, (str, tuple)) else np.asarray(window)
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"scaling is 'spectrum' or 'psd', and not {scaling!r}")
    scale = weights.sum() if scaling == "spectrum" else np.sqrt(fs * np.sum(weights**2))
    back = FUNCTIONS[np.fft.irfft if input_onesided else np.fft.ifft](z, count, -2)[..., :size, :]
    dtype = spec_of(back).dtype
    pieces = FUNCTIONS[np.moveaxis](back, -1, -2) * (weights * scale).astype(dtype)
    often = added_up(np.broadcast_to(weights**2, (z.shape[-1], size)), step)
    x = added_up(pieces, step) / np.where(often > TINY, often, 1.0).astype(dtype)
    if boundary:
        x = x[..., size // 2 : -(size // 2)]
    if spec_of(x).ndim > 1:
        segments_at = time_axis % ndim
        x = FUNCTIONS[np.moveaxis](x, -1, segments_at - (freq_axis % ndim < segments_at))
    return np.arange(x.shape[0]) / float(fs), x


TINY = 1e-10
"""Where the squares of all windows together are not larger, SciPy does not divide by them."""


def added_up(pieces: Any, step: int) -> Any:
    """Pieces of one length, each so many elements behind the one before, added up: at once where they are apart."""
    count, size = pieces.shape[-2:]
    apart, lead = -(-size // step), [(0, 0)] * (len(pieces.shape) - 2)
    length, total = size + (count - 1) * step, 0.0
    for first in range(min(apart, count)):
        own = FUNCTIONS[np.pad](pieces[..., first::apart, :], [*lead, (0, 0), (0, apart * step - size)])
        flat = FUNCTIONS[np.reshape](own, (*pieces.shape[:-2], -1))[..., : length - first * step]
        total = total + FUNCTIONS[np.pad](flat, [*lead, (first * step, length - first * step - flat.shape[-1])])
    return total


@counterpart(scipy.signal.freqz)
def freqz(
    b: Any,
    a: Any = 1,
    worN: Any = 512,
    whole: bool = False,
    plot: Any = None,
    fs: Any = 2 * np.pi,
    include_nyquist: bool = False,
) -> tuple[Any, Any]:
    """Frequencies, and the response of a filter there; coefficients, frequencies and the rate may be traced."""
    refuse("freqz", plot=(plot, None))
    if np.ndim(worN) or holds_traced(worN):
        numbers = FUNCTIONS[np.atleast_1d](as_operand(worN))
        angles = numbers * (2 * np.pi / fs)
    else:
        angles = scipy.signal.freqz(np.ones(1), 1, worN, whole, include_nyquist=include_nyquist)[0]
        numbers = angles * (fs / (2 * np.pi))
    b, a = (FUNCTIONS[np.atleast_1d](as_operand(each)) for each in (b, a))
    if spec_of(b).ndim > 1 or spec_of(a).ndim > 1:
        raise DifferentiationError(
            f"freqz of traced values takes one filter{at_user_line()}; use vmap for more of them"
        )
    count = max(spec_of(b).shape[0], spec_of(a).shape[0])
    waves = np.exp(angles[:, None] * (-1j * np.arange(count)))
    above, below = (waves[:, : spec_of(each).shape[0]] @ each for each in (b, a))
    return numbers, above / below
