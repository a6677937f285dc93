"""The attributes grad and grad_var, and the methods that change them."""

import numpy as np
import pytest

from autodiff.facade import Variable
from autodiff.facade.functions.function_node import FunctionNode

A = np.arange(3, dtype=np.float32)


def test_grad_and_grad_var_belong_together():
    v = Variable(A)
    g = np.ones_like(A)
    v.grad = g
    assert v.grad is g
    assert v.grad_var.array is g
    assert v.grad_var is v.grad_var
    u = Variable(g.copy())
    v.grad_var = u
    assert v.grad is u.array
    assert v.grad_var is u
    v.grad = None
    assert (v.grad, v.grad_var) == (None, None)


def test_what_a_gradient_may_be():
    v = Variable(A)
    for wrong in (1.0, np.float32(1), [1.0, 1.0, 1.0], Variable(A)):
        with pytest.raises(TypeError, match=f"a gradient must be an array, got {type(wrong).__name__}"):
            v.grad = wrong
    with pytest.raises(TypeError, match="the gradient has dtype float64 but the Variable float32"):
        v.grad = A.astype(np.float64)
    with pytest.raises(ValueError, match=r"the gradient has shape \(2,\) but the Variable \(3,\)"):
        v.grad = A[:2]
    with pytest.raises(ValueError, match=r"the gradient has shape \(2,\) but the Variable \(3,\)"):
        v.grad_var = Variable(A[:2])
    with pytest.raises(AttributeError, match="grad_var must be a Variable, got ndarray"):
        v.grad_var = A


def test_without_requires_grad():
    v = Variable(A, requires_grad=False)
    v.grad = A
    assert v.grad_var.requires_grad is True


def test_cleargrad_and_zerograd():
    v = Variable(A)
    v.grad = A
    v.cleargrad()
    assert v.grad is None
    with pytest.warns(DeprecationWarning, match="use cleargrad"):
        v.zerograd()
    assert v.grad.tolist() == [0, 0, 0]
    g = v.grad = A.copy()
    with pytest.warns(DeprecationWarning, match="use cleargrad"):
        v.zerograd()
    assert v.grad is g
    assert g.tolist() == [0, 0, 0]


def test_addgrad():
    v, u = Variable(A), Variable(A)
    v.addgrad(u)
    assert v.grad is None
    u.grad = np.ones_like(A)
    v.addgrad(u)
    v.addgrad(u)
    assert v.grad.tolist() == [2, 2, 2]
    assert u.grad.tolist() == [1, 1, 1]


def test_copydata():
    own = np.zeros(3, np.float32)
    v = Variable(own)
    v.copydata(Variable(np.arange(3.0)))
    assert v.array is own
    assert own.tolist() == [0, 1, 2]
    empty = Variable()
    empty.copydata(Variable())
    with pytest.raises(AttributeError, match="a Variable without an array cannot be initialised"):
        empty.copydata(v)


def test_a_function_node_whose_output_has_no_axes():
    class Total(FunctionNode):
        def forward(self, inputs):
            return (np.asarray(inputs[0].sum()),)

        def backward(self, indexes, grad_outputs):
            return (np.broadcast_to(grad_outputs[0], (3,)),)

    x = Variable(np.arange(3.0))
    (y,) = Total().apply((x,))
    (y * y).backward()
    np.testing.assert_array_equal(x.grad, [6, 6, 6])
