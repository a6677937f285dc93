"""Axes are told apart by where they come from: an unrelated axis of the same length is never taken for the rows."""

import numpy as np
import pytest

from autodiff import grad, jit, scan, value_and_grad
from autodiff.backends.kernels.programs.program import whole_kernel
from autodiff.backends.kernels.programs.storage import Impossible
from autodiff.trace.spec import spec
from tests.backends.kernels.running import needs_numba, simple

ROWS = 4096


def array(*shape):
    return spec(shape, np.float64)


def running_products(x):
    return scan(lambda c, xk: (0.9 * c + xk, c), 0.0, x)[1] * np.exp(x)


def doubled(a, b, x):
    for k in range(7):
        x = np.tanh(x * np.concatenate([np.exp(a * k), b]))
    return x


@needs_numba
@pytest.mark.parametrize("size", [255, 256, 257, 2048, 50_000, 100_000])
def test_a_loop_along_what_others_take_by_rows(size):
    x = np.linspace(0, 1, size)
    np.testing.assert_allclose(jit(running_products)(x), running_products(x), rtol=1e-13)
    short = x[:: max(size // 500, 1)].copy()
    np.testing.assert_allclose(
        jit(grad(lambda x: running_products(x).sum()))(short),
        grad(lambda x: running_products(x).sum())(short),
        rtol=1e-12,
    )
    loss, gradient = jit(value_and_grad(lambda x: running_products(x).sum()))(x)
    assert np.isfinite(gradient).all()
    np.testing.assert_allclose(loss, running_products(x).sum(), rtol=1e-12)


@needs_numba
@pytest.mark.parametrize("size", [32, 256, 1024, 2048, 50_000])
def test_rows_that_are_put_together_of_others(size):
    a = b = np.ones(size)
    x = np.ones(2 * size)
    np.testing.assert_allclose(jit(doubled)(a, b, x), doubled(a, b, x), rtol=1e-14)
    assert np.isfinite(jit(grad(lambda x: doubled(a, b, x).sum()))(x)).all()


@needs_numba
def test_loops_made_one_are_not_the_rows_that_they_are_as_long_as():
    def f(x, m):
        return np.tanh(np.exp(x) + np.sum(np.exp(m) * np.sin(m)))

    x, m = np.linspace(-1, 1, ROWS), np.linspace(-2, 2, ROWS).reshape(64, 64)
    np.testing.assert_allclose(jit(f)(x, m), f(x, m), rtol=1e-12)


# fmt: off
MIXED = [
    ("scan",        running_products,                                              array(ROWS)),
    ("concatenate", lambda a, x: np.concatenate([a, a]) * x,                       array(ROWS // 2), array(ROWS)),
    ("slice_of",    lambda x: x[0] * x,                                            array(ROWS)),
    ("slice_of",    lambda x: x[::-1] * x,                                         array(ROWS)),
    ("sum",         lambda x: np.exp(x) / np.sum(np.exp(x)),                       array(ROWS)),
    ("max",         lambda x: np.exp(x - np.max(x)),                               array(ROWS)),
    ("sum",         lambda x: np.exp(np.sum(np.sin(x))),                           array(ROWS)),
    ("gather",      lambda x, i: x[i] * 2,                                         array(ROWS, 2), spec((ROWS,), np.int64)),
    ("reshape",     lambda x, y: np.exp(x).reshape(-1) * y,                        array(ROWS // 2, 2), array(ROWS)),
    ("matvec",      lambda m, x: np.tanh(m @ x),                                   array(ROWS, 3), array(3)),
]
# fmt: on


@pytest.mark.parametrize(("name", "fun", "args"), [(row[0], row[1], row[2:]) for row in MIXED])
def test_what_mixes_rows_is_no_program_by_rows(name, fun, args):
    with pytest.raises(Impossible, match=f"^{name} mixes rows$"):
        whole_kernel(simple(fun, *args), ROWS)


def test_two_axes_of_one_length_stay_two():
    with pytest.raises(Impossible, match=f"^axes of {ROWS} elements that have nothing to do with each other$"):
        whole_kernel(simple(lambda x, y: (np.exp(x), np.sin(y)), array(ROWS), array(ROWS)), ROWS)


def test_one_value_with_both_axes_is_refused():
    with pytest.raises(Impossible, match=r"^a value with two axes as long as the rows$"):
        whole_kernel(simple(lambda x: np.exp(x[:, None] + x), array(ROWS)), ROWS)


def test_what_goes_along_is_a_program_by_rows():
    def f(x, w, c):
        y = np.tanh(x @ w) if x.ndim == 3 else np.tanh(x * w)
        y = scan(lambda carry, k: (np.sin(carry) + k, None), y, c)[0]
        return np.sum(y * 2, axis=-1)

    found = whole_kernel(simple(f, array(ROWS, 3), array(3), array(5)), ROWS)
    assert found.rows == ROWS
    assert "range(first, last)" in found.text
