"""scipy.fft, scipy.signal and scipy.ndimage: linear functions of arrays, all laws, values as SciPy's."""

import numpy as np
import pytest
import scipy.fft as sf
import scipy.signal as sg

import autodiff
from autodiff.scipy import fft, ndimage, signal
from autodiff.testing import check_laws
from autodiff.trace.errors import DifferentiationError

rng = np.random.default_rng(0)
x = rng.normal(size=(3, 16))
v, k = rng.normal(size=12), rng.normal(size=5)
image, kernel, even = rng.normal(size=(5, 6)), rng.normal(size=(3, 3)), rng.normal(size=(2, 4))
long = rng.normal(size=150)
b, a = sg.butter(2, 0.4)
sos = sg.butter(4, 0.4, output="sos")

# fmt: off
PROGRAMS = {
    "fft":        (lambda x: fft.fft(x, axis=0).real, (x,)),
    "fft of scipy": (lambda x: sf.fft(x).imag, (x,)),
    "rfft of scipy": (lambda x: np.abs(sf.rfft(x, workers=1)), (x,)),
    "irfftn":     (lambda x: fft.irfftn(x), (x,)),
    "dct":        (lambda x: fft.dct(x), (x,)),
    "dct of scipy": (lambda x: sf.dct(x, 3, axis=0, norm="ortho"), (x,)),
    "idst":       (lambda x: fft.idst(x, 1), (x,)),
    "dctn":       (lambda x: fft.dctn(x, norm="ortho"), (x,)),
    "fftshift":   (fft.fftshift, (x,)),
    "convolve":   (lambda a, b: signal.convolve(a, b, mode="same"), (v, k)),
    "convolve 2d": (lambda a, b: signal.convolve(a, b, mode="valid"), (image, kernel)),
    "convolve long": (lambda a, b: signal.fftconvolve(a, b), (long, long)),
    "correlate":  (lambda a, b: signal.correlate(a, b), (v, k)),
    "convolve2d": (lambda a, b: signal.convolve2d(a, b, mode="same"), (image, even)),
    "correlate2d": (lambda a, b: signal.correlate2d(a, b, mode="valid"), (image, kernel)),
    "lfilter":    (lambda x: signal.lfilter(b, a, x), (x,)),
    "lfilter coefficients": (lambda b, a, x: signal.lfilter(b, a + np.array([3.0, 0, 0]), x), (b, a, v)),
    "filtfilt":   (lambda x: signal.filtfilt(b, a, x), (x,)),
    "sosfilt":    (lambda x: signal.sosfilt(sos, x, axis=0), (x,)),
    "sosfiltfilt": (lambda x: signal.sosfiltfilt(sos, x, padlen=9), (x,)),
    "savgol":     (lambda x: signal.savgol_filter(x, 5, 2), (x,)),
    "detrend":    (lambda x: signal.detrend(x), (x,)),
    "hilbert":    (lambda x: np.abs(signal.hilbert(x)), (x,)),
    "resample":   (lambda x: signal.resample(x, 10, axis=1), (x,)),
    "resample_poly": (lambda x: signal.resample_poly(x, 2, 3, axis=-1), (x,)),
    "decimate":   (lambda x: signal.decimate(x, 2, ftype="fir"), (np.tile(x, 3),)),
    "gaussian":   (lambda x: ndimage.gaussian_filter(x, (0.7, 1.2), mode="nearest"), (image,)),
    "gaussian derivative": (lambda x: ndimage.gaussian_filter1d(x, 1.0, axis=0, order=1), (image,)),
    "uniform":    (lambda x: ndimage.uniform_filter(x, 3), (image,)),
    "nd convolve": (lambda x, w: ndimage.convolve(x, w), (image, even)),
    "nd correlate": (lambda x, w: ndimage.correlate(x, w, mode="constant", cval=0.5), (image, kernel)),
    "nd mirror":  (lambda x, w: ndimage.correlate(x, w, mode="mirror", origin=1), (image, kernel)),
    "convolve1d": (lambda x, w: ndimage.convolve1d(x, w, axis=0, mode="wrap"), (image, k[:4])),
    "correlate1d": (lambda x, w: ndimage.correlate1d(x, w, origin=1), (image, k)),
    "sobel":      (lambda x: ndimage.sobel(x, axis=0), (image,)),
    "prewitt":    (lambda x: ndimage.prewitt(x), (image,)),
    "laplace":    (lambda x: ndimage.laplace(x, mode="nearest"), (image,)),
}
# fmt: on


@pytest.mark.parametrize("name", PROGRAMS)
def test_laws(name):
    fun, args = PROGRAMS[name]
    check_laws(fun, args, skip=("value", "replay", "compiled", "batch"), name=name)
    value = fun(*args)
    np.testing.assert_allclose(autodiff.vjp(fun, *args)[0], value, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(autodiff.jit(fun)(*args), value, rtol=1e-9, atol=1e-12)
    batched = autodiff.vmap(fun)(*(np.stack([a, 2 * a]) for a in args))
    np.testing.assert_allclose(batched[0], value, rtol=1e-9, atol=1e-12)


def test_what_has_no_derivative_says_so():
    with pytest.raises(
        DifferentiationError,
        match=r"^scipy.signal.filtfilt has a derivative by its array alone \(test_filters.py:\d+\); keep its",
    ):
        autodiff.grad(lambda b: np.sum(signal.filtfilt(b, a, v)))(b)
    with pytest.raises(
        DifferentiationError, match=r"^scipy.signal.welch cannot be called with a traced value \(test_filters.py:\d+\)"
    ):
        autodiff.grad(lambda x: np.sum(signal.welch(x)[1]))(v)
    with pytest.raises(
        DifferentiationError,
        match=r"^gaussian_filter of traced values has no cval=1.0 \(test_filters.py:\d+\); pad with np.pad$",
    ):
        autodiff.grad(lambda x: np.sum(ndimage.gaussian_filter(x, 1.0, cval=1.0)))(image)
    with pytest.raises(
        DifferentiationError, match=r"^scipy.ndimage.median_filter cannot be called with a traced value"
    ):
        autodiff.grad(lambda x: np.sum(ndimage.median_filter(x, 3)))(image)
