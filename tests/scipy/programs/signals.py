"""Programs of scipy.signal, ndimage and fft."""

import numpy as np
import scipy.signal as sg

from autodiff.scipy import fft, ndimage, signal
from tests.scipy.programs.check import Program

rng = np.random.default_rng(1)
x = rng.normal(size=(2, 8))
v, k, image, kernel = rng.normal(size=12), rng.normal(size=5), rng.normal(size=(4, 5)), rng.normal(size=(3, 3))
b, a = sg.butter(2, 0.4)
sos = sg.butter(2, 0.4, output="sos")
spectrum = rng.normal(size=(2, 5)) + 1j * rng.normal(size=(2, 5))


def real_part_of(name):
    """A function of complex numbers, of the real factor of a fixed spectrum."""
    return Program(lambda x: getattr(fft, name)(x * spectrum), (np.ones((2, 5)),))


# fmt: off
SIGNAL = {
    "convolve": Program(lambda x, y: signal.convolve(x, y, mode="same"), (v, k)),
    "convolve2d": Program(signal.convolve2d, (image, kernel)),
    "correlate": Program(signal.correlate, (v, k)),
    "correlate2d": Program(lambda x, y: signal.correlate2d(x, y, mode="valid"), (image, kernel)),
    "decimate": Program(lambda x: signal.decimate(x, 2, n=3, ftype="fir"), (v,)),
    "detrend": Program(lambda x: signal.detrend(x) ** 2, (v,)),
    "fftconvolve": Program(signal.fftconvolve, (v, k)),
    "filtfilt": Program(lambda x: signal.filtfilt(b, a, x), (v,)),
    "hilbert": Program(lambda x: np.abs(signal.hilbert(x)), (v,)),
    "lfilter": Program(lambda b, a, x: signal.lfilter(b, a + np.array([3.0, 0, 0]), x), (b, a, v)),
    "oaconvolve": Program(signal.oaconvolve, (v, k)),
    "resample": Program(lambda x: signal.resample(x, 9), (v,)),
    "resample_poly": Program(lambda x: signal.resample_poly(x, 2, 3), (v,)),
    "savgol_filter": Program(lambda x: signal.savgol_filter(x, 5, 2), (v,)),
    "sosfilt": Program(lambda x: signal.sosfilt(sos, x), (v,)),
    "sosfiltfilt": Program(lambda x: signal.sosfiltfilt(sos, x, padlen=6), (v,)),
    "upfirdn": Program(lambda x: signal.upfirdn(k, x, 2, 3), (v,)),
}
NDIMAGE = {
    "convolve": Program(ndimage.convolve, (image, kernel)),
    "convolve1d": Program(lambda x, w: ndimage.convolve1d(x, w, axis=0, mode="wrap"), (image, k[:3])),
    "correlate": Program(lambda x, w: ndimage.correlate(x, w, mode="constant", cval=0.5), (image, kernel)),
    "correlate1d": Program(lambda x, w: ndimage.correlate1d(x, w, origin=1), (image, k)),
    "gaussian_filter": Program(lambda x: ndimage.gaussian_filter(x, 0.7, mode="nearest"), (image,)),
    "gaussian_filter1d": Program(lambda x: ndimage.gaussian_filter1d(x, 1.0, axis=0, order=1), (image,)),
    "laplace": Program(ndimage.laplace, (image,)),
    "prewitt": Program(ndimage.prewitt, (image,)),
    "sobel": Program(ndimage.sobel, (image,)),
    "spline_filter1d": Program(ndimage.spline_filter1d, (image,)),
    "uniform_filter": Program(lambda x: ndimage.uniform_filter(x, 3) ** 2, (image,)),
    "uniform_filter1d": Program(lambda x: ndimage.uniform_filter1d(x, 3), (image,)),
}
FFT = {
    **{name: Program(getattr(fft, name), (x,)) for name in
       ("dct", "dctn", "dst", "dstn", "fft", "fft2", "fftn", "fftshift", "idct", "idctn", "idst", "idstn", "ifft", "ifft2", "ifftn",
        "ifftshift", "ihfft", "rfft", "rfft2", "rfftn")},
    **{name: real_part_of(name) for name in ("hfft", "irfft", "irfft2", "irfftn")},
}
