"""Short rows, several at a time."""

import numpy as np
import pytest

from autodiff import jit, value_and_grad
from autodiff.backends.kernels.call import IndexRangeError
from autodiff.backends.kernels.rows import blocks as row_blocks
from autodiff.backends.kernels.rows.in_place import replaceable
from autodiff.backends.kernels.rows.text import RowKernel
from autodiff.backends.llvm.vectors import found_loops
from autodiff.trace.spec import spec
from tests.backends.kernels.running import alike, by_rows, needs_numba, reference, simple
from tests.backends.kernels.test_rows import FUNCTIONS, softmax, standardised

RNG = np.random.default_rng(0)


def kernel(fun, *shape, dtype=np.float32):
    return RowKernel(simple(fun, spec(shape, dtype)), shape)


def cross_entropy(x, labels):
    shifted = x - np.max(x, axis=1, keepdims=True)
    logarithms = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(logarithms[np.arange(len(labels)), labels])


# Where they are.


def test_short_rows_with_much_to_do_for_each_are_done_in_blocks():
    def likelihood(x):
        return np.sum(np.log(np.sum(np.exp(x), axis=1)))

    assert kernel(likelihood, 1000, 10).blocks
    assert not kernel(likelihood, 100, 10).blocks  # too few to be worth a longer text
    assert not kernel(softmax, 1000, 64).blocks  # they fill vectors
    assert not kernel(lambda x: np.sum(x * x, axis=1), 1000, 10).blocks  # columns are dearer to load than sums


def test_loops_over_rows_are_within_loops_over_columns():
    text = kernel(softmax, 1000, 10).text
    assert text.count("        for j in range(10):\n            for r in range(start, stop):\n") == 3
    assert text.count("load_float32(in0") == 1
    assert [loop.reason for loop in found_loops(text)] == [""] * text.count("for r in range(start, stop)")


def test_results_may_lie_where_inputs_were():
    assert replaceable(kernel(softmax, 1000, 10)) == {kernel(softmax, 1000, 10).outputs[0]: (0,)}


# What they compute.


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(row_blocks, "GAIN", -np.inf)


@needs_numba
@pytest.mark.parametrize("columns", [2, 5, 16, 33])
@pytest.mark.parametrize("rows", [513, 576, 12_345])
@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {"value and sum", "extremes"}))
def test_values_are_those_of_numpy(name, rows, columns, always):
    dtype = np.float32 if (rows + columns) % 2 else np.float64
    x = RNG.normal(size=(rows, columns)).astype(dtype)
    assert kernel(FUNCTIONS[name], rows, columns, dtype=dtype).blocks
    alike(by_rows(FUNCTIONS[name], x), reference(FUNCTIONS[name], x), ulps=2000)


@needs_numba
def test_dtypes_and_totals(always):
    x = RNG.normal(size=(530, 7)).astype(np.float32)
    i = RNG.integers(-9, 9, (530, 7))

    def fun(x, i, y):
        rows = np.sum(i * 2, axis=1, keepdims=True)
        flags = np.any(x > y, axis=1)
        return (
            x * rows,
            flags,
            np.sum(rows),
            np.max(np.max(x * 2, axis=1)),
            np.sum(x * x + i, axis=0),
            np.sum(np.exp(x)),
        )

    alike(by_rows(fun, x, i, x[:, :1]), reference(fun, x, i, x[:, :1]))


@needs_numba
def test_a_pick_from_each_row():
    x, labels = RNG.normal(size=(20_000, 7)).astype(np.float32), RNG.integers(-7, 7, 20_000)
    program = jit(value_and_grad(cross_entropy))
    assert "for start in range(lo, hi, 64):" in str(program.kernels(x, labels))
    value, gradient = program(x, labels)
    wanted, slope = value_and_grad(cross_entropy)(x.astype(np.float64), labels)
    np.testing.assert_allclose(value, wanted, rtol=1e-6)
    np.testing.assert_allclose(gradient, slope, rtol=1e-5, atol=1e-9)
    labels[1234] = 7
    with pytest.raises(IndexRangeError) as caught:
        program(x, labels)
    assert str(caught.value).endswith("an index is out of range for the axis that it picks from")
    labels[1234] = 6
    assert np.isfinite(program(x, labels)[0])


@needs_numba
def test_infinities_and_nan_stay_in_their_rows():
    x = np.ones((600, 10))
    x[5, 3], x[70, 0], x[599, 9] = np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        alike(by_rows(standardised, x), reference(standardised, x))
        alike(by_rows(softmax, x), reference(softmax, x))
