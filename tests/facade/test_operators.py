"""Operators: values, dtypes, labels, and what does not fit."""

import operator

import numpy as np
import pytest

from autodiff.facade import InvalidType, Variable

F = np.array([1.0, 2.0, 3.0], np.float32)
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.floordiv]


@pytest.mark.parametrize("apply", OPERATORS)
@pytest.mark.parametrize(
    "other", [2, 2.0, np.float64(2), np.int64(2), True, np.array([2.0, 3.0, 4.0]), np.array([1, 2, 3]), np.array(2.0)]
)
@pytest.mark.parametrize("reflected", [False, True])
def test_numbers_and_arrays_are_weak(apply, other, reflected):
    x = Variable(F)
    found = apply(other, x) if reflected else apply(x, other)
    cast = np.asarray(other).astype(np.float32)
    expected = apply(cast, F) if reflected else apply(F, cast)
    assert type(found) is Variable
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.array, expected, rtol=1e-6)


@pytest.mark.parametrize("apply", OPERATORS)
def test_operators_without_axes(apply):
    x, y = Variable(np.array(3.0, np.float32)), Variable(np.array(2.0, np.float32))
    for found in (apply(x, y), apply(x, 2.0), apply(3.0, y)):
        assert type(found.array) is np.ndarray
        assert found.dtype == np.float32
        assert found.array == apply(3.0, 2.0)


def test_zero_and_negative_zero_are_different_constants():
    x = Variable(F)
    assert np.signbit((x * 0.0).array).tolist() == [False] * 3
    assert np.signbit((x * -0.0).array).tolist() == [True] * 3


def test_in_place_operators_rebind():
    x = y = Variable(F)
    y += 1
    assert y is not x
    assert (x.rank, y.rank) == (0, 1)


def test_unary_operators():
    x = Variable(-F)
    assert +x is x
    assert (-x).array.tolist() == F.tolist()
    assert abs(x).array.tolist() == F.tolist()


def test_variables_of_different_dtypes():
    with pytest.raises(InvalidType) as caught:
        Variable(F) * Variable(F.astype(np.float64))
    assert str(caught.value) == (
        "\nInvalid operation is performed in: _ * _ (Forward) (test_operators.py:60)\n\n"
        "Expect: lhs.dtype == rhs.dtype\nActual: float32 != float64\n\n"
        "Variables of different dtypes do not mix; cast one of them."
    )


def test_shapes_that_do_not_broadcast():
    for function in (
        lambda: Variable(F) + Variable(F[:2]), lambda: Variable(F) + F[:2], lambda: F[:2] + Variable(F),
    ):  # fmt: skip
        with pytest.raises(InvalidType, match=r"Expect: in_types\[0\].shape and in_types\[1\].shape broadcast"):
            function()


INTEGERS = np.array([1, 2, 3], np.int32)


def test_integers():
    x = Variable(INTEGERS)
    assert (x + 1).dtype == np.int32
    assert (x * 2).array.tolist() == [2, 4, 6]
    assert (x * 2.0).dtype == np.int32
    assert (2 - x).array.tolist() == [1, 0, -1]
    assert (-x).dtype == np.int32
    assert (x + x).dtype == np.int32
    assert (x // 2).array.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 2.5, lambda x: x + 0.5, lambda x: x / 2, lambda x: 2 / x, lambda x: x**2, lambda x: x * x,
        lambda x: x / x, lambda x: x**x, abs, lambda x: x + np.array(0.5),
    ],
)  # fmt: skip
def test_integers_never_lose_a_fraction(function):
    with pytest.raises(InvalidType):
        function(Variable(INTEGERS))


@pytest.mark.parametrize("other", [None, [1.0, 2.0, 3.0], (1.0,), "2"])
def test_other_operands(other):
    for function in (lambda: Variable(F) + other, lambda: other * Variable(F)):
        with pytest.raises(TypeError):
            function()


def test_complex_constants():
    with pytest.raises(InvalidType, match="a constant that float32 can hold"):
        Variable(F) * 1j
    z = Variable(np.array([1j], np.complex64))
    assert (z * 2j).array.tolist() == [-2]


