"""Arrays that a function closes over."""

import numpy as np

import autodiff


def test_equal_arrays_are_one_constant():
    w, again = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3)
    other = again.copy()
    other[1, 2] = -0.0
    zeros, negative = np.array([0.0, 1.0]), np.array([-0.0, 1.0])
    f = autodiff.jit(lambda x: (x * w + x * again + x * other, x[0, :2] / zeros, x[0, :2] / negative))
    x = np.ones((2, 3))
    with np.errstate(divide="ignore"):
        found = f(x)
    assert len(f.tape(x).inputs) == 5  # the argument, and one for the first two constants
    np.testing.assert_array_equal(found[0], x * w + x * again + x * other)
    assert [found[1][0], found[2][0]] == [np.inf, -np.inf]


def test_the_gradient_of_a_loop_closes_over_its_slices_once():
    xs = np.random.default_rng(0).normal(size=(5, 3))
    f = autodiff.jit(autodiff.grad(lambda c: np.sum(autodiff.scan(lambda c, x: (np.tanh(c * x), None), c, xs)[0])))
    assert len(f.tape(np.ones(3)).inputs) == 2


def test_small_constants_that_lie_otherwise_are_laid_out_once():
    w = np.arange(6.0).reshape(2, 3)
    f = autodiff.jit(lambda x: (np.tanh(x) * w.T, w.T))
    x = np.ones((3, 2))
    for _ in range(2):
        found, constant = f(x)
        np.testing.assert_array_equal(found, np.tanh(x) * w.T)
        np.testing.assert_array_equal(constant, w.T)
        constant[0, 0] = 99.0  # the caller's own
    assert w[0, 0] == 0.0
