"""Pooling: derivatives for many geometries, ties, padding, numbers that Chainer gives, and what is refused."""

from __future__ import annotations

import re
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import autodiff
import autodiff.chainer.functions as F
from autodiff import InvalidType, Variable
from tests.chainer.functions.function_laws import Row, check_row, draw, gradient

IMAGES = draw(2, 2, 5, 4)
LINES = draw(2, 2, 5)
VOLUMES = draw(1, 2, 3, 4, 3)
PLACES = np.arange(24).reshape(2, 2, 3, 2) % 4
REGIONS = np.array([[0.0, 0.0, 3.0, 2.0], [1.2, 0.7, 4.1, 3.0], [2.0, 1.0, 2.0, 1.0]])
NUMBERS = np.array([0, 1, 1], np.int32)


def pooled(name: str, x: Any, label: str, *args: Any, **options: Any) -> Row:
    return Row(f"{name}, {args}, {options}", lambda x: getattr(F, name)(x, *args, **options), (x,), label)


def aligned(name: str, label: str, **options: Any) -> Row:
    def function(x: Any) -> Any:
        regions = REGIONS.astype(x.dtype)
        return getattr(F, name)(x, regions, NUMBERS, (2, 3), 0.9, **options)

    return Row(f"{name}, {options}", function, (IMAGES,), label)


