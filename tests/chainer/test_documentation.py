"""The examples of Chainer's pages on Variables and of its guide "Variables and Derivatives", with what they print."""

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.chainer import Variable

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


def test_gradients_of_any_variables():
    x = Variable(np.array([[0, 2, 3], [4, 5, 6]], dtype=np.float32))
    z = 2 * x
    y = x**2 - z
    gx, gz = chainer.grad([y], [x, z])
    assert (gx.array == 2 * x.array - 2).all()
    assert (gz.array == -1).all()
    assert x.grad is None


def test_get_item():
    x = np.arange(12).reshape((2, 2, 3))
    assert repr(F.get_item(x, 0)) == "variable([[0, 1, 2],\n          [3, 4, 5]])"
    assert repr(F.get_item(x, (0, 0, slice(0, 2, 1)))) == "variable([0, 1])"
    assert repr(F.get_item(x, (Ellipsis, 2))) == "variable([[ 2,  5],\n          [ 8, 11]])"
    assert repr(F.get_item(x, (1, np.newaxis, 1, 0))) == "variable([9])"
    v = Variable(x)
    assert repr(v[0, 0, 0:2:1]) == "variable([0, 1])"
    assert repr(v[..., 2]) == "variable([[ 2,  5],\n          [ 8, 11]])"
    assert repr(v[1, None, 1, 0]) == "variable([9])"
