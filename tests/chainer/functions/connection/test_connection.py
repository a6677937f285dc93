"""Functions with weights: derivatives for many geometries, numbers that Chainer gives, and what they refuse."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest

import autodiff
import autodiff.chainer.functions as F
from autodiff import InvalidType, Variable
from autodiff.facade.settings.configuration import using_config
from tests.chainer.functions.function_laws import Row, check_row, draw, gradient

IDS = np.array([[0, 2], [2, -1]])


def conv(name: str, *shapes: tuple[int, ...], **options: Any) -> Row:
    args = [draw(*shape, seed=k) for k, shape in enumerate(shapes)]
    return Row(name, lambda *args: F.convolution_2d(*args, **options), args, "Convolution2DFunction")


def deconv(name: str, *shapes: tuple[int, ...], **options: Any) -> Row:
    args = [draw(*shape, seed=k) for k, shape in enumerate(shapes)]
    return Row(name, lambda *args: F.deconvolution_2d(*args, **options), args, "Deconvolution2DFunction")


def many(name: str, function: Any, label: str, *shapes: tuple[int, ...]) -> Row:
    return Row(name, function, [draw(*shape, seed=k) for k, shape in enumerate(shapes)], label)


# fmt: off
ROWS = [
    many("linear",      F.linear,                                              "LinearFunction", (3, 4), (5, 4), (5,)),
    many("linear, no b", F.linear,                                             "LinearFunction", (3, 2, 2), (5, 4)),
    many("linear, 2 batch axes", lambda *a: F.linear(*a, n_batch_axes=2),      "Reshape", (3, 2, 4), (5, 4), (5,)),
    conv("convolution",         (2, 3, 4, 5), (2, 3, 3, 2), (2,)),
    conv("convolution, stride", (2, 2, 5, 5), (3, 2, 2, 2), (3,), stride=(2, 1), pad=(1, 2)),
    conv("convolution, cover",  (1, 2, 5, 4), (2, 2, 2, 3), (2,), stride=2, pad=1, cover_all=True),
    conv("convolution, dilate", (1, 2, 6, 5), (2, 2, 2, 2), (2,), dilate=(3, 2)),
    conv("convolution, groups", (2, 4, 3, 3), (6, 2, 2, 2), (6,), groups=2),
    many("convolution_1d", lambda *a: F.convolution_1d(*a, stride=2, pad=1),   "ConvolutionND", (2, 3, 6), (2, 3, 3)),
    many("convolution_3d", F.convolution_3d,                "ConvolutionND", (1, 2, 3, 3, 2), (2, 2, 2, 2, 2), (2,)),
    many("convolution_nd", lambda *a: F.convolution_nd(*a, stride=2, pad=1, cover_all=True, dilate=2, groups=2),
        "ConvolutionND", (1, 2, 6, 5), (2, 1, 2, 2), (2,)),
    deconv("deconvolution",         (2, 3, 3, 2), (3, 2, 2, 2), (2,)),
    deconv("deconvolution, stride", (1, 2, 3, 3), (2, 2, 3, 2), (2,), stride=(2, 1), pad=(1, 0)),
    deconv("deconvolution, size",   (1, 2, 3, 3), (2, 2, 3, 2), (2,), stride=2, outsize=(8, 6)),
    deconv("deconvolution, groups", (1, 4, 2, 3), (4, 1, 2, 2), (2,), groups=2, dilate=2),
    many("deconvolution_1d", lambda *a: F.deconvolution_1d(*a, stride=2),      "DeconvolutionND", (2, 2, 3), (2, 2, 2)),
    many("deconvolution_3d", F.deconvolution_3d,            "DeconvolutionND", (1, 2, 2, 2, 2), (2, 2, 2, 1, 2), (2,)),
    many("deconvolution_nd", lambda *a: F.deconvolution_nd(*a, stride=2, pad=1, outsize=(6, 5)), "DeconvolutionND",
        (1, 2, 3, 3), (2, 2, 3, 3), (2,)),
    many("depthwise", lambda *a: F.depthwise_convolution_2d(*a, pad=1),        "Convolution2DFunction",
        (1, 3, 3, 3), (2, 3, 2, 2), (6,)),
    many("dilated", lambda *a: F.dilated_convolution_2d(*a, dilate=2),         "Convolution2DFunction",
        (1, 2, 4, 4), (2, 2, 2, 2), (2,)),
    many("local", lambda *a: F.local_convolution_2d(*a, stride=(2, 1)),        "LocalConvolution2DFunction",
        (2, 2, 5, 3), (3, 2, 2, 2, 3, 2), (3, 2, 2)),
    many("bilinear",  F.bilinear,                                   "BilinearFunction", (3, 2), (3, 4), (2, 4, 5)),
    many("bilinear, all", F.bilinear, "BilinearFunction", (3, 2), (3, 2, 2), (2, 4, 5), (2, 5), (4, 5), (5,)),
    many("embed_id", lambda W: F.embed_id(IDS, W),                             "EmbedIDFunction", (4, 3)),
    many("embed_id, ignored", lambda W: F.embed_id(IDS, W, ignore_label=-1),   "EmbedIDFunction", (4, 3)),
    many("shift", lambda x: F.shift(x, (1, 3), (1, 2)),                        "Shift", (2, 7, 3, 4)),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_derivatives_labels_and_dtypes(row: Row) -> None:
    check_row(row)


def test_a_deformable_convolution_has_derivatives_and_without_offsets_is_a_convolution() -> None:
    x, W, b = draw(1, 2, 4, 4), draw(3, 2, 2, 2, seed=1), draw(3, seed=2)
    offset = np.full((1, 8, 3, 3), 0.3)
    check_row(Row("deformable", F.deformable_convolution_2d_sampler, (x, offset, W, b), "_ + _"))
    still = F.deformable_convolution_2d_sampler(x, 0 * offset, W, b)
    np.testing.assert_allclose(still.array, F.convolution_2d(x, W, b).array, atol=1e-12)


def ramp(*shape: int) -> Any:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_values_as_chainer_has_them() -> None:
    x, W, b = ramp(1, 2, 3, 3), ramp(2, 2, 2, 2), ramp(2)
    assert F.convolution_2d(x, W, b).array.ravel().tolist() == [268, 296, 352, 380, 685, 777, 961, 1053]
    covered = F.convolution_2d(x, W, stride=2, pad=1, cover_all=True)
    assert covered.shape == (1, 2, 3, 3)
    assert F.deconvolution_2d(ramp(1, 1, 2, 2), ramp(1, 1, 2, 2)).array.ravel().tolist() == [
        0, 0, 1, 0, 4, 6, 4, 12, 9
    ]  # fmt: skip
    assert F.linear(ramp(2, 3), ramp(2, 3), b).array.tolist() == [[5, 15], [14, 51]]
    assert F.bilinear(ramp(1, 2), ramp(1, 2), ramp(2, 2, 1)).array.tolist() == [[3]]


def test_images_move_by_the_step_of_their_group() -> None:
    x = np.zeros((1, 10, 3, 3), np.float32)
    x[..., 1, 1] = 1
    places = [tuple(int(k) - 1 for k in np.argwhere(image)[0]) for image in F.shift(x).array[0]]
    assert places == [
        (-1, -1), (-1, 0), (-1, 1), (0, -1), (1, 1), (0, 1), (1, -1), (1, 0), (0, 0), (0, 0)
    ]  # fmt: skip


def test_depthwise_results_of_one_channel_stand_together() -> None:
    x, W = draw(1, 2, 3, 3), draw(3, 2, 2, 2, seed=1)
    found = F.depthwise_convolution_2d(x, W).array
    for channel, kernel in product(range(2), range(3)):
        alone = F.convolution_2d(x[:, [channel]], W[[kernel]][:, [channel]]).array
        np.testing.assert_allclose(found[:, [3 * channel + kernel]], alone, atol=1e-14)


def test_a_row_that_is_picked_twice_gets_both_gradients_and_an_ignored_one_none() -> None:
    assert gradient(lambda W: F.embed_id(np.array([1, 1, -1]), W, ignore_label=-1), np.ones((2, 2))) == [
        [[0, 0], [2, 2]]
    ]
    assert gradient(lambda W: F.embed_id(np.array([1, -1]), W), np.ones((2, 1))) == [[[0], [2]]]


def test_the_dtype_is_that_of_the_images() -> None:
    x, W = draw(1, 2, 3, 3).astype(np.float16), draw(2, 2, 2, 2).astype(np.float32)
    weights = Variable(W)
    for y in (F.convolution_2d(Variable(x), weights), F.deconvolution_nd(Variable(x), weights)):
        assert y.dtype == np.float16
        y.grad = np.ones_like(y.array)
        y.backward()
        assert weights.grad.dtype == np.float32
    assert F.linear(x.reshape(1, -1), draw(3, 18)).dtype == np.float16


def test_they_are_functions_of_traced_values() -> None:
    x, W = draw(5, 2, 3, 4, 4), draw(2, 3, 2, 2, seed=1)

    def loss(W: Any, x: Any) -> Any:
        return np.sum(F.convolution_2d(x, W, stride=2, pad=1) ** 2)

    each = autodiff.vmap(autodiff.grad(loss), in_axes=(None, 0))(W, x)
    np.testing.assert_allclose(each, np.stack([autodiff.grad(loss)(W, part) for part in x]), atol=1e-12)


def refusal(function: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(InvalidType) as caught:
        function(*args, **options)
    return re.sub(r" \(\w+\.py:\d+\)", "", str(caught.value))


X = np.zeros((2, 3, 5, 5), np.float32)
W = np.zeros((4, 3, 3, 3), np.float32)
B = np.zeros(4, np.float32)

# fmt: off
REFUSED = {
    "linear dtype": (F.linear, (X[:, 0, 0].astype(int), W[0, 0]), {}, "LinearFunction", "x.dtype.kind == f", "i != f"),
    "linear axes":  (F.linear, (B, W[0, 0]), {},                       "LinearFunction", "x.ndim == 2", "1 != 2"),
    "linear shape": (F.linear, (X[0, 0], W[0, 0]), {},     "LinearFunction", "x.shape[1] == W.shape[1]", "5 != 3"),
    "linear bias":  (F.linear, (W[0, 0], W[0, 0], B), {},  "LinearFunction", "b.shape[0] == W.shape[0]", "4 != 3"),
    "linear bias dtype": (F.linear, (W[0, 0], W[0, 0], B[:3].astype(float)), {}, "LinearFunction",
        "b.dtype == x.dtype", "float64 != float32"),
    "convolution dtype": (F.convolution_2d, (X, W.astype(int)), {}, "Convolution2DFunction",
        "in_types[1].dtype.kind == f", "i != f"),
    "convolution axes": (F.convolution_2d, (X[0], W), {}, "Convolution2DFunction", "in_types[0].ndim == 4", "3 != 4"),
    "channels": (F.convolution_2d, (X, W[:, :2]), {}, "Convolution2DFunction",
        "in_types[0].shape[1] == in_types[1].shape[1] * 1", "3 != 2"),
    "channels in groups": (F.convolution_2d, (X, W[:, :1]), {"groups": 2}, "Convolution2DFunction",
        "in_types[0].shape[1] == in_types[1].shape[1] * 2", "3 != 2"),
    "bias": (F.convolution_2d, (X, W, B[:3]), {}, "Convolution2DFunction",
        "in_types[2].shape[0] == in_types[1].shape[0]", "3 != 4"),
    "bias dtype": (F.convolution_2d, (X, W, B.astype(float)), {}, "Convolution2DFunction",
        "in_types[2].dtype == in_types[0].dtype", "float64 != float32"),
    "kernel axes": (F.convolution_nd, (X, W[0]), {}, "ConvolutionND", "in_types[1].ndim == 4", "3 != 4"),
    "deconvolution channels": (F.deconvolution_2d, (X, W), {}, "Deconvolution2DFunction",
        "in_types[0].shape[1] == in_types[1].shape[0]", "3 != 4"),
    "too large": (F.deconvolution_2d, (X, W[:3]), {"outsize": (12, 13), "stride": 2}, "Deconvolution2DFunction",
        "(13 - (in_types[1].shape[3] + (in_types[1].shape[3] - 1) * 0)) // 2 + 1 <= in_types[0].shape[3]", "6 > 5"),
    "ids dtype": (F.embed_id, (B, W[0, 0]), {}, "EmbedIDFunction", "in_types[0].dtype.kind == i", "f != i"),
    "ids axes":  (F.embed_id, (np.array(1), W[0, 0]), {}, "EmbedIDFunction", "in_types[0].ndim >= 1", "0 < 1"),
    "rows":      (F.embed_id, (IDS, B), {}, "EmbedIDFunction", "in_types[1].ndim == 2", "1 != 2"),
    "form":      (F.bilinear, (X[:, 0, 0], X[:, 0, 0], W[0]), {}, "BilinearFunction",
        "prod(in_types[0].shape[1:]) == in_types[2].shape[0]", "5 != 3"),
    "local":     (F.local_convolution_2d, (X, W), {}, "LocalConvolution2DFunction", "in_types[1].ndim == 6", "4 != 6"),
    "shift":     (F.shift, (X,), {}, "Shift", "x.shape[1] >= 9", "3 < 9"),
}
# fmt: on


@pytest.mark.parametrize("name", REFUSED)
def test_what_they_refuse(name: str) -> None:
    function, args, options, label, expect, actual = REFUSED[name]
    text = refusal(function, *args, **options)
    assert text == (f"\nInvalid operation is performed in: {label} (Forward)\n\nExpect: {expect}\nActual: {actual}")


# fmt: off
ERRORS = [
    (ValueError,     lambda: F.linear(X, W, n_batch_axes=0), "n_batch_axes must be at least 1, got 0"),
    (AssertionError, lambda: F.convolution_2d(X[..., :2], W), "windows of size (3, 3) do not fit into images of size "
        "(5, 2), along axis 1; pad the images, or make the windows smaller"),
    (TypeError,      lambda: F.convolution_2d(X[:, :2], W[:3, :1], groups=2),
        "groups=2 does not divide the 3 output channels"),
    (TypeError,      lambda: F.convolution_2d(X, W, foo=1),
        "convolution_2d() got unexpected keyword argument(s) 'foo'"),
    (ValueError,     lambda: F.convolution_2d(X, W, deterministic=True),
        "deterministic= is gone; use chainer.using_config('cudnn_deterministic', value), or run the program with python -m autodiff.chainer --compat v1"),
    (ValueError,     lambda: F.convolution_1d(X, W),
        "x must have 1 spatial axes behind (N, C), got shape (2, 3, 5, 5)"),
    (AssertionError, lambda: F.convolution_nd(X, W, stride=(1, 2, 3)),
        "2 numbers are needed, one for each spatial axis, got (1, 2, 3)"),
    (AssertionError, lambda: F.deconvolution_2d(X[..., :1, :1], W[:3], pad=2),
        "the result would have size (-1, -1); choose a smaller pad"),
    (ValueError,     lambda: F.bilinear(X[:, 0, 0], X[:, 0, 0], W[0], V1=W[0, 0]),
        "bilinear() got no V2 and no b; give V1, V2 and b, or none of them"),
    (ValueError,     lambda: F.local_convolution_2d(X, np.zeros((1, 4, 3, 3, 3, 3), np.float32)),
        "4 times 3 kernels of size (3, 3) reach beyond images of size (5, 5); the images must be at least (6, 5)"),
    (ValueError,     lambda: F.shift(X, ksize=2), "kh must be odd, got ksize=2"),
    (ValueError,     lambda: F.deformable_convolution_2d_sampler(X, X, W),
        "a kernel of size (3, 3) needs 18 channels of offsets, got shape (2, 3, 5, 5)"),
]
# fmt: on


@pytest.mark.parametrize(("error", "call", "text"), ERRORS, ids=[text[:25] for _, _, text in ERRORS])
def test_errors_of_arguments(error: Any, call: Any, text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert re.sub(r" \(\w+\.py:\d+\)", "", str(caught.value)) == text


def test_in_debug_mode_ids_are_looked_at() -> None:
    rows = np.zeros((3, 2), np.float32)
    with using_config("debug", True):
        F.embed_id(np.array([0, -1]), rows, ignore_label=-1)
        text = r"^the integers must satisfy 0 <= x < 3, the number of rows of W; they go from 0 to 3 \(.*\)$"
        with pytest.raises(ValueError, match=text):
            F.embed_id(np.array([0, 3]), rows)
