"""scipy.signal for plain and traced values alike: convolutions, linear filters and spectra."""

from autodiff.scipy.mirror import mirrored
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
from autodiff.scipy.signal.peaks import find_peaks, peak_prominences, peak_widths
from autodiff.scipy.signal.recursive import filtfilt, lfilter, lfilter_zi, sosfilt, sosfilt_zi, sosfiltfilt
from autodiff.scipy.signal.resampling import decimate, resample, resample_poly, upfirdn
from autodiff.scipy.signal.spectra import coherence, csd, freqz, istft, periodogram, spectrogram, stft, welch

FORMULAS = """
    sawtooth gausspulse sweep_poly freqz_zpk freqs_zpk lp2lp_zpk lp2hp_zpk lp2bp_zpk lp2bs_zpk bilinear_zpk zpk2tf
    lp2lp lp2hp lp2bp lp2bs residue residuez invres invresz vectorstrength kaiser_atten kaiser_beta czt_points
    firwin lombscargle butter cheby1 cheby2 ellip bessel iirfilter iirnotch iirpeak iircomb firwin2 chirp square
    gauss_spline freqs freqz_sos group_delay tf2zpk tf2sos zpk2sos sos2tf tf2ss zpk2ss ss2tf ss2zpk normalize hilbert2
    envelope lsim dlsim
"""
"""Functions that are formulas in SciPy."""

CONSTANTS = "argrelextrema argrelmax argrelmin find_peaks_cwt check_COLA check_NOLA"
"""Functions whose results are places and truths."""

__getattr__ = with_formulas("scipy.signal", FORMULAS, mirrored("scipy.signal", constants=CONSTANTS))

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
    "find_peaks",
    "freqz",
    "hilbert",
    "istft",
    "lfilter",
    "lfilter_zi",
    "oaconvolve",
    "peak_prominences",
    "peak_widths",
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
