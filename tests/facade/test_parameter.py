"""Parameters: initialisation, early gradients, updates."""

import numpy as np
import pytest

from autodiff.facade import Parameter, Variable


def test_an_array_is_held_as_it_is():
    a = np.ones(3)
    p = Parameter(a, name="w")
    assert isinstance(p, Variable)
    assert p.array is a
    assert p.grad is None
    assert p.name == "w"
    assert p.is_initialized


def test_an_array_and_a_shape():
    a = np.arange(3)
    p = Parameter(a, (2, 3))
    assert p.array.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert p.dtype == np.float32  # the dtype of the configuration, as for every initializer that names none


@pytest.mark.parametrize(("initializer", "value"), [(None, np.nan), (2, 2.0), (np.float64(0.5), 0.5)])
def test_numbers(initializer, value):
    p = Parameter(initializer, (2,))
    np.testing.assert_array_equal(p.array, np.full(2, value, np.float32))
    assert p.dtype == np.float32
    assert np.isnan(p.grad).all()
    assert Parameter(initializer, 2).shape == (2,)


def test_functions():
    def fill(array):
        array[...] = 3

    assert Parameter(fill, (2,)).array.tolist() == [3, 3]
    fill.dtype = np.float64
    assert Parameter(fill, (2,)).dtype == np.float64
    with pytest.raises(
        TypeError, match="a Parameter is initialised by an array, a number, a function or None, got str"
    ):
        Parameter("zeros")


def test_without_a_shape():
    p = Parameter(1.0)
    assert not p.is_initialized
    assert (p.array, p.grad_var, p.dtype) == (None, None, np.float32)
    with pytest.raises(RuntimeError, match=r"the gradient of a Parameter without an array is not known .*cleargrad"):
        _ = p.grad
    p.initialize((2,))
    assert p.array.tolist() == [1, 1]
    assert np.isnan(p.grad).all()


def test_gradients_chosen_before_initialisation():
    p = Parameter(1.0)
    p.cleargrad()
    p.initialize((2,))
    assert p.grad is None
    p = Parameter(1.0)
    with pytest.warns(DeprecationWarning, match="use cleargrad"):
        p.zerograd()
    p.initialize((2,))
    assert p.grad.tolist() == [0, 0]


def test_a_gradient_that_was_never_cleared_is_noticed():
    p = Parameter(1.0, (2,))
    np.sum(p * 2).backward()
    assert np.isnan(p.grad).all()
    p.cleargrad()
    np.sum(p * 2).backward()
    assert p.grad.tolist() == [2, 2]


def test_update():
    p = Parameter(1.0, (2,))
    p.update()

    class Rule:
        seen = None

        def update(self, parameter):
            self.seen = parameter

    p.update_rule = Rule()
    p.update()
    assert p.update_rule.seen is p


def test_initialised_by_others():
    p = Parameter(1.0)
    p.copydata(Variable(np.array([1.0, 2.0])))
    assert p.array.tolist() == [1, 2]
    assert p.dtype == np.float32
    q = Parameter(0.0)
    q.cleargrad()
    u = Variable(np.zeros(2, np.float32), grad=np.ones(2, np.float32))
    q.addgrad(u)
    assert q.grad.tolist() == [1, 1]
    assert q.array.tolist() == [0, 0]


@pytest.mark.parametrize("cleared", [False, True])
def test_a_parameter_that_is_initialised_once_more_has_no_gradient(cleared):
    parameter = Parameter(1.0, (2,))
    assert np.isnan(parameter.grad).all()
    if cleared:
        parameter.cleargrad()
    else:
        parameter.grad = np.ones(2, np.float32)
    parameter.initialize((3,))
    assert parameter.grad is None
