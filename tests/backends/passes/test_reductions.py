"""Sums over leading and trailing axes at once."""

import numpy as np
import pytest

from autodiff import jit, make_tape
from autodiff.backends.passes.rewrite.reductions import SPLIT_LARGE_SUMS, SPLIT_SUMS
from autodiff.backends.passes.rewrite.rewriting import rewrite
from autodiff.backends.reference import run_tape
from tests.backends.kernels.running import names, needs_numba

RNG = np.random.default_rng(0)


def split(fun, x, rules=SPLIT_SUMS):
    return rewrite(make_tape(fun)(x), rules)


@pytest.mark.parametrize("axes", [(0, 2, 3), (0, 3), (0, 1, 3)])
def test_are_two_sums(axes):
    x = RNG.normal(size=(3, 4, 5, 6))
    tape = split(lambda x: np.sum(x, axis=axes), x)
    assert names(tape) == ["sum", "sum"]
    np.testing.assert_allclose(run_tape(tape, (x,))[0], np.sum(x, axis=axes), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("axes", [(0, 1), (2, 3), (1, 2), (0, 2), (1, 3), (0, 1, 2, 3)])
def test_others_stay(axes):
    assert names(split(lambda x: np.sum(x, axis=axes), RNG.normal(size=(3, 4, 5, 6)))) == ["sum"]


def test_small_ones_may_stay():
    assert names(split(lambda x: np.sum(x, axis=(0, 2)), np.ones((4, 3, 5)), SPLIT_LARGE_SUMS)) == ["sum"]
    assert names(split(lambda x: np.sum(x, axis=(0, 2)), np.ones((64, 32, 8)), SPLIT_LARGE_SUMS)) == ["sum", "sum"]


@needs_numba
def test_rows_are_summed_where_they_are_computed():
    x = RNG.normal(size=(64, 16, 32, 32)).astype(np.float32)

    def both(x):
        y = np.where(x > 0, x, 0)
        return y, np.sum(y, axis=(0, 2, 3))

    f = jit(both)
    assert names(f.schedule(x)) == ["kernel_of_rows", "sum"]
    for found, wanted in zip(f(x), both(x), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4)
