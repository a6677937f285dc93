"""scipy.fft, scipy.signal and scipy.ndimage: linear functions of arrays, all laws, values as SciPy's."""

import functools
import itertools

import numpy as np
import pytest
import scipy.fft as sf
import scipy.fftpack
import scipy.ndimage as sn
import scipy.signal as sg

import autodiff
from autodiff.scipy import fft, fftpack, ndimage, signal
from autodiff.scipy.ndimage.transforms import MODES
from autodiff.testing import check_laws
from autodiff.trace.errors import DifferentiationError, OperandError

rng = np.random.default_rng(0)
x = rng.normal(size=(3, 16))
v, k = rng.normal(size=12), rng.normal(size=5)
image, kernel, even = rng.normal(size=(5, 6)), rng.normal(size=(3, 3)), rng.normal(size=(2, 4))
long = rng.normal(size=150)
cube = rng.normal(size=(3, 4, 5))
turn, coordinates = np.array([[0.93, 0.17], [-0.31, 1.09]]), rng.uniform(-3, 7, size=(2, 3))
b, a = sg.butter(2, 0.4)
sos = sg.butter(4, 0.4, output="sos")


def sections(c):
    """Sections of numerators that may be traced."""
    return np.concatenate([c, sos[:, 3:]], 1)


# fmt: off
PROGRAMS = {
    "fft":        (lambda x: fft.fft(x, axis=0).real, (x,)),
    "fft of scipy": (lambda x: sf.fft(x).imag, (x,)),
    "rfft of scipy": (lambda x: np.abs(sf.rfft(x, workers=1)), (x,)),
    "irfftn":     (lambda x: fft.irfftn(x), (x,)),
    "hfftn":      (lambda x: fft.hfftn(x * (1 - 2j), axes=(1, 0), norm="forward"), (x,)),
    "ihfft2":     (lambda x: np.abs(fft.ihfft2(x, (4, 5))), (x,)),
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
    "lfilter from a state": (lambda x, z: np.concatenate(signal.lfilter(b, a, x, zi=z)), (v, np.array([0.3, -0.2]))),
    "lfilter of one number": (lambda b, x: signal.lfilter(b, 2.0, x, axis=0), (b, x)),
    "lfilter, all of it": (lambda *each: np.concatenate(signal.lfilter(*each[:3], zi=each[3])), (k, np.array([1.5, -0.4, 0.2]), v, k[:4])),
    "lfilter of a short signal": (lambda *each: np.concatenate(signal.lfilter(*each[:3], zi=each[3])), (k, np.array([1.5, -0.4, 0.2]), v[:3], k[:4])),
    "lfilter_zi": (lambda b, a: signal.lfilter_zi(b, a + np.array([3.0, 0, 0])), (b, a)),
    "filtfilt coefficients": (lambda b, a, x: signal.filtfilt(b, a + np.array([3.0, 0, 0]), x, padlen=4), (b, a, v)),
    "filtfilt, Gustafsson's": (lambda x: signal.filtfilt(b, a, x, method="gust"), (v,)),
    "sosfilt sections": (lambda c, x, z: np.concatenate(list(map(np.ravel, signal.sosfilt(sections(c), x, 0, z)))), (sos[:, :3], v, k[:4].reshape(2, 2))),
    "sosfilt_zi": (lambda c: signal.sosfilt_zi(sections(c)), (sos[:, :3],)),
    "sosfiltfilt sections": (lambda c, x: signal.sosfiltfilt(sections(c), x, padtype="even", padlen=5), (sos[:, :3], v)),
    "istft of segments that overlap": (lambda z: signal.istft(z, 2.0, "hamming", 6, 4, 8, scaling="psd")[1], (x[:, :5].repeat(2, 0)[:5] * (1 + 0.5j),)),
    "freqz of a rate": (lambda b, fs: np.abs(signal.freqz(b, a, 5, fs=fs)[1]) + signal.freqz(b, a, 5, fs=fs)[0], (b, 3.0)),
    "freqz of frequencies": (lambda w: np.abs(signal.freqz(b, a, w)[1]), (v[:3],)),
    "welch":      (lambda x: signal.welch(x, nperseg=6, axis=0)[1], (long[:24].reshape(12, 2),)),
    "csd":        (lambda x, y: signal.csd(x, y, 2.0, nperseg=6)[1].imag, (v, v[:9])),
    "coherence":  (lambda x, y: signal.coherence(x, y, nperseg=6)[1], (v, long[:12])),
    "periodogram": (lambda x: signal.periodogram(x, window="hann", nfft=20, scaling="spectrum")[1], (v,)),
    "spectrogram": (lambda x: signal.spectrogram(x, nperseg=5)[2], (v,)),
    "stft":       (lambda x: signal.stft(x, nperseg=6, boundary="odd")[2].real, (v,)),
    "istft":      (lambda x: signal.istft(signal.stft(x, nperseg=6)[2], nperseg=6)[1], (v,)),
    "freqz":      (lambda b, a: np.abs(signal.freqz(b, a, 5)[1]), (b, a)),
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
    "map_coordinates": (lambda x, at: ndimage.map_coordinates(x, at, order=4, mode="nearest"), (image, coordinates)),
    "affine":     (lambda x, m, o: ndimage.affine_transform(x, m, o, mode="grid-constant", cval=0.7), (image, turn, np.array([0.31, -0.22]))),
    "homogeneous": (lambda x, m: ndimage.affine_transform(x, m, order=2, mode="mirror"), (image, np.c_[turn, [0.31, -0.22]])),
    "shift":      (lambda x, s: ndimage.shift(x, s, mode="wrap"), (image, np.array([0.33, -0.28]))),
    "zoom":       (lambda x: ndimage.zoom(x, (1.6, 0.7), mode="reflect", grid_mode=True), (image,)),
    "rotate":     (lambda x, angle: ndimage.rotate(x, angle, reshape=False, mode="nearest"), (image, 17.0)),
    "rotate planes": (lambda x: ndimage.rotate(x, 30.0, axes=(0, 2)), (rng.normal(size=(3, 2, 4)),)),
    "edges of a number": (lambda x: ndimage.gaussian_filter1d(x, 1.0, mode="constant", cval=2.0), (x,)),
    "savgol of a number": (lambda x: signal.savgol_filter(x, 5, 2, mode="constant", cval=1.0), (x,)),
    "gaussian_laplace": (lambda x: ndimage.gaussian_laplace(x, 1.2, mode="wrap"), (image,)),
    "spline_filter": (lambda x: ndimage.spline_filter(x, 5), (image,)),
    "laplace":    (lambda x: ndimage.laplace(x, mode="nearest"), (image,)),
}
# fmt: on


