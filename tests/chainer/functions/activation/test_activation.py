"""Activation functions: derivatives, kinks, labels, and what they refuse."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import autodiff.chainer.functions as F
from autodiff import InvalidType, Variable
from autodiff.facade.settings.configuration import using_config
from autodiff.ops.rectifier import rectifier
from autodiff.testing import Case, check_case, domains
from tests.chainer.functions.function_laws import Row, check_row, draw, gradient

X = draw(2, 3, 2)
X[np.abs(X) < 0.05] = 0.3
WIDE = X * 9

RECTIFIER = Case("rectifier", rectifier, (domains.nonzero,))

ROWS = [
    Row("relu", F.relu, (X,), "ReLU"),
    Row("clipped_relu", lambda x: F.clipped_relu(x, 0.5), (X,), "ClippedReLU"),
    Row("relu6", F.relu6, (WIDE,), "ClippedReLU"),
    Row("crelu", F.crelu, (X,), "CReLU"),
    Row("crelu_last", lambda x: F.crelu(x, axis=-1), (X,), "CReLU"),
    Row("elu", lambda x: F.elu(x, 0.7), (X,), "ELU"),
    Row("selu", F.selu, (X,), "_ * 1.0507009873554805"),
    Row("hard_sigmoid", F.hard_sigmoid, (WIDE,), "HardSigmoid"),
    Row("leaky_relu", F.leaky_relu, (X,), "LeakyReLU"),
    Row("softmax", F.softmax, (X,), "Softmax"),
    Row("softmax_last", lambda x: F.softmax(x, axis=-1), (X,), "Softmax"),
    Row("log_softmax", F.log_softmax, (X,), "LogSoftmax"),
    Row("maxout", lambda x: F.maxout(x, 3), (X,), "Max"),
    Row("prelu", F.prelu, (X, draw(3, seed=1)), "PReLUFunction"),
    Row("prelu_all", F.prelu, (X, draw(3, 2, seed=1)), "PReLUFunction"),
    Row("prelu_one", F.prelu, (X, draw(seed=1)), "PReLUFunction"),
    Row("sigmoid", F.sigmoid, (WIDE,), "Sigmoid"),
    Row("softplus", lambda x: F.softplus(x, 2.0), (X,), "Softplus"),
    Row("swish", F.swish, (X, draw(3, seed=1)), "Swish"),
    Row("swish_one", F.swish, (X, draw(seed=1)), "Swish"),
    Row("tanh", F.tanh, (X,), "Tanh"),
]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_derivatives_labels_and_dtypes(row: Row) -> None:
    check_row(row)


def test_the_rectifier_keeps_every_law() -> None:
    check_case(RECTIFIER, max_examples=10)


KINKS = {  # function: points, values, gradients
    "relu": (F.relu, [0, -0.0, inf, nan], [0, 0, inf, nan], [0, 0, 1, 0]),
    "clipped_relu": (F.clipped_relu, [0, 20, inf], [0, 20, 20], [0, 0, 0]),
    "relu6": (F.relu6, [0, 6, inf], [0, 6, 6], [0, 0, 0]),
    "elu": (lambda x: F.elu(x, 2.0), [0, -inf, inf], [0, -2, inf], [2, 0, 1]),
    "leaky_relu": (F.leaky_relu, [0, -inf, inf], [0, -inf, inf], [0.2, 0.2, 1]),
    "hard_sigmoid": (F.hard_sigmoid, [-2.5, 2.5, 0, -inf, inf], [0, 1, 0.5, 0, 1], [0, 0, 0.2, 0, 0]),
    "sigmoid": (F.sigmoid, [0, -inf, inf], [0.5, 0, 1], [0.25, 0, 0]),
    "softplus": (F.softplus, [0, -1000, 1000], [np.log(2), 0, 1000], [0.5, 0, 1]),
    "tanh": (F.tanh, [0, -inf, inf], [0, -1, 1], [1, 0, 0]),
}


@pytest.mark.parametrize("name", KINKS)
def test_values_and_gradients_at_kinks_and_ends(name: str) -> None:
    function, points, values, slopes = KINKS[name]
    np.testing.assert_array_equal(function(np.array(points, float)).array, values)
    np.testing.assert_array_equal(gradient(function, points)[0], slopes)


def test_selu_at_zero() -> None:
    np.testing.assert_allclose(gradient(F.selu, [0.0])[0], [1.0507009873554805 * 1.6732632423543772])


def test_prelu_at_zero() -> None:
    assert gradient(F.prelu, [[0.0, -1.0, 1.0]], [0.1, 0.2, 0.3]) == [[[1.0, 0.2, 1.0]], [0.0, -1.0, 0.0]]


def test_crelu_at_zero() -> None:
    assert gradient(F.crelu, [[0.0, -1.0, 1.0]]) == [[[0.0, -1.0, 1.0]]]


def test_equal_elements_of_maxout_get_the_whole_gradient_each() -> None:
    assert gradient(lambda x: F.maxout(x, 2), [[0.0, 0.0, 1.0, -1.0]]) == [[[1.0, 1.0, 1.0, 0.0]]]


def test_maxout_along_the_last_axis() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(F.maxout(x, 2, axis=-1).array, x[:, :, 1::2])


def test_maxout_needs_a_divisible_axis() -> None:
    with pytest.raises(InvalidType, match="Invalid operation is performed in: maxout") as raised:
        F.maxout(np.zeros((1, 4)), 3)
    assert (raised.value.expect, raised.value.actual) == ("x.shape[axis] % 3 == 0", "1 != 0")
    with pytest.raises(ValueError, match=r"^pool_size must be a positive integer, got 0$"):
        F.maxout(np.zeros((1, 4)), 0)


REFUSED = [
    (lambda: F.relu(np.array([1])), "ReLU", "x.dtype.kind == f", "i != f"),
    (lambda: F.softmax(np.zeros(3)), "Softmax", "x.ndim > 1", "1 <= 1"),
    (lambda: F.log_softmax(Variable(np.zeros(3)), axis=-2), "LogSoftmax", "x.ndim > 1", "1 <= 1"),
    (lambda: F.crelu(np.zeros(3)), "CReLU", "x.ndim > 1", "1 <= 1"),
    (lambda: F.prelu(np.zeros(3), np.zeros(3)), "PReLUFunction", "x.ndim >= W.ndim + 1", "1 < 2"),
    (lambda: F.prelu(np.zeros((2, 3)), np.zeros(2)), "PReLUFunction", "x.shape[1:2] == W.shape", "(3,) != (2,)"),
    (lambda: F.prelu(np.zeros((2, 3)), np.zeros(3, "f")), "PReLUFunction", "W.dtype == x.dtype", "float32 != float64"),
    (lambda: F.swish(np.zeros((2, 3)), np.zeros(2)), "Swish", "beta.shape == x.shape[1:2]", "(2,) != (3,)"),
    (lambda: F.swish(np.zeros(3), np.zeros(3)), "Swish", "beta.ndim <= x.ndim - 1", "1 > 0"),
    (lambda: F.rrelu(np.zeros(3), r=np.zeros(2)), "RReLU", "in_types[0].shape == (2,)", "(3,) != (2,)"),
]


@pytest.mark.parametrize(("call", "label", "expect", "actual"), REFUSED)
def test_operands_that_do_not_fit(call: Any, label: str, expect: str, actual: str) -> None:
    with pytest.raises(InvalidType) as raised:
        call()
    line = f"\nInvalid operation is performed in: {label} (Forward)"
    assert str(raised.value).startswith(line)
    assert str(raised.value).endswith(f"\n\nExpect: {expect}\nActual: {actual}")


def test_rrelu_with_given_slopes() -> None:
    slopes = np.array([0.1, 0.2, 0.3])
    y, used = F.rrelu(np.array([-1.0, 0.0, 1.0]), r=slopes, return_r=True)
    np.testing.assert_array_equal(y.array, [-0.1, 0.0, 1.0])
    assert used is slopes
    assert gradient(lambda x: F.rrelu(x, r=slopes), [-1.0, 0.0, 1.0]) == [[0.1, 1.0, 1.0]]


def test_rrelu_draws_slopes_while_training_and_takes_the_mean_otherwise() -> None:
    x = -np.ones(1000, np.float32)
    y, slopes = F.rrelu(x, 0.1, 0.2, return_r=True)
    assert (slopes.dtype, y.dtype) == (np.float32, np.float32)
    assert 0.1 <= slopes.min() < 0.11 < 0.19 < slopes.max() <= 0.2
    np.testing.assert_array_equal(y.array, -slopes)
    with using_config("train", False):
        np.testing.assert_allclose(F.rrelu(x, 0.1, 0.2).array, -0.15, rtol=1e-6)


def test_rrelu_keywords() -> None:
    x = np.zeros(1)
    with pytest.raises(ValueError, match=r"^train= is gone; use chainer.using_config"):
        F.rrelu(x, train=True)
    with pytest.raises(TypeError, match=r"^rrelu\(\) got unexpected keyword argument\(s\) 'foo'"):
        F.rrelu(x, foo=True)
    with pytest.raises(ValueError, match=r"^lower must be less than upper, got l=0.5 and u=0.1"):
        F.rrelu(x, 0.5, 0.1)


def test_softmax_and_log_softmax_far_out() -> None:
    assert F.softmax(np.array([[1000.0, 0.0]])).array.tolist() == [[1.0, 0.0]]
    assert F.log_softmax(np.array([[1000.0, 0.0]])).array.tolist() == [[0.0, -1000.0]]
    assert gradient(lambda x: F.log_softmax(x)[:, 0], [[1000.0, 0.0]]) == [[[0.0, 0.0]]]


def test_numpy_scalars_as_parameters_do_not_change_the_dtype() -> None:
    x = np.ones(2, np.float32)
    wide = np.float64(0.5)
    for y in (F.leaky_relu(x, wide), F.elu(x, wide), F.softplus(x, wide), F.clipped_relu(x, wide)):
        assert y.dtype == np.float32
