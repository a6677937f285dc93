"""Numerical gradients, and gradients compared with them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff.chainer.functions as F
import autodiff.chainer.links as L
from autodiff.chainer import gradient_check
from autodiff.chainer.gradient_check import (
    NondifferentiableError,
    check_backward,
    check_double_backward,
    numerical_grad,
)
from autodiff.facade import Parameter, Variable
from autodiff.facade.functions.function_node import FunctionNode

X = np.array([1.0, 2.0])
ONES = np.ones(2)


class HalfSquare(FunctionNode):
    """The square, with half of its derivative."""

    def forward(self, inputs):
        self.retain_inputs((0,))
        return (inputs[0] ** 2,)

    def backward(self, indexes, grad_outputs):
        return (self.get_retained_inputs()[0] * grad_outputs[0],)


def half_square(x):
    return HalfSquare().apply((x,))[0]


@pytest.fixture(autouse=True)
def _seeded():
    np.random.seed(0)  # noqa: NPY002


def test_numerical_grad_takes_central_differences():
    x = X.copy()
    np.testing.assert_allclose(numerical_grad(lambda: (x**3,), (x,), (ONES,), eps=0.1)[0], [3.01, 12.01])
    np.testing.assert_array_equal(x, X)


def test_numerical_grad_keeps_single_precision():
    x = X.astype(np.float32)
    (gradient,) = numerical_grad(lambda: (x**2,), (x,), (ONES.astype(np.float32),))
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, [2, 4], rtol=1e-3)


def test_numerical_grad_leaves_out_what_is_none():
    x = X.copy()
    assert numerical_grad(lambda: (x**2, None), (x,), (None, None))[0].tolist() == [0, 0]


def test_numerical_grad_at_a_kink_is_the_mean_of_both_slopes():
    x = np.array([0.0, 2.0])
    np.testing.assert_allclose(numerical_grad(lambda: (abs(x),), (x,), (ONES,))[0], [0, 1])


@pytest.mark.parametrize("function", [abs, np.sign, lambda x: abs(x - 0.0005), np.sqrt])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_numerical_grad_finds_kinks_jumps_and_ends(function):
    x = np.array([0.0, 2.0])
    with pytest.raises(NondifferentiableError, match=r"output 0 is not differentiable at inputs\[0\]\[0\] \(eps=0.001"):
        numerical_grad(lambda: (function(x),), (x,), (ONES,), detect_nondifferentiable=True)
    np.testing.assert_array_equal(x, [0, 2])


@pytest.mark.parametrize("function", [np.exp, np.cos, lambda x: 0 * x, lambda x: x**3])
def test_smooth_functions_have_no_kinks(function):
    x = X.copy()
    numerical_grad(lambda: (function(x),), (x,), (ONES,), detect_nondifferentiable=True)


def test_numerical_grad_of_whole_numbers_is_refused():
    x = np.arange(2)
    with pytest.raises(RuntimeError, match="inputs must be arrays of floating-point numbers, got int64"):
        numerical_grad(lambda: (x,), (x,), (ONES,))


@pytest.mark.parametrize("eps", [0, -1e-3])
def test_numerical_grad_takes_steps(eps):
    with pytest.raises(ValueError, match=f"eps, the width of a step, must be positive, got {eps}"):
        numerical_grad(lambda: (X,), (X,), (ONES,), eps=eps)


def test_inputs_are_restored_after_an_error():
    x = X.copy()
    with pytest.raises(AssertionError, match="f must return a tuple of arrays, got ndarray"):
        numerical_grad(lambda: x**2, (x,), (ONES,))
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_right_gradients_pass_in_double_precision(dtype):
    check_backward(F.sin, X.astype(dtype), ONES.astype(dtype), rtol=10 * np.finfo(dtype).resolution, dtype="d")


def test_a_dtype_is_that_of_the_numerical_derivative():
    link, seen = L.Linear(None, 2), []

    def function(x):
        seen.append(x.dtype)
        return link(x)

    x, ones = np.ones((1, 3), "f"), np.ones((1, 2), "f")
    check_backward(function, x, ones, dtype="d")  # without its parameters, which stay float32
    check_backward(function, x, ones, params=link.W, dtype="d")
    assert seen == [np.float32, np.float64, np.float64] * 2
    check_double_backward(
        lambda x: F.cast(x, "f") ** 2, X.astype("f"), ONES.astype("f"), ONES.astype("f"), dtype="d", atol=1e-2
    )


def test_wrong_gradients_fail_with_both_derivatives():
    with pytest.raises(AssertionError) as caught:
        check_backward(half_square, X, ONES)
    text = str(caught.value)
    assert text.startswith("check_backward failed (eps=0.001 atol=1e-05 rtol=0.0001)\ninputs[0]:\n[1. 2.]\n")
    numeric, backward = map(float, re.findall(r"gradients \(\w+\): +(\S+)", text))
    assert numeric == pytest.approx(2 * backward)


def test_parameters_are_checked_and_restored():
    w = Parameter(X.astype(np.float32))
    array = w.array
    check_backward(lambda x: x * w, X.astype("f"), ONES.astype("f"), params=w, dtype="d")
    assert w.array is array
    assert w.grad is None


def test_several_outputs_and_integer_inputs():
    check_backward(lambda x: F.split_axis(x, 2, 0), X, (np.ones(1), np.ones(1)))
    check_backward(lambda w, i: F.embed_id(i, w), (np.ones((3, 2)), np.array([0, 2])), np.ones((2, 2)))


def test_a_loss_needs_no_gradient_and_anything_else_does():
    check_backward(F.sum, X, None)
    with pytest.raises(ValueError, match=r"y_grad is needed: the outputs have shapes \[\(2,\)\]"):
        check_backward(F.sin, X, None)


@pytest.mark.parametrize("grad", [(np.ones(1),), (np.ones(3), np.ones(1)), (np.ones(1, "f"), np.ones(1))])
def test_gradients_that_do_not_fit_are_refused(grad):
    with pytest.raises(
        ValueError, match=r"(?s)y_grad does not fit to the outputs.*outputs  \(1,\):float64, \(1,\):float64"
    ):
        check_backward(lambda x: F.split_axis(x, 2, 0), X, grad)


def test_an_input_without_gradient_must_have_none():
    with pytest.raises(RuntimeError, match="input 0 has a gradient, and no_grads says it has none"):
        check_backward(lambda x, y: x * y, (X, X.copy()), ONES, no_grads=[True, False])


def test_kinks_are_found_if_looked_for():
    with pytest.raises(NondifferentiableError):
        check_backward(F.relu, np.array([0.0, 2.0]), ONES, detect_nondifferentiable=True)
    with pytest.raises(AssertionError):
        check_backward(F.relu, np.array([0.0, 2.0]), ONES)


def test_a_dtype_that_is_not_floating_is_refused():
    with pytest.raises(ValueError, match="dtype must be a floating one, got int64"):
        check_backward(F.sin, X, ONES, dtype=np.int64)


def test_gradients_of_gradients():
    w = Parameter(X.copy())
    check_double_backward(F.sin, X, ONES, ONES)
    check_double_backward(lambda x: x * 2, X, ONES, ONES)
    check_double_backward(lambda x: x * w * x, X, ONES, ONES, params=w, params_grad_grad=ONES)


def test_wrong_gradients_of_gradients_fail():
    class Cube(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 3,)

        def backward(self, indexes, grad_outputs):
            x = self.get_retained_inputs()[0]
            return (3 * Variable(x.array) ** 2 * grad_outputs[0],)  # forgets that it depends on x

    with pytest.raises(AssertionError, match="check_backward failed"):
        check_double_backward(lambda x: Cube().apply((x,))[0], X, ONES, ONES)


def test_the_old_name_of_assert_allclose():
    with pytest.warns(DeprecationWarning, match="testing.assert_allclose"):
        gradient_check.assert_allclose(X, X)


@pytest.mark.parametrize("given", [(1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize("wanted", [(1, 0), (0, 1), (1, 1)])
def test_double_backward_with_gradients_that_are_not_there(given, wanted):
    x, y = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    gys = tuple(np.array([0.5, 2.0]) if there else None for there in given)
    ggxs = tuple(np.array([1.0, -1.0]) if there else None for there in wanted)
    check_double_backward(lambda x, y: (x**2 * y, x * y**3), (x, y), gys, ggxs)


def test_double_backward_beside_integers():
    x, n = np.array([1.0, 2.0]), np.array([2, 3])
    check_double_backward(lambda x, n: x**3 * n.array.astype("d"), (x, n), np.ones(2), (np.ones(2), None))
    check_double_backward(lambda x, n: x**3 * n.array.astype("d"), (x, n), np.ones(2), np.ones(2))
