"""scipy.signal for plain and traced values alike: convolutions, linear filters and spectra."""

from autodiff.scipy.mirror import mirrored
from autodiff.scipy.signal.filters import (
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    decimate,
    detrend,
    fftconvolve,
    filtfilt,
    hilbert,
    lfilter,
    oaconvolve,
    resample,
    resample_poly,
    savgol_filter,
    sosfilt,
    sosfiltfilt,
    upfirdn,
)
from autodiff.scipy.signal.spectra import coherence, csd, freqz, istft, periodogram, spectrogram, stft, welch

__getattr__ = mirrored("scipy.signal")

__all__ = [
    "coherence",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "csd",
    "decimate",
    "detrend",
    "fftconvolve",
    "filtfilt",
    "freqz",
    "hilbert",
    "istft",
    "lfilter",
    "oaconvolve",
    "periodogram",
    "resample",
    "resample_poly",
    "savgol_filter",
    "sosfilt",
    "sosfiltfilt",
    "spectrogram",
    "stft",
    "upfirdn",
    "welch",
]
