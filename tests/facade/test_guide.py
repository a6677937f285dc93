"""The examples of the guide "Variables and Derivatives", with the results it prints."""

import numpy as np
import pytest

from autodiff.facade import Variable

pytestmark = pytest.mark.filterwarnings("ignore:backward.. from a Variable of shape:DeprecationWarning")


def test_one_element():
    x_data = np.array([5], dtype=np.float32)
    x = Variable(x_data)
    y = x**2 - 2 * x + 1
    assert repr(y.array) == "array([16.], dtype=float32)"
    assert y.array is y.data
    assert x.array is x_data
    y.backward()
    assert repr(x.grad) == "array([8.], dtype=float32)"


def test_intermediate_gradient_is_kept_on_request():
    x = Variable(np.array([5], dtype=np.float32))
    z = 2 * x
    y = x**2 - z + 1
    y.backward(retain_grad=True)
    assert repr(z.grad) == "array([-1.], dtype=float32)"


def test_intermediate_gradient_is_not_kept_otherwise():
    x = Variable(np.array([5], dtype=np.float32))
    z = 2 * x
    (x**2 - z + 1).backward()
    assert z.grad is None


def test_several_elements_with_an_initial_error():
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32))
    y = x**2 - 2 * x + 1
    y.grad = np.ones((2, 3), dtype=np.float32)
    y.backward()
    assert repr(x.grad) == "array([[ 0.,  2.,  4.],\n       [ 6.,  8., 10.]], dtype=float32)"


def test_second_derivatives():
    x = Variable(np.array([[0, 2, 3], [4, 5, 6]], dtype=np.float32))
    y = x**3
    y.grad = np.ones((2, 3), dtype=np.float32)
    y.backward(enable_double_backprop=True)
    assert repr(x.grad_var) == "variable([[  0.,  12.,  27.],\n          [ 48.,  75., 108.]])"
    assert x.grad_var.array is x.grad
    assert (x.grad == (3 * x**2).array).all()
    gx = x.grad_var
    x.cleargrad()
    gx.grad = np.ones((2, 3), dtype=np.float32)
    gx.backward()
    assert repr(x.grad) == "array([[ 0., 12., 18.],\n       [24., 30., 36.]], dtype=float32)"
    assert (x.grad == (6 * x).array).all()
