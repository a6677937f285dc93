"""Loops over points: one loop over all their coordinates where these are treated alike, written out where not."""

import numpy as np
import pytest

import autodiff
from autodiff import jit, scan
from autodiff.numpy import at

pytest.importorskip("numba")
RNG = np.random.default_rng(0)
V = np.array([0.5, -1.0, 2.0, 0.25])


def steps(f):
    """A loop around an elementwise step: a program of one kernel."""
    return lambda x, y: scan(lambda c, _: (f(*c), None), (x, y), None, length=3)[0]


ALIKE = {
    "arithmetic": lambda x, y: (x * 0.5 - y, y + np.abs(x) / (1 + y * y)),
    "numbers": lambda x, y: (np.where(x > 0.25, x * 0.5, y), y),
    "a number in memory": lambda x, y: (x * 0.5, y + x * x.reshape(-1)[1]),
    "in place": lambda x, y: (x.copy() * 0.5 + x, x - y),
}
APART = {
    "sums": lambda x, y: (x - np.sum(x, -1, keepdims=True) * 0.25, y * 0.5),
    "reversed": lambda x, y: (x[:, ::-1] * 0.5, y + x),
    "a vector": lambda x, y: (x * V[: x.shape[1]] * 0.25, y - V[: x.shape[1]]),
    "one coordinate": lambda x, y: (x * x[:, :1] * 0.25, y),
    "rolled": lambda x, y: (np.roll(x, 1, 1) * 0.5, y),
    "rows rolled": lambda x, y: (np.roll(x, 1, 0) * 0.5, y + np.roll(x, -1, 0)),
    "joined": lambda x, y: (np.concatenate([x[:, 1:], y[:, :1]], 1) * 0.5, x * 0.5),
    "parts": lambda x, y: (at(x)[:, 1].set(y[:, 0] * 0.5), at(y)[:, 0].add(x[:, 1])),
    "transposed": lambda x, y: (x + (y.T * 0.5).T, y * 0.25),
}


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("rows", [1, 5, 70])
@pytest.mark.parametrize("name", [*ALIKE, *APART])
def test_bits_are_those_of_numpy(name, rows, width):
    f = steps({**ALIKE, **APART}[name])
    x, y = RNG.integers(-8, 9, (2, rows, width)) / 8.0  # exact, whatever is fused
    with np.errstate(all="ignore"):
        for found, right in zip(jit(f)(x, y), f(x, y), strict=True):
            np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("name", ["arithmetic", "numbers", "in place"])
def test_coordinates_are_one_loop(name):
    x, y = RNG.normal(size=(2, 50, 3))
    text = str(jit(steps(ALIKE[name])).kernels(x, y))
    assert "range(150)" in text
    assert "* 3" not in text


def test_sums_along_a_row_stay_in_variables():
    text = str(jit(steps(APART["sums"])).kernels(*RNG.normal(size=(2, 50, 3))))
    assert "range(50)" in text


def test_rows_that_threads_share():
    def f(x, y):
        for _ in range(12):
            x, y = np.sin(x) + y * 0.5, np.exp(-y * y) - x * np.sum(x * y, -1, keepdims=True) * 0.1
            x, y = np.tanh(x - y), np.cos(y) * x
        return x, y

    x, y = RNG.normal(size=(2, 3000, 3))
    compiled = jit(f)
    for found, right in zip(compiled(x, y), f(x, y), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-10, atol=1e-12)


def test_gradients_of_steps_over_points():
    def loss(x, y):
        x, y = steps(lambda x, y: (np.sin(x) - y * 0.5, y + x / (1 + x * x)))(x, y)
        return np.sum(x * x) + np.sum(y)

    args = tuple(RNG.normal(size=(2, 30, 3)))
    found, right = jit(autodiff.grad(loss, (0, 1)))(*args), autodiff.grad(loss, (0, 1))(*args)
    for one, other in zip(found, right, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11)
