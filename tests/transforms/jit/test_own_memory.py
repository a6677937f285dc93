"""Results of compiled programs lie in memory of their own wherever those of the function itself do."""

import numpy as np
import pytest

import autodiff
from autodiff import jit

X = np.array([1.0, 2.0], np.float32)

DERIVATIVES = {
    "jvp": lambda x: autodiff.jvp(lambda a: a, (x,), (x,))[1],
    "vjp": lambda x: autodiff.vjp(lambda a: a, x)[1](x)[0],
    "linearize": lambda x: autodiff.linearize(lambda a: a, x)[1](x),
    "grad": lambda x: autodiff.grad(lambda a: np.sum(a * x))(x),
}


@pytest.mark.parametrize("name", DERIVATIVES)
@pytest.mark.parametrize("backend", ["auto", "numpy"])
def test_derivatives_are_not_the_directions_themselves(name, backend):
    function = DERIVATIVES[name]
    assert not np.shares_memory(function(X), X)
    assert not np.shares_memory(jit(function, backend=backend)(X), X)


def test_two_equal_derivatives_are_two_arrays():
    one, other = jit(autodiff.grad(lambda a, b: np.sum(a + b), (0, 1)))(X, X)
    assert not np.shares_memory(one, other)


@pytest.mark.parametrize("backend", ["auto", "numpy"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_what_ravel_copies_is_copied(backend, dtype):
    with_gaps = np.repeat(np.arange(4, dtype=dtype).reshape(1, 4), 2, axis=-1)[..., ::2]
    functions = np.ravel, lambda x: x.ravel(), lambda x: np.ravel(x[0, ::2]), lambda x: np.ravel(x, order="K")
    for function in functions:
        found = jit(lambda x, f=function: f(x), backend=backend)(with_gaps)
        assert not np.shares_memory(function(with_gaps), with_gaps)
        assert not np.shares_memory(found, with_gaps)
        np.testing.assert_array_equal(found, function(with_gaps))


def test_what_is_handed_on_is_handed_on():
    assert np.shares_memory(jit(lambda x: x)(X), X)
    assert np.shares_memory(jit(lambda x: x.reshape(2, 1), backend="numpy")(X), X)


@pytest.mark.parametrize("number", [1.0, np.float64(1.0), np.ones(())])
def test_numbers_stay_numbers(number):
    for function in DERIVATIVES.values():
        found, expected = jit(function)(number), function(number)
        assert np.shape(found) == ()
        assert isinstance(found, np.ndarray) == isinstance(expected, np.ndarray)