# fmt: off
ROWS = [
    pooled("max_pooling_2d",     IMAGES,  "MaxPoolingND", 2),
    pooled("max_pooling_2d",     IMAGES,  "MaxPoolingND", (3, 2), 1, (1, 0)),
    pooled("max_pooling_2d",     IMAGES,  "MaxPoolingND", 3, 2, cover_all=False),
    pooled("max_pooling_1d",     LINES,   "MaxPoolingND", 2, pad=1, cover_all=False),
    pooled("max_pooling_3d",     VOLUMES, "MaxPoolingND", 2, 1),
    pooled("max_pooling_nd",     VOLUMES, "MaxPoolingND", (2, 3, 2)),
    pooled("average_pooling_2d", IMAGES,  "AveragePooling2D", 2),
    pooled("average_pooling_2d", IMAGES,  "AveragePooling2D", (3, 2), 1, (1, 0)),
    pooled("average_pooling_1d", LINES,   "AveragePoolingND", 3, 2, 1),
    pooled("average_pooling_3d", VOLUMES, "AveragePoolingND", 2, pad_value=None),
    pooled("average_pooling_nd", IMAGES,  "AveragePoolingND", 2, 1, 1, pad_value=None),
    pooled("unpooling_2d",       IMAGES,  "Unpooling2D", 2),
    pooled("unpooling_2d",       IMAGES,  "Unpooling2D", 3, 2, 1, cover_all=False),
    pooled("unpooling_2d",       IMAGES,  "Unpooling2D", 2, outsize=(10, 7)),
    pooled("unpooling_1d",       LINES,   "UnpoolingND", 2),
    pooled("unpooling_3d",       VOLUMES, "UnpoolingND", 2, 1),
    pooled("unpooling_nd",       IMAGES,  "UnpoolingND", (3, 2), 2, 1, (9, 6)),
    pooled("upsampling_2d",      IMAGES[:, :, :3, :2], "Upsampling2D", PLACES, 2),
    pooled("upsampling_2d",      IMAGES[:, :, :3, :2], "Upsampling2D", PLACES, 2, 1, cover_all=False),
    pooled("spatial_pyramid_pooling_2d", IMAGES, "Concat", 2, "max"),
    aligned("roi_max_pooling_2d",     "ROIMaxPooling2D"),
    aligned("roi_average_pooling_2d", "ROIAveragePooling2D"),
    aligned("roi_max_align_2d",       "ROIMaxAlign2D"),
    aligned("roi_max_align_2d",       "ROIMaxAlign2D", sampling_ratio=(1, 2)),
    aligned("roi_average_align_2d",   "ROIAverageAlign2D"),
    aligned("roi_average_align_2d",   "ROIAverageAlign2D", sampling_ratio=2),
    Row("roi_pooling_2d", lambda x: F.roi_pooling_2d(x, np.array([[0, 0, 0, 2, 3], [1, 1, 1, 3, 4]], x.dtype), 2, 3, 1.0),
        (IMAGES,), "ROIPooling2D"),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_derivatives_labels_and_dtypes(row: Row) -> None:
    check_row(row)


RAMP = np.arange(6, dtype=np.float32).reshape(1, 1, 6)

# fmt: off
VALUES = [
    (lambda: F.max_pooling_1d(RAMP, 3, 2, 1),                         [1, 3, 5, 5]),
    (lambda: F.max_pooling_1d(RAMP, 3, 2, 1, cover_all=False),        [1, 3, 5]),
    (lambda: F.max_pooling_1d(RAMP, 2, 2, 3),                         [-inf, 0, 2, 4, 5, -inf]),
    (lambda: F.average_pooling_1d(RAMP, 3, 2, 1),                     [np.float32(1 / 3), 2, 4]),
    (lambda: F.average_pooling_1d(RAMP, 3, 2, 1, pad_value=None),     [0.5, 2, 4]),
    (lambda: F.average_pooling_1d(RAMP, 2, 2, 3, pad_value=None),     [0, 0, 1.5, 3.5, 5, 0]),
    (lambda: F.unpooling_1d(RAMP[..., 1:4], 3, 2, 1),                 [1, 3, 2, 5]),
    (lambda: F.unpooling_1d(RAMP[..., 1:4], 2),                       [1, 1, 2, 2, 3]),
    (lambda: F.unpooling_1d(RAMP[..., 1:4], 2, cover_all=False),      [1, 1, 2, 2, 3, 3]),
]
# fmt: on


@pytest.mark.parametrize(("call", "values"), VALUES)
def test_values_as_chainer_has_them(call: Any, values: list[float]) -> None:
    assert call().array.ravel().tolist() == values


def test_of_equal_elements_the_first_has_the_derivative() -> None:
    x = np.array([[[1.0, 1.0, 0.0, 1.0]]])
    assert gradient(lambda x: F.max_pooling_1d(x, 3, 1), x) == [[[[1, 1, 0, 0]]]]
    y, places = F.max_pooling_1d(x, 3, 1, return_indices=True)
    assert (type(y), places.tolist(), places.dtype) == (Variable, [[[0, 0]]], np.intp)


def test_padding_is_never_chosen_and_gets_no_derivative() -> None:
    x = RAMP.astype(float) - 10
    assert gradient(lambda x: F.max_pooling_1d(x, 2, 2, 3), x) == [[[[1, 0, 1, 0, 1, 1]]]]
    assert F.max_pooling_1d(RAMP, 2, 2, 3, return_indices=True)[1].tolist() == [[[0, 1, 1, 1, 0, 0]]]


def test_a_nan_is_the_largest_and_the_first_one_counts() -> None:
    x = np.array([[[1, 1, 0, nan, 2, nan, 3]]])
    y, places = F.max_pooling_1d(x, 3, 2, return_indices=True)
    np.testing.assert_array_equal(y.array, [[[1, nan, nan]]])
    assert places.tolist() == [[[0, 1, 1]]]


def test_upsampling_puts_back_what_pooling_took() -> None:
    x = draw(2, 3, 5, 5)
    y, places = F.max_pooling_2d(x, 3, 2, 1, return_indices=True)
    back = F.upsampling_2d(y, places, 3, 2, 1, outsize=(5, 5)).array
    chosen = back != 0
    times = np.round(back[chosen] / x[chosen])
    np.testing.assert_allclose(back[chosen], x[chosen] * times)
    assert times.sum() == y.size


def test_parts_of_a_pyramid_cover_images_of_any_size() -> None:
    x = np.random.RandomState(0).permutation(25).reshape(1, 1, 5, 5).astype(np.float32)
    found = F.spatial_pyramid_pooling_2d(x, 3, "max").array.ravel()
    np.testing.assert_array_equal(
        found, [24, 24, 23, 21, 20, 5, 19, 16, -inf, 22, 24, 23, -inf, 18, 21, 20, *[-inf] * 5]
    )


def test_cells_without_pixels_are_zero() -> None:
    x = draw(1, 2, 3, 3) - 5
    beyond = np.array([[7.0, 7.0, 9.0, 9.0]])
    for name in ("roi_max_pooling_2d", "roi_average_pooling_2d", "roi_max_align_2d", "roi_average_align_2d"):
        assert not getattr(F, name)(x, beyond, np.zeros(1, np.int32), 2, 1.0).array.any()
    assert not F.roi_pooling_2d(x, np.array([[0.0, 7.0, 7.0, 9.0, 9.0]]), 2, 2, 1.0).array.any()


def test_regions_as_chainer_has_them() -> None:
    x = np.arange(42, dtype=np.float32).reshape(1, 1, 6, 7)
    regions, number = np.array([[0.6, 1.2, 4.9, 6.1]], np.float32), np.zeros(1, np.int32)

    def values(name: str) -> list[float]:
        return getattr(F, name)(x, regions, number, 2, 1.0).array.astype(float).ravel().round(4).tolist()

    assert values("roi_max_pooling_2d") == [17, 19, 31, 33]
    assert values("roi_average_pooling_2d") == [12.5, 14.5, 26.5, 28.5]
    assert values("roi_average_align_2d") == [14.15, 16.6, 29.2, 31.65]
    assert values("roi_max_align_2d") == [19.9833, 22.4333, 35.0333, 37.4833]
    assert F.roi_pooling_2d(x, np.array([[0, 1, 1, 5, 4]], np.float32), 2, 2, 1.0).array.ravel().tolist() == [
        17, 19, 31, 33
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["max_pooling_2d", "average_pooling_2d", "unpooling_2d"])
def test_they_are_functions_of_traced_values(name: str) -> None:
    x = draw(3, 1, 2, 4, 5)

    def loss(x: Any) -> Any:
        return np.sum(getattr(F, name)(x, 2, 1, 1) ** 2)

    each = autodiff.vmap(autodiff.grad(loss))(x)
    np.testing.assert_allclose(each, np.stack([autodiff.grad(loss)(part) for part in x]), atol=1e-12)


def test_indices_of_traced_values_are_traced() -> None:
    def picked(x: Any) -> Any:
        y, places = F.max_pooling_2d(x, 2, return_indices=True)
        return np.sum(F.upsampling_2d(y, places, 2, cover_all=False) ** 2)

    x = draw(1, 2, 4, 4)
    found = autodiff.grad(picked)(x)
    chosen = found != 0
    np.testing.assert_allclose(found[chosen], 2 * x[chosen])
    assert chosen.sum() == 8


X = np.zeros((2, 3, 6, 6), np.float32)
INT = X.astype(int)
ROIS = np.zeros((2, 4), np.float32)
WHICH = np.zeros(2, np.int32)

# fmt: off
REFUSED = [
    (lambda: F.max_pooling_2d(INT, 2), "MaxPoolingND", "in_types[0].dtype.kind == f", "i != f"),
    (lambda: F.average_pooling_2d(INT, 2), "AveragePooling2D", "in_types[0].dtype.kind == f", "i != f"),
    (lambda: F.average_pooling_2d(X[0], 2), "AveragePooling2D", "in_types[0].ndim == 4", "3 != 4"),
    (lambda: F.average_pooling_nd(INT, 2), "AveragePoolingND", "in_types[0].dtype.kind == f", "i != f"),
    (lambda: F.unpooling_2d(X, 2, outsize=(12, 14)), "Unpooling2D", "in_types[0].shape[3] == 7", "6 != 7"),
    (lambda: F.unpooling_nd(X, 2, outsize=(12, 14)), "UnpoolingND", "in_types[0].shape[2:] == (6, 7)",
        "(6, 6) != (6, 7)"),
    (lambda: F.upsampling_2d(X, PLACES, 2), "Upsampling2D", "in_types[0].shape == (2, 2, 3, 2)",
        "(2, 3, 6, 6) != (2, 2, 3, 2)"),
    (lambda: F.roi_pooling_2d(X, ROIS, 2, 2, 1.0), "ROIPooling2D", "in_types[1].shape[1] == 5", "4 != 5"),
    (lambda: F.roi_max_pooling_2d(X, ROIS.astype(float), WHICH, 2, 1.0), "ROIMaxPooling2D",
        "in_types[0].dtype == in_types[1].dtype", "float32 != float64"),
    (lambda: F.roi_average_align_2d(X, ROIS, WHICH.astype(np.int64), 2, 1.0), "ROIAverageAlign2D",
        "in_types[2].dtype == <class 'numpy.int32'>", "int64 != <class 'numpy.int32'>"),
    (lambda: F.roi_max_align_2d(X, ROIS, WHICH[:1], 2, 1.0), "ROIMaxAlign2D",
        "in_types[1].shape[0] == in_types[2].shape[0]", "2 != 1"),
]

ERRORS = [
    (ValueError,     lambda: F.max_pooling_1d(X, 2), "x must have 1 spatial axes behind (N, C), got shape (2, 3, 6, 6)"),
    (ValueError,     lambda: F.max_pooling_nd(X[0, 0], 2),
        "pooling needs at least one spatial axis behind (N, C), got shape (6, 6)"),
    (AssertionError, lambda: F.max_pooling_nd(X, (2, 2, 2)), "2 numbers are needed, one for each spatial axis, got (2, 2, 2)"),
    (ValueError,     lambda: F.average_pooling_nd(X, 2, pad_value=1), "pad_value must be 0 or None, got 1"),
    (AssertionError, lambda: F.average_pooling_2d(X[:, :, :1], 3), "windows of size (3, 3) do not fit into images of size "
        "(1, 6), along axis 0; pad the images, or make the windows smaller"),
    (ValueError,     lambda: F.spatial_pyramid_pooling_2d(X, 2), "pooling must be 'max', got None"),
    (TypeError,      lambda: F.roi_max_pooling_2d(X, ROIS, WHICH, (2.0, 2), 1.0),
        "outsize must be a positive integer or a pair of them, got (2.0, 2)"),
    (TypeError,      lambda: F.roi_max_align_2d(X, ROIS, WHICH, 2, -1.0), "spatial_scale must be a positive number, got -1.0"),
    (TypeError,      lambda: F.roi_average_align_2d(X, ROIS, WHICH, 2, 1.0, 0),
        "sampling_ratio must be None, a positive integer, or a pair of these, got 0"),
]
# fmt: on


def without_line(error: Any) -> str:
    return re.sub(r" \(\w+\.py:\d+\)", "", str(error.value))


@pytest.mark.parametrize(("call", "label", "expect", "actual"), REFUSED)
def test_what_they_refuse(call: Any, label: str, expect: str, actual: str) -> None:
    with pytest.raises(InvalidType) as caught:
        call()
    assert without_line(caught) == (
        f"\nInvalid operation is performed in: {label} (Forward)\n\nExpect: {expect}\nActual: {actual}"
    )


@pytest.mark.parametrize(("error", "call", "text"), ERRORS)
def test_errors_of_arguments(error: Any, call: Any, text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert without_line(caught) == text
