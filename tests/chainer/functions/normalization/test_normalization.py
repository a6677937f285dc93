"""Normalization: derivatives, running statistics, dtypes that are mixed, numbers that Chainer gives."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import autodiff
import autodiff.chainer.functions as F
from autodiff import InvalidType, Variable
from tests.chainer.functions.function_laws import Row, check_row, draw, gradient

X = np.array([[1.0, -2, 0], [3, 2, 1], [0, 1, 5], [2, 4, -1]])
GAMMA = np.array([1.0, 2, 0.5])
BETA = np.array([0.0, 1, -1])
SOME = draw(4, 3, 2)
SCALES = draw(3, low=0.5, high=1.5, seed=1), draw(3, seed=2)
POSITIVE = draw(3, low=0.5, high=1.5, seed=3)


def renormalized(x: Any, gamma: Any, beta: Any) -> Any:
    """With r and d far from their bounds, constants where derivatives are concerned."""
    mean, var = np.full(3, 0.1, gamma.dtype), np.full(3, 0.4, gamma.dtype)
    return F.batch_renormalization(x, gamma, beta, 1.01, 0.01, 0.1, mean, var)


def row(name: str, function: Any, label: str, *args: Any, **options: Any) -> Row:
    return Row(name, function, args, label, **options)


# fmt: off
ROWS = [
    row("batch", lambda *a: F.batch_normalization(*a, eps=0.1), "BatchNormalization", SOME, *SCALES),
    row("batch, axis", lambda *a: F.batch_normalization(*a, eps=0.1, axis=(0, 2)), "BatchNormalization", SOME, *SCALES),
    row("batch, wide", lambda *a: F.batch_normalization(*a, eps=0.1), "BatchNormalization",
        SOME, draw(3, 2, seed=1), draw(3, 2, seed=2)),
    row("fixed batch", lambda *a: F.fixed_batch_normalization(*a, eps=0.1), "FixedBatchNormalization",
        SOME, *SCALES, draw(3, seed=4), POSITIVE),
    row("fixed batch, axis", lambda *a: F.fixed_batch_normalization(*a, axis=(0, 2)), "FixedBatchNormalization",
        SOME, *SCALES, draw(3, seed=4), POSITIVE),
    row("layer", lambda *a: F.layer_normalization(*a, eps=0.1), "LayerNormalization", SOME[..., 0], *SCALES),
    row("group", lambda *a: F.group_normalization(a[0], 2, *a[1:], eps=0.1), "GroupNormalization",
        draw(2, 4, 3), draw(4, seed=1), draw(4, seed=2)),
    row("local response", lambda x: F.local_response_normalization(x, 3, 1.5, 0.4, 0.6), "LocalResponseNormalization",
        draw(2, 5, 2)),
    row("local response, even", lambda x: F.local_response_normalization(x, 4), "LocalResponseNormalization", draw(2, 5)),
    row("normalize", lambda x: F.normalize(x, 0.1), "NormalizeL2", SOME),
    row("normalize, axes", lambda x: F.normalize(x, 0.1, (0, 2)), "NormalizeL2", SOME),
    row("decorrelated", lambda x: F.decorrelated_batch_normalization(x, groups=2, eps=0.1),
        "DecorrelatedBatchNormalization", draw(6, 4), half=False),
    row("fixed decorrelated", lambda *a: F.fixed_decorrelated_batch_normalization(*a, groups=2),
        "FixedDecorrelatedBatchNormalization", draw(3, 4, 2), draw(2, 2, seed=1), draw(2, 2, 2, seed=2)),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_derivatives_labels_and_dtypes(row: Row) -> None:
    check_row(row)


def near(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, atol=2e-6)


def test_batches_as_chainer_has_them() -> None:
    mean, var = np.array([0.5, 0, 0]), np.array([1.0, 2, 3])
    y = F.batch_normalization(X, GAMMA, BETA, eps=0.5, running_mean=mean, running_var=var, decay=0.8)
    near(y.array, [
        [-0.377964, -1.853871, -1.262071], [1.133893, 1.658586, -1.052414],
        [-1.133893, 0.780471, -0.213786], [0.377964, 3.414814, -1.471728],
    ])  # fmt: skip
    near(mean, [0.7, 0.25, 0.25])
    near(var, [1.133333, 2.85, 3.783333])


def test_renormalized_batches_as_chainer_has_them() -> None:
    mean, var = np.array([0.5, 0, 0]), np.array([1.0, 2, 3])
    y = F.batch_renormalization(X, GAMMA, BETA, 1.2, 0.3, 0.5, mean, var, 0.8, True)
    near(y.array, [
        [-0.108248, -1.824645, -1.164485], [1.524745, 2.390303, -0.912897],
        [-0.924745, 1.336566, 0.093456], [0.708248, 4.497776, -1.416074],
    ])  # fmt: skip
    near(mean, [0.7, 0.25, 0.25])
    near(var, [1.133333, 2.85, 3.783333])
    F.batch_renormalization(X, GAMMA, BETA, 1.2, 0.3, running_mean=mean, running_var=var)
    near(mean, [0.7, 0.25, 0.25])


def test_the_corrections_of_renormalization_are_constants_to_derivatives() -> None:
    """With bounds that clip them, numerical derivatives agree; without, they are not to be followed."""
    check_row(Row("clipped", renormalized, (SOME, *SCALES), "BatchRenormalizationFunction"))
    mean, var = np.zeros(1), np.ones(1)
    found = gradient(
        lambda x: F.batch_renormalization(x, np.ones(1), mean, 9.0, 9.0, 0.0, mean, var), np.array([[1.0], [4.0]])
    )
    near(found, 0)


def test_decorrelated_batches_as_chainer_has_them() -> None:
    mean, projection = np.zeros((1, 3)), np.zeros((1, 3, 3))
    y = F.decorrelated_batch_normalization(
        X, groups=1, eps=0.5, running_mean=mean, running_projection=projection, decay=0.5
    )
    near(y.array[0], [-0.299088, -1.447066, -0.682739])
    near(mean, [[0.75, 0.625, 0.625]])
    near(projection, [[
        [0.612789, -0.075999, 0.111994], [-0.075999, 0.306667, 0.004833], [0.111994, 0.004833, 0.306765]
    ]])  # fmt: skip


def test_others_as_chainer_has_them() -> None:
    near(F.local_response_normalization(X, 3, 1.0, 0.5, 0.75).array[1], [0.66195, 0.420448, 0.390795])
    groups = F.group_normalization(X[:, :, np.newaxis] * [1.0, 2.0], 3, GAMMA, BETA, eps=0.5)
    near(groups.array[0], [[-0.57735, 0.57735], [2.632993, -0.632993], [-1.0, -1.0]])
    near(F.normalize(X, eps=0.5, axis=(0, 1)).array[0], [0.115955, -0.23191, 0])
    near(F.layer_normalization(X, GAMMA, BETA, eps=0.5).array[1], [0.92582, 1.0, -1.46291])


def test_the_norm_of_a_zero_vector_has_derivative_zero() -> None:
    near(np.array(gradient(lambda x: F.normalize(x), np.zeros((1, 2)))) * 1e-5, 1)


@pytest.mark.parametrize("scale", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_scales_may_have_another_dtype(dtype: Any, scale: Any) -> None:
    gamma, beta = Variable(GAMMA.astype(scale)), Variable(BETA.astype(scale))
    mean = np.zeros(3, np.float32)
    exact = F.batch_normalization(X, GAMMA, BETA, eps=0.5).array
    tolerance = 2e-2 if np.float16 in (dtype, scale) else 1e-6
    for function in (F.batch_normalization, lambda x, *rest, **_: F.group_normalization(x, 3, *rest)):
        y = function(Variable(X.astype(dtype)), gamma, beta, eps=0.5, running_mean=mean)
        assert y.dtype == dtype
        gamma.cleargrad()
        y.grad = np.ones_like(y.array)
        y.backward()
        assert gamma.grad.dtype == scale
    found = F.batch_normalization(X.astype(dtype), gamma.array, beta.array, eps=0.5).array
    np.testing.assert_allclose(found, exact, rtol=tolerance, atol=tolerance)
    assert mean.dtype == np.float32
    np.testing.assert_allclose(mean, 0.1 * X.mean(0), rtol=1e-3)


def test_backward_and_double_backprop_change_no_running_statistics() -> None:
    mean, var = np.zeros(3), np.ones(3)
    x = Variable(X)
    y = F.batch_normalization(x, GAMMA, BETA, running_mean=mean, running_var=var)
    before = mean.copy(), var.copy()
    np.sum(y * X).backward(enable_double_backprop=True)
    np.sum(x.grad_var * X).backward()
    near(mean, before[0])
    near(var, before[1])


def test_inside_of_a_transformation_running_statistics_stay() -> None:
    mean, var = np.zeros(3), np.ones(3)

    def loss(x: Any) -> Any:
        return np.sum(F.batch_normalization(x, GAMMA, BETA, running_mean=mean, running_var=var) ** 3)

    autodiff.grad(loss)(X)
    autodiff.vmap(loss)(np.stack([X, X + 1]))
    autodiff.grad(lambda x: loss(Variable(x)).array)(X)
    assert (mean.tolist(), var.tolist()) == ([0, 0, 0], [1, 1, 1])


def test_of_one_sample_there_is_a_warning() -> None:
    mean, var = np.zeros(3), np.ones(3)
    with pytest.warns(UserWarning, match=r"averages over axes \(0,\) of an array of shape \(1, 3\): one sample"):
        y = F.batch_normalization(X[:1], GAMMA, BETA, running_mean=mean, running_var=var)
    assert y.array.tolist() == [BETA.tolist()]
    near(mean, 0.1 * X[0])
    near(var, 0.9)


def test_the_old_name_of_fixed_batches_is_deprecated() -> None:
    text = r"^fixed_batch_renormalization is deprecated. Use fixed_batch_normalization instead.$"
    with pytest.warns(DeprecationWarning, match=text):
        y = F.fixed_batch_renormalization(X, GAMMA, BETA, BETA, GAMMA)
    near(y.array, F.fixed_batch_normalization(X, GAMMA, BETA, BETA, GAMMA).array)


INT = X.astype(int)
FOUR = np.zeros(4)

# fmt: off
REFUSED = [
    (lambda: F.batch_normalization(INT, GAMMA, BETA), "BatchNormalization", "in_types[0].dtype.kind == f", "i != f"),
    (lambda: F.batch_normalization(X, GAMMA.astype(np.float32), BETA), "BatchNormalization",
        "in_types[1].dtype == in_types[2].dtype", "float32 != float64"),
    (lambda: F.batch_normalization(X, GAMMA, FOUR), "BatchNormalization", "in_types[1].shape == in_types[2].shape",
        "(3,) != (4,)"),
    (lambda: F.batch_normalization(X, FOUR, FOUR), "BatchNormalization", "in_types[0].shape[1] == in_types[1].shape[0]",
        "3 != 4"),
    (lambda: F.batch_normalization(X, GAMMA, BETA, axis=1), "BatchNormalization",
        "in_types[0].shape[0] == in_types[1].shape[0]", "4 != 3"),
    (lambda: F.batch_normalization(X[0], GAMMA, BETA), "BatchNormalization", "in_types[1].ndim == 0", "1 != 0"),
    (lambda: F.fixed_batch_normalization(X, GAMMA, BETA, FOUR, GAMMA), "FixedBatchNormalization",
        "in_types[3].shape == in_types[1].shape", "(4,) != (3,)"),
    (lambda: F.fixed_batch_normalization(X, GAMMA, BETA, INT[0], GAMMA), "FixedBatchNormalization",
        "in_types[3].dtype == in_types[1].dtype", "int64 != float64"),
    (lambda: F.batch_renormalization(X, FOUR, FOUR, 1.5, 0.5, running_mean=BETA, running_var=GAMMA),
        "BatchRenormalizationFunction", "in_types[0].shape[1:2] == in_types[1].shape", "(3,) != (4,)"),
    (lambda: F.decorrelated_batch_normalization(X, groups=2), "DecorrelatedBatchNormalization",
        "in_types[0].shape[1] % 2 == 0", "1 != 0"),
    (lambda: F.group_normalization(X, 3, FOUR, FOUR), "GroupNormalization",
        "in_types[0].shape[1] == in_types[1].shape[0]", "3 != 4"),
    (lambda: F.layer_normalization(SOME, GAMMA, BETA), "LayerNormalization", "in_types[0].ndim == 2", "3 != 2"),
    (lambda: F.layer_normalization(X, GAMMA.astype(np.float32), BETA), "LayerNormalization",
        "in_types[1].dtype == in_types[0].dtype", "float32 != float64"),
    (lambda: F.local_response_normalization(X[0]), "LocalResponseNormalization", "in_types[0].ndim >= 2", "1 < 2"),
    (lambda: F.normalize(INT), "NormalizeL2", "in_types[0].dtype.kind == f", "i != f"),
]

ERRORS = [
    (RuntimeError, lambda: F.batch_normalization(SOME, *SCALES, axis=(2, 0)),
        "axis must be in ascending order, got (2, 0)"),
    (ValueError, lambda: F.batch_normalization(X, GAMMA, BETA, train=True),
        "train= is gone; use chainer.using_config('train', value), or run the program with python -m autodiff.chainer --compat v1"),
    (TypeError,  lambda: F.batch_normalization(X, GAMMA, BETA, foo=1),
        "batch_normalization() got unexpected keyword argument(s) 'foo'"),
    (ValueError, lambda: F.batch_normalization(X, GAMMA, BETA, running_mean=np.zeros(4)),
        "a running value of shape (4,) cannot follow 3 values; it must have the shape of gamma"),
    (TypeError,  lambda: F.batch_renormalization(X, GAMMA, BETA, 1.5, 0.5), "running_mean is required"),
    (TypeError,  lambda: F.group_normalization(X, 3.0, GAMMA, BETA), "groups must be an int, got 3.0"),
    (ValueError, lambda: F.group_normalization(X, 2, GAMMA, BETA), "groups=2 does not divide the 3 channels"),
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