@pytest.mark.parametrize("name", PROGRAMS)
def test_laws(name):
    fun, args = PROGRAMS[name]
    order = 1 if name in ("affine", "homogeneous", "shift", "rotate", "rotate planes") else 2
    check_laws(fun, args, skip=("value", "replay", "compiled", "batch"), order=order, name=name)
    value = fun(*args)
    np.testing.assert_allclose(autodiff.vjp(fun, *args)[0], value, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(autodiff.jit(fun)(*args), value, rtol=1e-9, atol=1e-12)
    batched = autodiff.vmap(fun)(*(np.stack([a, 2 * a]) for a in args))
    np.testing.assert_allclose(batched[0], value, rtol=1e-9, atol=1e-12)


TRANSFORMS = [name for name in sf.__all__ if name.endswith(("fft", "fft2", "fftn"))]
SHAPES, AXES = (None, (2, 3), (5, -1), 3), ((), (0, 1), (1, 0), (-1,), 1)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_take_what_scipy_takes(name):
    of_scipy = getattr(sf, name)
    single = name.endswith("fft")
    for norm in (None, "ortho", "forward", "backward"):
        for size, axes in itertools.product((None, 3, 6) if single else SHAPES, (-1, 0) if single else AXES):
            options = {"n": size, "axis": axes} if single else {"s": size, **({"axes": axes} if axes != () else {})}
            for x in (cube, cube * (1 - 2j)):
                try:
                    wanted = of_scipy(x, norm=norm, **options)
                except (TypeError, ValueError):
                    continue
                found = autodiff.vjp(functools.partial(of_scipy, norm=norm, **options), x)[0]
                assert found.dtype == wanted.dtype
                np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12, err_msg=f"{norm} {options}")


