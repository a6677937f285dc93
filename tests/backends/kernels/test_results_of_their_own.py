"""What a function returns as an array of its own, its program does: writing to it changes nothing else."""

import numpy as np
import pytest

import autodiff
from autodiff import jit

FUNCTIONS = {
    "copy": lambda x: x.copy(),
    "x * 1": lambda x: x * 1.0,
    "+x": lambda x: +x,
    "x ** 1": lambda x: x**1,
    "where": lambda x: np.where(True, x, 0),
    "clip": lambda x: np.clip(x, None, None),
    "pad": lambda x: np.pad(x, 0),
    "roll": lambda x: np.roll(x, 0),
    "concatenate": lambda x: np.concatenate([x]),
    "copy of a view": lambda x: x[::-1].copy(),
    "view of a copy": lambda x: (x * 1.0).T,
    "twice": lambda x: (x * 1.0, x * 1.0),
    "beside another": lambda x: {"same": x.copy(), "more": x + 1},
    "gradient of a linear function": lambda x: autodiff.grad(lambda w: np.sum(w * x))(x),
}


@pytest.mark.parametrize("length", [3, 5000])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_share_no_memory(name, length):
    x = np.linspace(0.0, 1.0, length)
    results = list(autodiff.tree.leaves(jit(FUNCTIONS[name])(x)))
    expected = [leaf.copy() for leaf in results]
    for k, result in enumerate(results):
        assert not np.shares_memory(result, x)
        result += 1.0
        for other, before in list(zip(results, expected, strict=True))[k + 1 :]:
            np.testing.assert_array_equal(other, before)
    np.testing.assert_array_equal(x, np.linspace(0.0, 1.0, length))


def test_a_gradient_that_is_scaled_in_place():
    step = jit(autodiff.grad(lambda w, data: np.sum(w * data)))
    w, data = np.zeros(3), np.array([1.0, 2.0, 3.0])
    for _ in range(3):
        g = step(w, data)
        g *= 0.5
        w = w - g
    np.testing.assert_array_equal(w, [-1.5, -3.0, -4.5])
    np.testing.assert_array_equal(data, [1.0, 2.0, 3.0])


def test_equal_constants_stay_two():
    constant = np.array([1.0 + 0.0j])

    def program(x, whole):
        conjugate = np.conj(constant)
        return np.roll(conjugate, -2), np.minimum(whole, whole), conjugate

    first, _, last = jit(program)(np.ones(1, complex), np.ones(1, int))
    assert not np.shares_memory(first, last)


def test_an_extreme_of_one_element():
    x = np.array([[4], [5]], np.int8)
    assert not np.shares_memory(jit(lambda x: x.max(axis=-1))(x), x)


def test_constants():
    constant = np.arange(4.0)
    for function in (
        lambda x: (constant, x),
        lambda x: (constant * 1.0, x),
        lambda x: autodiff.grad(lambda y: y @ constant)(x),
    ):
        result = jit(function)(np.ones(4))
        first = result[0] if isinstance(result, tuple) else result
        first += 1
        np.testing.assert_array_equal(constant, np.arange(4.0))
