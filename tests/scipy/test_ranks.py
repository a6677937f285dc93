"""Filters of images by ranks, and the peaks of signals: SciPy's values, all laws, and what stays constant."""

import numpy as np
import pytest
import scipy.ndimage as sn
import scipy.signal as sg

import autodiff
from autodiff.scipy import linalg, ndimage, signal
from autodiff.testing import check_laws
from autodiff.trace.errors import ConcretizationError, DifferentiationError

rng = np.random.default_rng(0)
image, heights = rng.normal(size=(6, 7)), rng.normal(size=(2, 3))
around = np.array([[1, 0, 1], [0, 1, 1]])
wave = np.convolve(rng.normal(size=60), np.ones(5), "same")

MORPHOLOGY = [
    "black_tophat",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "morphological_gradient",
    "morphological_laplace",
    "white_tophat",
]
WRITINGS = [
    lambda m, name, x: getattr(m, name)(x, 3),
    lambda m, name, x: getattr(m, name)(x, (2, 3), mode="mirror", origin=(0, 1)),
    lambda m, name, x: getattr(m, name)(x, footprint=around, mode="constant", cval=0.3),
    lambda m, name, x: getattr(m, name)(x, structure=heights, mode="nearest"),
    lambda m, name, x: getattr(m, name)(x, 2, axes=(0,), mode="wrap"),
]


def agree(call, *args):
    """Values and types of SciPy, and all laws."""
    found, expected = autodiff.vjp(lambda *args: call(ndimage, *args), *args)[0], call(sn, *args)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    check_laws(lambda *args: call(ndimage, *args), args, order=1)


@pytest.mark.parametrize("name", MORPHOLOGY)
def test_morphology(name):
    for writing in WRITINGS:
        found = autodiff.vjp(lambda x, writing=writing: writing(ndimage, name, x), image)[0]
        np.testing.assert_allclose(found, writing(sn, name, image), rtol=1e-12, atol=1e-12)
    agree(lambda m, x, s: getattr(m, name)(x, structure=s), image[:4, :4], heights)


@pytest.mark.parametrize("mode", ["reflect", "mirror", "nearest", "wrap", "constant", "grid-mirror", "grid-constant"])
@pytest.mark.parametrize("name", ["maximum_filter", "minimum_filter", "median_filter"])
def test_neighbourhoods(name, mode):
    for options in ({"size": 3, "cval": 0.1}, {"footprint": around, "origin": (-1, 1)}, {"size": (4, 1)}):
        for x in (image, image[:3, :3]):

            def call(m, x, options=options):
                return getattr(m, name)(x, mode=mode, **options)

            found = autodiff.vjp(lambda x, call=call: call(ndimage, x), x)[0]
            np.testing.assert_allclose(found, call(sn, x))
    agree(lambda m, x: getattr(m, name)(x, 3, mode=mode), image[:3, :4])


@pytest.mark.parametrize("rank", [0, 2, -1])
@pytest.mark.parametrize("share", [0, 30, 100, -20])
def test_ranks(rank, share):
    agree(lambda m, x: m.rank_filter(x, rank, (2, 2)), image[:3, :3])
    agree(lambda m, x: m.percentile_filter(x, share, (2, 3)), image[:3, :3])
    agree(lambda m, x: m.maximum_filter1d(x, 4, 0, origin=1) + m.minimum_filter1d(x, 3), image[:5, :3])


def test_equal_elements_share_the_derivative():
    grad = autodiff.grad(lambda x: np.sum(ndimage.maximum_filter1d(x, 3)[1]))(np.array([1.0, 1.0, 0.0]))
    np.testing.assert_array_equal(grad, [0.5, 0.5, 0.0])


def test_what_neighbourhoods_refuse():
    with pytest.raises(
        DifferentiationError, match=r"^median_filter of traced values writes to no output= \(test_ranks.py:\d+\)"
    ):
        autodiff.grad(lambda x: np.sum(ndimage.median_filter(x, 3, output=np.empty((6, 7)))))(image)
    with pytest.raises(
        DifferentiationError, match=r"^maximum_filter takes a constant size= and footprint= \(test_ranks.py:\d+\)$"
    ):
        autodiff.grad(lambda s: np.sum(ndimage.maximum_filter(image, s)))(3.0)


FACTS = [
    "peak_heights",
    "left_thresholds",
    "right_thresholds",
    "prominences",
    "widths",
    "width_heights",
    "left_ips",
    "right_ips",
]


def facts(m, x, **options):
    found = m.find_peaks(x, -9.0, 0.0, distance=2, prominence=0.1, width=0.1, **options)[1]
    return np.concatenate([found[name] for name in FACTS])


@pytest.mark.parametrize("options", [{}, {"rel_height": 0.8}, {"wlen": 9}])
def test_peaks(options):
    found, pull = autodiff.vjp(lambda x: facts(signal, x, **options), wave)
    np.testing.assert_allclose(found, facts(sg, wave, **options))
    weight, direction = rng.normal(size=found.shape), rng.normal(size=wave.shape)
    ends = [facts(sg, wave + sign * 1e-6 * direction, **options) for sign in (1, -1)]
    np.testing.assert_allclose(np.sum(pull(weight)[0] * direction), weight @ (ends[0] - ends[1]) / 2e-6, rtol=1e-5)


def test_prominences_and_widths_by_themselves():
    tops = sg.find_peaks(wave)[0]
    for call in (
        lambda m, x: m.peak_prominences(x, tops, 11)[0],
        lambda m, x: np.concatenate(m.peak_widths(x, tops, 0.7)),
        lambda m, x: np.concatenate(m.peak_widths(x, tops, 0.3, m.peak_prominences(x, tops, 11))),
    ):
        found, pull = autodiff.vjp(lambda x, call=call: call(signal, x), wave)
        np.testing.assert_allclose(found, call(sg, wave))
        direction = rng.normal(size=wave.shape)
        slope = np.sum(call(sg, wave + 1e-6 * direction) - call(sg, wave - 1e-6 * direction)) / 2e-6
        np.testing.assert_allclose(np.sum(pull(np.ones(found.shape))[0] * direction), slope, rtol=1e-5, atol=1e-6)


def test_places_labels_and_truths_are_constant():
    def chosen(x):
        assert linalg.issymmetric(np.outer(x, x))
        assert not linalg.ishermitian(np.outer(x, x + 1.0))
        assert linalg.bandwidth(np.diag(x)) == (0, 0)
        assert signal.check_COLA("hann", 8, 4)
        labels, count = ndimage.label(x > 0)
        assert count == sn.label(wave > 0)[1]
        assert ndimage.binary_erosion(x > 0).dtype == bool
        return np.sum(x[signal.argrelmax(x)[0]]) + np.sum(np.where(labels == 1, x, 0.0))

    expected = np.zeros(60)
    expected[sg.argrelmax(wave)[0]] += 1
    expected[sn.label(wave > 0)[0] == 1] += 1
    np.testing.assert_array_equal(autodiff.grad(chosen)(wave), expected)
    with pytest.raises(
        ConcretizationError, match=r"would become an argument of scipy.signal.argrelmax \(test_ranks.py"
    ):
        autodiff.jit(lambda x: x[signal.argrelmax(x)[0]])(wave)