def test_what_has_no_derivative_says_so():
    with pytest.raises(
        DifferentiationError,
        match=r"^scipy.signal.upfirdn has a derivative by its array alone \(test_filters.py:\d+\); keep its",
    ):
        autodiff.grad(lambda b: np.sum(signal.upfirdn(b, v)))(b)
    with pytest.raises(
        DifferentiationError,
        match=r"^filtfilt of traced coefficients has no method='gust' \(test_filters.py:\d+\); leave it out$",
    ):
        autodiff.grad(lambda b: np.sum(signal.filtfilt(b, a, v, method="gust")))(b)
    with pytest.raises(
        DifferentiationError,
        match=r"^scipy.signal.wiener cannot be called with a traced value \(test_filters.py:\d+\)",
    ):
        autodiff.grad(lambda x: np.sum(signal.wiener(x)))(v)
    with pytest.raises(
        DifferentiationError,
        match=r"^gaussian_filter of traced values has no cval=1.0 \(test_filters.py:\d+\); pad with np.pad$",
    ):
        autodiff.grad(lambda x: np.sum(ndimage.gaussian_filter(x, 1.0, cval=1.0)))(image)
    with pytest.raises(
        DifferentiationError, match=r"^scipy.ndimage.generic_filter cannot be called with a traced value"
    ):
        autodiff.grad(lambda x: np.sum(ndimage.generic_filter(x, np.max, 3)))(image)


@pytest.mark.parametrize("mode", MODES)
def test_images_are_looked_up_as_scipy_does(mode):
    everywhere = rng.uniform(-20, 25, size=(2, 60))
    for order in range(6):
        options = {"order": order, "mode": mode, "cval": 0.7}
        found = autodiff.vjp(lambda x, options=options: ndimage.map_coordinates(x, everywhere, **options), image)[0]
        np.testing.assert_allclose(found, sn.map_coordinates(image, everywhere, **options), rtol=1e-9, atol=1e-9)


def test_spectra_refuse_what_they_cannot():
    with pytest.raises(
        DifferentiationError,
        match=r"^csd of traced values has no average='median' \(test_filters.py:\d+\); leave it out$",
    ):
        autodiff.grad(lambda x: np.sum(signal.welch(x, average="median")[1]))(v)


def test_images_refuse_what_they_cannot():
    with pytest.raises(
        DifferentiationError,
        match=r"^zoom has a derivative by the image alone \(test_filters.py:\d+\); affine_transform with",
    ):
        autodiff.grad(lambda z: np.sum(ndimage.zoom(image, z)))(1.5)
    with pytest.raises(
        DifferentiationError,
        match=r"^rotate by a traced angle has a shape that depends on it \(test_filters.py:\d+\); pass reshape=False",
    ):
        autodiff.grad(lambda t: np.sum(ndimage.rotate(image, t)))(30.0)
    with pytest.raises(
        OperandError,
        match=r"^map_coordinates got order=7 and mode='reflect' \(test_filters.py:\d+\); it needs an order",
    ):
        autodiff.grad(lambda x: np.sum(ndimage.map_coordinates(x, coordinates, order=7, mode="reflect")))(image)
    with pytest.raises(
        DifferentiationError, match=r"^sobel of traced values writes to no output= \(test_filters.py:\d+\)"
    ):
        autodiff.grad(lambda x: np.sum(ndimage.sobel(x, output=np.empty((5, 6)))))(image)