def test_matrix_product():
    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    for found in (Variable(a) @ Variable(b), Variable(a) @ b, a @ Variable(b)):
        assert type(found) is Variable
        assert found.array.tolist() == (a @ b).tolist()
    assert (Variable(F) @ Variable(F)).shape == ()
    with pytest.raises(TypeError):
        Variable(a) @ 2.0


@pytest.mark.parametrize(
    ("function", "label"),
    [
        (lambda x: x + x, "_ + _"),
        (lambda x: x + 2, "_ + 2"),
        (lambda x: x * 2, "_ * 2"),
        (lambda x: x**3, "_ ** 3"),
        (lambda x: 2 - x, "2 - _"),
        (lambda x: x / x, "_ / _"),
        (lambda x: -x, "__neg__"),
        (abs, "|_|"),
        (lambda x: x * -1, "_ * (-1)"),
        (lambda x: x + F, "_ + _"),
        (lambda x: np.tanh(x), "Tanh"),
    ],
)
def test_labels(function, label):
    assert function(Variable(F)).creator.label == label


def test_numpy_functions():
    x = Variable(F)
    assert type(np.tanh(x)) is Variable
    assert type(np.sum(x)) is Variable
    assert np.sum(x).shape == ()
    assert type(np.multiply(F, x)) is Variable
    assert np.greater(x, 1.5).tolist() == [False, True, True]
    assert type(np.concatenate([x, x])) is Variable
    assert x[1:].array.tolist() == [2, 3]
    assert x[np.array([0, 0])].array.tolist() == [1, 1]
    with pytest.raises(IndexError, match="a Variable cannot be an index"):
        x[Variable(np.array([0]))]


def test_reshape_and_transpose():
    x = Variable(np.arange(6.0).reshape(2, 3))
    assert x.reshape(3, 2).shape == x.reshape((3, 2)).shape == x.reshape([3, -1]).shape == (3, 2)
    assert x.reshape(-1).shape == (6,)
    assert x.reshape(2, 3) is x
    assert x.T.shape == x.transpose().shape == x.transpose(None).shape == x.transpose(1, 0).shape == (3, 2)
    assert x.transpose((-1, 0)).shape == (3, 2)
    assert x.mean().item() == 2.5
    assert x.mean(axis=0, keepdims=True).shape == (1, 3)
    assert x.mean(1, weights=np.array([1.0, 0.0, 0.0])).array.tolist() == [0.0, 3.0]


SQUARE, TALL, WIDE = np.eye(3) + 1, np.arange(6.0).reshape(3, 2), np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(("a", "b"), [(SQUARE, SQUARE), (SQUARE, TALL), (WIDE, TALL), (WIDE, SQUARE), (TALL.T, TALL)])
@pytest.mark.parametrize("double", [False, True])
def test_gradients_of_matrix_products(a, b, double):
    x, y = Variable(a), Variable(b)
    weights = np.arange(1.0, 1.0 + a.shape[0] * b.shape[1]).reshape(a.shape[0], b.shape[1])
    for product in (x @ y, np.matmul(x, y)):
        x.cleargrad()
        y.cleargrad()
        np.sum(product * weights).backward(enable_double_backprop=double)
        np.testing.assert_allclose(x.grad, weights @ b.T)
        np.testing.assert_allclose(y.grad, a.T @ weights)
    for product in (x @ b, a @ y):
        x.cleargrad()
        y.cleargrad()
        np.sum(product * weights).backward(enable_double_backprop=double)
        found, expected = (y.grad, a.T @ weights) if x.grad is None else (x.grad, weights @ b.T)
        np.testing.assert_allclose(found, expected)


def test_matrices_that_do_not_fit():
    for function in (
        lambda: Variable(TALL) @ Variable(TALL), lambda: Variable(TALL) @ TALL, lambda: TALL @ Variable(TALL),
    ):  # fmt: skip
        with pytest.raises(InvalidType, match=r"Actual: \(3, 2\) and \(3, 2\)"):
            function()
