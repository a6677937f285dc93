"""scipy.signal for plain and traced values alike: convolutions, linear filters and spectra."""

from autodiff.scipy.python_code import with_formulas
from autodiff.scipy.signal.filters import (
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    detrend,
    fftconvolve,
    hilbert,
    oaconvolve,
    savgol_filter,
)
from autodiff.scipy.signal.recursive import filtfilt, lfilter, lfilter_zi, sosfilt, sosfilt_zi, sosfiltfilt
from autodiff.scipy.signal.resampling import decimate, resample, resample_poly, upfirdn
from autodiff.scipy.signal.spectra import coherence, csd, freqz, istft, periodogram, spectrogram, stft, welch

FORMULAS = """
    sawtooth gausspulse sweep_poly freqz_zpk freqs_zpk lp2lp_zpk lp2hp_zpk lp2bp_zpk lp2bs_zpk bilinear_zpk zpk2tf
    lp2lp lp2hp lp2bp lp2bs residue residuez invres invresz vectorstrength kaiser_atten kaiser_beta czt_points
    firwin lombscargle
"""
"""Functions that are formulas in SciPy."""

__getattr__ = with_formulas("scipy.signal", FORMULAS)

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
    "lfilter_zi",
    "oaconvolve",
    "periodogram",
    "resample",
    "resample_poly",
    "savgol_filter",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "spectrogram",
    "stft",
    "upfirdn",
    "welch",
]
