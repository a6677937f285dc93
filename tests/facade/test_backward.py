"""backward(): accumulation, order, retained gradients, dropped intermediates, aliasing."""

import warnings

import numpy as np
import pytest

from autodiff.facade import Variable
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.primitive import general
from autodiff.trace.spec import result_spec

A = np.array([1.0, 2.0, 3.0])
ONES = np.ones(3)


def backward(y, **options):
    y.grad = np.ones_like(y.array)
    y.backward(**options)


def test_a_number_needs_no_gradient():
    x = Variable(np.array(3.0))
    (x * x).backward()
    assert x.grad == 6


def test_one_element_is_taken_for_a_number_with_a_warning():
    x = Variable(np.array([3.0]))
    y = x * x
    with pytest.warns(DeprecationWarning, match=r"backward\(\) from a Variable of shape \(1,\)"):
        y.backward()
    assert x.grad.tolist() == [6]


def test_several_elements_need_one():
    x = Variable(A)
    with pytest.raises(DifferentiationError) as caught:
        (x * 2).backward()
    assert str(caught.value) == (
        "backward() from a Variable of shape (3,) needs its gradient (test_backward.py:39): set y.grad = "
        "np.ones_like(y.array), or another weight for each element; or reduce it to one number first"
    )


def test_nothing_happens_where_no_gradient_is_required():
    x = Variable(A, requires_grad=False)
    y = x * 2
    assert y.requires_grad is False
    assert y.creator is not None
    y.backward()
    assert (x.grad, y.grad) == (None, None)


def test_integers():
    x = Variable(np.array(3))
    (x * 2 + x).backward()
    assert x.grad == 3
    assert x.grad.dtype == x.dtype


def test_gradients_of_leaves_accumulate_in_new_arrays():
    x = Variable(np.array(3.0))
    y = x * x
    y.backward()
    first = x.grad
    y.backward()
    assert x.grad == 12
    assert first == 6
    (x * 1.0).backward()
    assert x.grad == 13


def test_gradients_share_no_memory():
    a, b = Variable(A), Variable(A)
    y = a + b
    seed = y.grad = np.ones(3)
    y.backward()
    assert a.grad is not b.grad
    assert a.grad is not seed
    s = np.sum(a)
    a.cleargrad()
    s.backward()
    assert a.grad.flags.writeable


def test_the_starting_gradient_is_used_up_or_restored():
    x = Variable(A)
    y = x * 2
    backward(y)
    assert (y.grad, y.grad_var) == (None, None)
    y.grad = ONES
    start = y.grad_var
    y.backward(retain_grad=True)
    assert y.grad_var is start
    assert y.grad is ONES


@pytest.mark.parametrize("double", [False, True])
def test_retained_gradients(double):
    x = Variable(A)
    m = x * 2
    n = m * 3
    y = n + m
    m.grad = n.grad = np.full(3, 7.0)
    backward(y, enable_double_backprop=double)
    assert m.grad.tolist() == [7, 7, 7]
    backward(y, retain_grad=True, enable_double_backprop=double)
    assert m.grad.tolist() == [4, 4, 4]
    assert n.grad.tolist() == [1, 1, 1]


def test_from_a_leaf():
    x = Variable(np.array(2.0))
    x.backward()
    assert x.grad == 1
    x.grad = np.array(5.0)
    x.backward()
    assert x.grad == 5


def test_repeated_operands():
    x = Variable(A)
    backward(x * x)
    np.testing.assert_allclose(x.grad, 2 * A)
    x.cleargrad()
    backward(x / x)
    np.testing.assert_allclose(x.grad, 0, atol=1e-15)


def test_dropped_intermediates():
    x = Variable(A)
    y = np.exp(np.tanh(x * x) * x) / x
    backward(y, retain_grad=True)
    h = 1e-6

    def f(a):
        return np.exp(np.tanh(a * a) * a) / a

    np.testing.assert_allclose(x.grad, (f(A + h) - f(A - h)) / (2 * h), rtol=1e-8)


def test_broadcast_operands():
    x, b = Variable(np.ones((2, 3))), Variable(A)
    backward(x * b + 1)
    assert b.grad.tolist() == [2, 2, 2]
    assert x.grad.tolist() == [A.tolist()] * 2
    c = Variable(np.array(2.0))
    backward(c * np.ones((2, 3)))
    assert c.grad == 6