longer, narrow = rng.normal(size=(11, 3)), rng.normal(size=(4, 7))
SIGNAL, NDIMAGE, FFTPACK = (signal, sg), (ndimage, sn), (fftpack, scipy.fftpack)
CALLS = {
    "gaussian_filter1d": (NDIMAGE, lambda m, x: m.gaussian_filter1d(x, 1.0, 0)),
    "gaussian_filter1d by name": (NDIMAGE, lambda m, x: m.gaussian_filter1d(input=x, sigma=1.0)),
    "uniform_filter1d": (NDIMAGE, lambda m, x: m.uniform_filter1d(x, 3, 0)),
    "gaussian_filter of an array": (NDIMAGE, lambda m, x: m.gaussian_filter(x, np.array([1.0, 2.0]))),
    "uniform_filter of an array": (NDIMAGE, lambda m, x: m.uniform_filter(x, np.array([3, 2]))),
    "zoom of an array": (NDIMAGE, lambda m, x: m.zoom(x, np.array([2, 1.5]))),
    "detrend": (SIGNAL, lambda m, x: m.detrend(x, 0)),
    "detrend by name": (SIGNAL, lambda m, x: m.detrend(data=x, overwrite_data=False)),
    "filtfilt": (SIGNAL, lambda m, x: m.filtfilt(b, a, x, 0)),
    "sosfilt": (SIGNAL, lambda m, x: m.sosfilt(sos, x, 0)),
    "sosfiltfilt by name": (SIGNAL, lambda m, x: m.sosfiltfilt(sos=sos, x=x, axis=0, padlen=5)),
    "hilbert": (SIGNAL, lambda m, x: m.hilbert(x, None, 0).imag),
    "resample": (SIGNAL, lambda m, x: m.resample(x, 4, None, 0)),
    "resample, its axis": (SIGNAL, lambda m, x: m.resample(x, 4)),
    "resample_poly": (SIGNAL, lambda m, x: m.resample_poly(x, 2, 3, 0)),
    "resample_poly, its axis": (SIGNAL, lambda m, x: m.resample_poly(x, 2, 3)),
    "resample_poly mean": (SIGNAL, lambda m, x: m.resample_poly(x, 2, 3, 1, padtype="mean")),
    "resample_poly median": (SIGNAL, lambda m, x: m.resample_poly(x, 2, 3, 1, padtype="median")),
    "resample_poly minimum": (SIGNAL, lambda m, x: m.resample_poly(x, 3, 2, 0, padtype="minimum")),
    "resample_poly maximum": (SIGNAL, lambda m, x: m.resample_poly(x, 2, 3, padtype="maximum")),
    "decimate": (SIGNAL, lambda m, x: m.decimate(x, 2, 3, "fir", 0)),
    "savgol_filter": (SIGNAL, lambda m, x: m.savgol_filter(x, 5, 2, 1, 0.5, 0)),
    "savgol_filter by name": (SIGNAL, lambda m, x: m.savgol_filter(x=x, window_length=3, polyorder=2)),
    "upfirdn by name": (SIGNAL, lambda m, x: m.upfirdn(h=[1.0, 0.5], x=x)),
    "idct": (FFTPACK, lambda m, x: m.idct(x, 2, None, 0)),
    "pack.fft": (FFTPACK, lambda m, x: m.fft(x, 7, 0, False).imag),
    "correlate2d of even kernels": (SIGNAL, lambda m, x: m.correlate2d(x, even, mode="same")),
    "correlate2d of odd kernels": (SIGNAL, lambda m, x: m.correlate2d(x, kernel[:, :1], mode="same")),
    "welch": (SIGNAL, lambda m, x: m.welch(x, nperseg=3, axis=0, detrend=None)[1]),
    "convolve of numbers": (SIGNAL, lambda m, x: m.convolve(x[0, 0], 3.0) + m.correlate(2.0, x[0, 1]) + m.fftconvolve(x[1, 0], x[0, 1])),
    "correlate of the smaller one": (SIGNAL, lambda m, x: m.correlate(x[:2, :1], np.outer(x[0], np.arange(3.0)), mode="valid")),
    "fftconvolve of rows of one": (SIGNAL, lambda m, x: m.fftconvolve(x[:3, :1], np.arange(1.0, 9.0)[None], mode="valid")),
    "correlate1d by complex weights": (NDIMAGE, lambda m, x: m.correlate1d(x, np.array([1.0, 2j, 0.5 - 1j]), 0).imag),
    "convolve1d by complex weights": (NDIMAGE, lambda m, x: m.convolve1d(x, np.array([1.0, 2j]), 0).imag),
    "nd correlate by complex weights": (NDIMAGE, lambda m, x: m.correlate(x, even + 1j * even[::-1]).imag),
    "nd convolve by complex weights": (NDIMAGE, lambda m, x: m.convolve(x, even + 1j * even[::-1]).imag),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_arguments_are_bound_as_scipy_binds_them(name):
    (ours, own), call = CALLS[name]
    for x in (longer, narrow):
        if name.startswith(("filtfilt", "sosfiltfilt", "decimate", "savgol")):
            x = np.tile(x, (5, 2))
        expected = call(own, x)
        found, pullback = autodiff.vjp(lambda x: call(ours, x), x)
        assert found.dtype == np.asarray(expected).dtype
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        weight = np.cos(np.arange(float(np.size(found)))).reshape(np.shape(found))
        direction = np.sin(np.arange(1.0, x.size + 1)).reshape(x.shape)
        ends = [call(own, x + sign * 1e-6 * direction) for sign in (1, -1)]
        slope = np.sum(weight * (ends[0] - ends[1])) / 2e-6
        np.testing.assert_allclose(np.sum(pullback(weight)[0] * direction), slope, rtol=1e-6, atol=1e-7)


@pytest.mark.filterwarnings("ignore:promoting specified output dtype:UserWarning")  # which SciPy asked for itself
@pytest.mark.parametrize("kind", [np.float32, np.complex64])
@pytest.mark.parametrize("call", [
    lambda m, x: m.correlate(x, even), lambda m, x: m.convolve1d(x, k), lambda m, x: m.sobel(x), lambda m, x: m.prewitt(x, 0),
    lambda m, x: m.laplace(x), lambda m, x: m.map_coordinates(x, coordinates), lambda m, x: m.shift(x, 0.3), lambda m, x: m.rotate(x, 20.0),
    lambda m, x: m.zoom(x, 1.4), lambda m, x: m.affine_transform(x, turn), lambda m, x: m.gaussian_filter(x, 1.0),
])  # fmt: skip
def test_images_keep_their_type(call, kind):
    x = (image + (1j * image[::-1] if kind is np.complex64 else 0)).astype(kind)
    found, expected = autodiff.jit(lambda x: call(ndimage, x))(x), call(sn, x)
    assert found.dtype == expected.dtype == kind
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert autodiff.grad(lambda x: np.sum(call(ndimage, x).real))(x).dtype == kind


def test_arrays_that_do_not_fit_each_other_are_refused():
    x = np.ones((4, 3))
    for call in (signal.convolve, signal.correlate, signal.fftconvolve, signal.convolve2d, signal.oaconvolve):
        with pytest.raises(
            ValueError, match=r"as many axes each, got float64\[4,3\] and float64\[3\] \(test_filters.py:"
        ):
            autodiff.jit(call)(x, x[0])
        with pytest.raises(ValueError, match=r"a convolution needs elements, got float64\[4,3\] and float64\[0,3\]"):
            autodiff.jit(call)(x, x[:0])
        with pytest.raises(
            ValueError, match=r"mode 'valid' needs one array that is at least as long as the other along"
        ):
            autodiff.jit(lambda a, b, call=call: call(a, b, mode="valid"))(x, np.ones((2, 5)))


def test_images_of_integers_are_refused():
    for call in (lambda x: ndimage.sobel(x), lambda x: ndimage.shift(x, 0.5), lambda x: ndimage.rotate(x, 30.0)):
        with pytest.raises(DifferentiationError, match=r"makes integers of an image of int64 .*pass image.astype"):
            autodiff.jit(call)(np.arange(12).reshape(3, 4))


@pytest.mark.parametrize("size", [5, 150])
@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve", "oaconvolve"])
def test_convolutions_of_integers(name, size):
    first, second = np.arange(200) % 7, np.arange(size) % 5
    found, expected = autodiff.jit(getattr(signal, name))(first, second), getattr(sg, name)(first, second)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_spectra_of_float32_are_float32():
    x = np.sin(np.arange(32.0) ** 1.3).astype(np.float32)

    def spectra(m, x):
        return m.welch(x, nperseg=8)[1], m.spectrogram(x, nperseg=8)[2], m.stft(x, nperseg=8)[2]

    for found, expected in zip(autodiff.jit(lambda x: spectra(signal, x))(x), spectra(scipy.signal, x), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("traced", [(0, 1, 2), (0,), (1,), (2,)])
def test_filters_of_single_precision(traced):
    operands = [np.float32(each) for each in ([1.0, -1.0], [0.5, -0.5], np.arange(6))]

    def program(*chosen):
        each = iter(chosen)
        return signal.lfilter(*(next(each) if k in traced else x for k, x in enumerate(operands)))

    given = [operands[k] for k in traced]
    for ours in (autodiff.vjp(program, *given)[0], autodiff.jit(program)(*given)):
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, sg.lfilter(*operands), rtol=1e-5)


LONG = 60_000
BACK = {
    "lfilter": lambda m, x: m.lfilter(b, a, x),
    "lfilter from a state": lambda m, x: m.lfilter(b, a, x, zi=x[:2])[0],
    "lfilter of traced coefficients": lambda m, x: m.lfilter(b * x[0], a, x),
    "filtfilt": lambda m, x: m.filtfilt(b, a, x),
    "sosfilt": lambda m, x: m.sosfilt(sos, x),
    "sosfiltfilt": lambda m, x: m.sosfiltfilt(sos, x),
    "savgol_filter": lambda m, x: m.savgol_filter(x, 7, 2, mode="mirror"),
    "detrend": lambda m, x: m.detrend(x),
    "hilbert": lambda m, x: m.hilbert(x).imag,
    "upfirdn": lambda m, x: m.upfirdn(b, x, 2, 3),
    "resample_poly": lambda m, x: m.resample_poly(x, 2, 3),
    "decimate": lambda m, x: m.decimate(x, 4),
    "decimate fir": lambda m, x: m.decimate(x, 4, ftype="fir"),
    "decimate by a system": lambda m, x: m.decimate(x, 4, ftype=sg.dlti([1.0, 0.5], [1.0, 0.3, 0.1])),
    "istft": lambda m, x: m.istft(m.stft(x)[2])[1],
}


@pytest.mark.parametrize("name", BACK)
def test_gradients_of_long_signals_need_no_matrix(name):
    """A matrix would have the square of the length as elements: 29 GB."""
    x = np.random.default_rng(1).normal(size=LONG)
    value, pull = autodiff.vjp(lambda x: BACK[name](signal, x), x)
    np.testing.assert_allclose(value, BACK[name](sg, x), rtol=1e-9, atol=1e-11)
    weight, direction = np.cos(np.arange(value.size)), np.sin(np.arange(float(LONG)))
    back = pull(weight)[0]
    np.testing.assert_allclose(
        np.sum(back * direction), weight @ autodiff.jvp(lambda x: BACK[name](signal, x), (x,), (direction,))[1]
    )


@pytest.mark.parametrize("mode", ["interp", "mirror", "nearest", "constant", "wrap"])
@pytest.mark.parametrize("window", [5, 6])
@pytest.mark.parametrize("length", [9, 60])
def test_smoothing_is_transposed_near_the_ends(mode, window, length):
    x = rng.normal(size=(2, length))
    check_laws(lambda x: signal.savgol_filter(x, window, 2, mode=mode, cval=2.0), (x,))


@pytest.mark.parametrize("rates", [(1, 1), (2, 3), (3, 2), (5, 1), (1, 4)])
@pytest.mark.parametrize("taps", [1, 4, 7])
@pytest.mark.parametrize("length", [1, 2, 13])
def test_rates_are_exchanged_on_the_way_back(rates, taps, length):
    h, x = rng.normal(size=taps), rng.normal(size=(2, length))
    found = autodiff.vjp(lambda x: signal.upfirdn(h, x, *rates), x)[0]
    np.testing.assert_allclose(found, sg.upfirdn(h, x, *rates))
    check_laws(lambda x: signal.upfirdn(h, x, *rates), (x,))

    def chosen(x):
        return signal.resample_poly(x, *rates, axis=1, window=[1.0, 2.0, 1.0, 0.5])

    np.testing.assert_allclose(
        autodiff.vjp(chosen, x)[0], sg.resample_poly(x, *rates, axis=1, window=[1.0, 2.0, 1.0, 0.5])
    )
    check_laws(chosen, (x,))


def test_spectra_of_several_signals_are_turned_back():
    z = rng.normal(size=(2, 5, 4)) + 1j * rng.normal(size=(2, 5, 4))
    turned = z.transpose(2, 0, 1)
    for both in (
        lambda m, z: m.istft(z, nperseg=8)[1],
        lambda m, z: m.istft(z, input_onesided=False)[1],
    ):
        found = autodiff.vjp(lambda z, both=both: both(signal, z), z)[0]
        np.testing.assert_allclose(found, both(sg, z), rtol=1e-9, atol=1e-12)
    found = autodiff.vjp(lambda z: signal.istft(z, time_axis=0, freq_axis=2)[1], turned)[0]
    np.testing.assert_allclose(found, sg.istft(turned, time_axis=0, freq_axis=2)[1], rtol=1e-9, atol=1e-12)
    single = autodiff.vjp(lambda z: signal.istft(z)[1], z.astype(np.complex64))[0]
    assert single.dtype == sg.istft(z.astype(np.complex64))[1].dtype
