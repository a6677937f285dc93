"""Programs of scipy.signal, ndimage and fft."""

import numpy as np
import scipy.signal as sg

from autodiff.scipy import fft, ndimage, signal
from tests.scipy.programs.check import Program

rng = np.random.default_rng(1)
x = rng.normal(size=(2, 8))
v, k, image, kernel = rng.normal(size=12), rng.normal(size=5), rng.normal(size=(4, 5)), rng.normal(size=(3, 3))
turn, shift = np.array([[0.9, 0.2], [-0.3, 1.1]]), np.array([0.3, -0.2])
coordinates = rng.uniform(-1, 4, size=(2, 5))
b, a = sg.butter(2, 0.4)
sos = sg.butter(2, 0.4, output="sos")
TOPS = sg.find_peaks(v)[0]
spectrum = rng.normal(size=(2, 5)) + 1j * rng.normal(size=(2, 5))


def real_part_of(name):
    """A function of complex numbers, of the real factor of a fixed spectrum."""
    return Program(lambda x: getattr(fft, name)(x * spectrum), (np.ones((2, 5)),))


# fmt: off
SIGNAL = {
    "coherence": Program(lambda x, y: signal.coherence(x, y, nperseg=6)[1], (v, v[::-1] + k[0])),
    "csd": Program(lambda x, y: signal.csd(x, y, nperseg=6)[1], (v, v[:9])),
    "freqz": Program(lambda b, a: signal.freqz(b, a, 5)[1], (b, a)),
    "istft": Program(lambda z: signal.istft(z * (1 + 0.5j), nperseg=6)[1], (rng.normal(size=(4, 5)),)),
    "periodogram": Program(lambda x: signal.periodogram(x, 2.0, "hann")[1], (v,)),
    "spectrogram": Program(lambda x: signal.spectrogram(x, nperseg=5)[2], (v,)),
    "stft": Program(lambda x: signal.stft(x, nperseg=6, boundary="even")[2], (v,)),
    "welch": Program(lambda x: signal.welch(x, nperseg=5, detrend="linear")[1], (v,)),
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
    "lfilter_zi": Program(lambda b, a: signal.lfilter_zi(b, a + np.array([3.0, 0, 0])), (b, a)),
    "sosfilt_zi": Program(lambda c: signal.sosfilt_zi(np.concatenate([c, sos[:, 3:]], 1)), (sos[:, :3],)),
    "find_peaks": Program(lambda x: signal.find_peaks(x, height=-9.0)[1]["peak_heights"], (v,)),
    "peak_prominences": Program(lambda x: signal.peak_prominences(x, TOPS)[0], (v,)),
    "peak_widths": Program(lambda x: signal.peak_widths(x, TOPS)[0], (v,)),
    "oaconvolve": Program(signal.oaconvolve, (v, k)),
    "resample": Program(lambda x: signal.resample(x, 9), (v,)),
    "resample_poly": Program(lambda x: signal.resample_poly(x, 2, 3), (v,)),
    "savgol_filter": Program(lambda x: signal.savgol_filter(x, 5, 2), (v,)),
    "sosfilt": Program(lambda x: signal.sosfilt(sos, x), (v,)),
    "sosfiltfilt": Program(lambda x: signal.sosfiltfilt(sos, x, padlen=6), (v,)),
    "upfirdn": Program(lambda x: signal.upfirdn(k, x, 2, 3), (v,)),
}
NDIMAGE = {
    **{name: Program(lambda x, name=name: getattr(ndimage, name)(x, 3), (image,))
       for name in ("maximum_filter", "minimum_filter", "maximum_filter1d", "minimum_filter1d", "median_filter")},
    "rank_filter": Program(lambda x: ndimage.rank_filter(x, -2, 3), (image,)),
    "percentile_filter": Program(lambda x: ndimage.percentile_filter(x, 30, (2, 3)), (image,)),
    **{name: Program(lambda x, s, name=name: getattr(ndimage, name)(x, structure=s), (image, kernel[:2]))
       for name in ("grey_dilation", "grey_erosion", "grey_opening", "grey_closing", "morphological_gradient",
                    "morphological_laplace", "white_tophat", "black_tophat")},
    "center_of_mass": Program(lambda x: ndimage.center_of_mass(np.exp(x)), (image,)),
    "affine_transform": Program(lambda x, m, o: ndimage.affine_transform(x, m, o, order=3, mode="nearest"), (image, turn, shift)),
    "map_coordinates": Program(lambda x, at: ndimage.map_coordinates(x, at, mode="reflect"), (image, coordinates), 1e-4),
    "rotate": Program(lambda x, angle: ndimage.rotate(x, angle, reshape=False, mode="mirror"), (image, 17.0), 1e-4, 1e-4),
    "shift": Program(lambda x, s: ndimage.shift(x, s, mode="grid-wrap"), (image, shift), 1e-4),
    "zoom": Program(lambda x: ndimage.zoom(x, 1.6), (image,)),
    "spline_filter": Program(ndimage.spline_filter, (image,)),
    "gaussian_laplace": Program(lambda x: ndimage.gaussian_laplace(x, 1.2), (image,)),
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
        "ifftshift", "ihfft", "ihfft2", "ihfftn", "rfft", "rfft2", "rfftn")},
    **{name: real_part_of(name) for name in ("hfft", "hfft2", "hfftn", "irfft", "irfft2", "irfftn")},
}