def test_each_operation_is_visited_once():
    x = Variable(A)
    y = x
    for _ in range(60):  # 2**60 paths
        y = y + y
    backward(y)
    assert x.grad.tolist() == [2.0**60] * 3


def test_operands_that_require_no_gradient():
    x, w = Variable(A, requires_grad=False), Variable(A)
    y = x * w + x
    assert y.requires_grad
    backward(y)
    assert x.grad is None
    assert w.grad.tolist() == A.tolist()
    assert [node is each.node for node, each in zip((x * w).creator.inputs, (x, w), strict=True)] == [True, True]


def test_an_array_assigned_after_the_operation_is_seen():
    x = Variable(A)
    y = x * x
    x.array = b = np.array([5.0, 6.0, 7.0])
    assert x.node.data is b
    backward(y)
    np.testing.assert_allclose(x.grad, 2 * b)


def test_an_array_changed_in_place_is_seen():
    a = A.copy()
    x = Variable(a)
    y = x * x
    a[...] = 10
    backward(y)
    assert x.grad.tolist() == [20, 20, 20]


def test_loss_scale():
    x = Variable(np.array(3.0))
    (x * x).backward(loss_scale=10.0)
    assert x.grad == 60
    assert x._loss_scale == 10
    x.cleargrad()
    y = x * x
    y.grad = np.array(1.0)
    y.backward(loss_scale=10.0)
    assert x.grad == 6


def test_a_gradient_of_the_wrong_shape_given_to_the_constructor():
    x = Variable(A)
    y = x * 2
    y._grad = np.ones(2)
    with pytest.raises(ValueError, match=r"the gradient has shape \(2,\) but the Variable \(3,\)"):
        y.backward()


def test_infinite_derivatives_are_silent():
    x = Variable(np.array(0.0))
    y = np.sqrt(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y.backward()
    assert x.grad == np.inf


def test_masked_cotangents():
    x = Variable(np.array([-1.0, 0.0, 4.0]))
    with np.errstate(all="ignore"):
        y = np.where(x.array > 0, np.sqrt(x), 0.0)
    backward(y, retain_grad=True)
    assert x.grad.tolist() == [0, 0, 0.25]


split = general(
    "split in two",
    ("x",),
    lambda x: (x[:1] * 2, x[1:] ** 2),
    lambda x: (result_spec((1,), x.dtype), result_spec((x.shape[0] - 1,), x.dtype)),
    {"x": lambda g, x, out: np.concatenate([g[0] * 2, g[1] * 2 * x[1:]]) + 0 * np.concatenate(out)},
    register=False,
)


@pytest.mark.parametrize("double", [False, True])
def test_several_results(double):
    x = Variable(A)
    first, second = split(x)
    assert (first.rank, second.rank) == (1, 1)
    assert first.creator is second.creator
    assert first.creator.outputs[1]() is second.node
    backward(np.concatenate([second, first * 1.0]), retain_grad=True, enable_double_backprop=double)
    assert x.grad.tolist() == [2, 4, 6]
    assert second.grad.tolist() == [1, 1]


@pytest.mark.parametrize("double", [False, True])
def test_a_dropped_result(double):
    x = Variable(A)
    second = split(x)[1]
    backward(second, enable_double_backprop=double)
    assert x.grad.tolist() == [0, 4, 6]


def test_a_gradient_through_a_revived_result():
    x = Variable(A)
    second = split(x)[1]
    backward(second, enable_double_backprop=True)
    g = x.grad_var
    x.cleargrad()
    np.sum(g).backward()
    assert x.grad.tolist() == [0, 2, 2]


def test_an_unchained_result_collects_its_own_gradient():
    x = Variable(A)
    first, second = split(x)
    creator = first.creator_node
    first.unchain()
    y = np.concatenate([first * 1.0, second])
    backward(y)
    assert first.grad.tolist() == [1]
    assert x.grad.tolist() == [0, 4, 6]
    first.creator_node = creator
    first.cleargrad()
    x.cleargrad()
    backward(y)
    assert first.grad is None
    assert x.grad.tolist() == [2, 4, 6]
