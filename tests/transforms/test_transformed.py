"""What transformations return: a function like the original, which can be sent to other processes."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest

import autodiff

X = np.array([1.0, 2.0])


def loss(x, scale=1.0):
    """Half the sum of squares."""
    return scale * np.sum(x**2) / 2


TRANSFORMED = {
    "grad": autodiff.grad(loss),
    "grad by name": autodiff.grad(loss, argnames="x"),
    "value_and_grad": autodiff.value_and_grad(loss),
    "jacobian": autodiff.jacobian(np.sin, mode="forward"),
    "jacfwd": autodiff.jacfwd(np.sin, argnums=0),
    "jacrev": autodiff.jacrev(np.sin),
    "hessian": autodiff.hessian(loss),
    "vmap": autodiff.vmap(np.sum, in_axes=0, out_axes=0),
    "checkpoint": autodiff.checkpoint(np.sin),
    "nested": autodiff.vmap(autodiff.grad(np.sum)),
    "jit": autodiff.jit(autodiff.grad(loss), backend="numpy"),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_it_can_be_pickled(name):
    function = TRANSFORMED[name]
    x = X[:, None] if name == "nested" else X
    again = pickle.loads(pickle.dumps(function))
    np.testing.assert_equal(again(x), function(x))
    assert repr(again) == repr(function)
    assert copy.deepcopy(function) is function
    assert copy.copy(function) is function


def test_a_tape_of_what_was_pickled():
    function = autodiff.make_tape(loss)
    assert str(pickle.loads(pickle.dumps(function))(X)) == str(function(X))


@autodiff.grad
def slope(x):
    """The derivative of a cube."""
    return x**3


def test_a_decorated_function_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(slope)) is slope


def test_what_cannot_be_found_is_said_by_pickle():
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(autodiff.grad(lambda x: x))


def test_name_documentation_and_signature_are_those_of_the_original():
    function = autodiff.grad(loss)
    assert (function.__name__, function.__doc__) == ("loss", "Half the sum of squares.")
    assert str(inspect.signature(function)) == "(x, scale=1.0)"
    assert repr(function) == "<grad of loss>"
    assert repr(autodiff.grad(loss, argnames="x")) == "<grad of loss>"


def test_it_is_bound_as_a_method():
    class Model:
        scale = 3.0

        def energy(self, x):
            return self.scale * x**2

        force = autodiff.grad(energy, argnums=1)

    assert Model().force(2.0) == 12.0
    assert Model.force(Model(), 2.0) == 12.0
