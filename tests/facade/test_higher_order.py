"""Derivatives of gradients."""

import numpy as np
import pytest

from autodiff import checkpoint, custom_jvp, custom_vjp, grad
from autodiff.facade import Variable, no_backprop_mode

FUNCTIONS = [
    lambda x: np.sum(x**3 / (1 + x * x)),
    lambda x: np.sum(np.tanh(x) * np.exp(-x)),
    lambda x: np.sum(np.where(np.greater(x, 1.5), np.log(x), x**2)),
    lambda x: np.prod(np.sin(x)),
    lambda x: np.max(x * x) + np.sum(np.sqrt(x)[1:]),
    lambda x: np.sum(2.0**x - x**2.5 + 1 / x),
    lambda x: np.sum(np.maximum(x, 2 - x) * np.arange(3.0)),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_derivatives_agree_with_grad(function):
    a = np.array([0.7, 1.3, 2.1])
    x = Variable(a)
    function(x).backward()
    np.testing.assert_allclose(x.grad, grad(function)(a), rtol=1e-13)
    x.cleargrad()
    function(x).backward(enable_double_backprop=True)
    np.testing.assert_allclose(x.grad, grad(function)(a), rtol=1e-13)
    g = x.grad_var
    assert g.creator is not None
    x.cleargrad()
    np.sum(g * np.arange(3.0)).backward()
    second = grad(lambda z: np.sum(grad(function)(z) * np.arange(3.0)))(a)
    found = np.zeros(3) if x.grad is None else x.grad  # None: the gradient does not depend on x at all
    np.testing.assert_allclose(found, second, rtol=1e-12, atol=1e-14)


def test_fourth_derivative():
    x = Variable(np.array(1.3))
    y = x * x * x * x * x
    for _ in range(4):
        x.cleargrad()
        y.backward(enable_double_backprop=True)
        y = x.grad_var
    np.testing.assert_allclose(x.grad, 120 * 1.3)


def test_gradients_without_a_graph():
    x = Variable(np.array(2.0))
    (x**3).backward()
    assert x.grad_var.creator is None
    assert x.grad_var.requires_grad
    x.grad_var.backward()
    assert x.grad == 12


def test_the_second_pass_adds_to_what_is_there():
    x = Variable(np.array(2.0))
    (x**3).backward(enable_double_backprop=True)
    x.grad_var.backward()
    assert x.grad == 12 + 12


def test_the_flag_overrides_no_backprop_mode():
    x = Variable(np.array(2.0))
    y = x**3
    with no_backprop_mode():
        y.backward(enable_double_backprop=True)
    assert x.grad_var.creator is not None


def test_dtype_changes_on_the_way():
    x = Variable(np.array([1.0, 2.0], np.float32))
    y = np.sum(np.multiply(x, 2.0).reshape(1, 2) * np.ones((2, 1)))
    y.backward(enable_double_backprop=True)
    assert x.grad_var.dtype == np.float32


@custom_vjp
def square(x):
    return x**2


square.defvjp(lambda x: (x**2, x), lambda x, g: (2 * x * g,))


@custom_jvp
def cube(x):
    return x**3


cube.defjvp(lambda primals, tangents: (primals[0] ** 3, 3 * primals[0] ** 2 * tangents[0]))


@pytest.mark.parametrize(("function", "second"), [(square, [2, 2]), (cube, [6, 12]), (checkpoint(square), [2, 2])])
def test_rules_of_the_users_own_are_differentiated_twice(function, second):
    x = Variable(np.array([1.0, 2.0]))
    np.sum(function(x)).backward(enable_double_backprop=True)
    gx = x.grad_var
    x.cleargrad()
    np.sum(gx).backward()
    assert x.grad.tolist() == second
