"""Sums and maxima of sliding windows: laws for every geometry, ties at the point itself."""

import numpy as np
import pytest

import autodiff
from autodiff.ops.images.windows import (
    first_positions,
    lay_in_windows,
    max_windows,
    pick_from_windows,
    spread_windows,
    sum_windows,
    windows,
)
from autodiff.testing import Case, assert_close, check_case
from autodiff.testing.draws.domains import distinct, real


def row(name, fun, shapes, domain=real):
    return Case(name, fun, domain, shapes=shapes, dtypes=("float64", "float32"), scalars=False)


def numbers(*shape, below=4):
    return (np.arange(np.prod(shape)) * 7 % below).reshape(shape).astype(np.uint8)


# fmt: off
CASES = [
    row("sum",           lambda x: sum_windows(x, shape=(2,), stride=(1,)),            [(2,), (3,), (2, 5)]),
    row("sum, gaps",     lambda x: sum_windows(x, shape=(1, 2), stride=(2, 3)),        [(4, 6), (2, 3, 5), (0, 2, 5)]),
    row("spread",        lambda g: spread_windows(g, lengths=(6, 7), shape=(2, 3), stride=(2, 1)), [(3, 5), (2, 3, 5)]),
    row("max",           lambda x: max_windows(x, shape=(2,), stride=(1,)),            [(2,), (2, 5)], distinct),
    row("max, 2 axes",   lambda x: max_windows(x, shape=(3, 2), stride=(2, 2)),        [(5, 4), (2, 3, 4)], distinct),
    row("pick",          lambda x: pick_from_windows(x, numbers(2, 2, 4), shape=(2, 2), stride=(2, 1)), [(2, 4, 5)]),
    row("pick, apart",   lambda x: pick_from_windows(x, numbers(2, 2, below=2), shape=(2,), stride=(2,)), [(2, 4)]),
    row("lay",           lambda g: lay_in_windows(g, numbers(2, 2, 4), lengths=(4, 5), shape=(2, 2), stride=(2, 1)),
        [(2, 2, 4)]),
]
# fmt: on


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case, max_examples=15)


@pytest.mark.parametrize(("shape", "stride"), [((2, 2), (2, 2)), ((3, 2), (1, 2)), ((1, 1), (2, 1))])
def test_they_are_reductions_of_windows(shape, stride):
    x = np.random.default_rng(0).normal(size=(2, 3, 6, 5))
    all_windows = windows(x, shape=shape, stride=stride, dilation=(1, 1))
    assert_close(sum_windows(x, shape=shape, stride=stride), all_windows.sum((-2, -1)))
    highest = max_windows(x, shape=shape, stride=stride)
    np.testing.assert_array_equal(highest, all_windows.max((-2, -1)))
    positions = first_positions(x, highest, shape=shape, stride=stride)
    flat = all_windows.reshape(*all_windows.shape[:-2], -1)
    np.testing.assert_array_equal(positions, flat.argmax(-1))
    np.testing.assert_array_equal(pick_from_windows(x, positions, shape=shape, stride=stride), highest)


def test_of_equal_elements_the_first_has_the_derivative():
    x = np.array([1.0, 1.0, 0.0, 1.0])
    found = autodiff.grad(lambda x: max_windows(x, shape=(3,), stride=(1,)).sum())(x)
    np.testing.assert_array_equal(found, [1.0, 1.0, 0.0, 0.0])
    tangent = autodiff.jvp(lambda x: max_windows(x, shape=(3,), stride=(1,)), (x,), (np.arange(4.0),))[1]
    np.testing.assert_array_equal(tangent, [0.0, 1.0])


def test_a_nan_is_the_largest_and_the_first_one_counts():
    x = np.array([1.0, np.nan, 2.0, np.nan, 3.0])
    highest = max_windows(x, shape=(3,), stride=(2,))
    np.testing.assert_array_equal(highest, [np.nan, np.nan])
    np.testing.assert_array_equal(first_positions(x, highest, shape=(3,), stride=(2,)), [1, 1])


def test_positions_are_small_numbers():
    x = np.zeros((20, 20))
    for shape, dtype in (((2, 2), np.uint8), ((16, 17), np.uint16)):
        highest = max_windows(x, shape=shape, stride=(1, 1))
        assert first_positions(x, highest, shape=shape, stride=(1, 1)).dtype == dtype


@pytest.mark.parametrize("which", [sum_windows, max_windows])
def test_batches(which):
    x = np.random.default_rng(1).normal(size=(4, 2, 5, 6))

    def fun(x):
        return which(x, shape=(2, 3), stride=(1, 2))

    np.testing.assert_array_equal(autodiff.vmap(fun)(x), np.stack([fun(part) for part in x]))
    grads = autodiff.vmap(autodiff.grad(lambda x: (fun(x) ** 2).sum()))(x)
    assert_close(grads, np.stack([autodiff.grad(lambda x: (fun(x) ** 2).sum())(part) for part in x]))
