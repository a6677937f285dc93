"""What closed-over row numbers say."""

import numpy as np
import pytest

import autodiff
from autodiff import make_tape
from autodiff.backends.passes.rewrite.known import use_constants
from autodiff.trace.tape import check_tape
from tests.backends.passes.tapes import names, run

RNG = np.random.default_rng(0)


def used(f, *args):
    """The names of the operations after; results agree."""
    before = make_tape(f)(*args)
    after = use_constants(before)
    check_tape(after)
    for x, y in zip(run(before, args), run(after, args), strict=True):
        np.testing.assert_array_equal(x, y)
    return names(after)


@pytest.mark.parametrize("shape", [(6, 4), (3, 2, 4), (2, 3, 2, 4)])
def test_one_element_along_the_last_axis_is_a_pick(shape):
    i = RNG.integers(0, shape[-1], (*shape[:-1], 1))
    found = used(lambda x, i: np.take_along_axis(x, i, -1), RNG.normal(size=shape), i)
    assert "pick" in found
    assert "gather" not in found


@pytest.mark.parametrize("shape", [(6, 4), (3, 2, 4)])
def test_so_is_its_gradient(shape):
    i = RNG.integers(0, shape[-1], (*shape[:-1], 1))
    found = used(autodiff.grad(lambda x, i: np.sum(np.take_along_axis(x, i, -1) ** 2)), RNG.normal(size=shape), i)
    assert "place" in found
    assert "scatter_add" not in found


def test_a_row_number_for_each_row():
    found = used(lambda x, i: x[np.arange(6), i], RNG.normal(size=(6, 4)), RNG.integers(0, 4, 6))
    assert "pick" in found


@pytest.mark.parametrize(
    "f",
    [
        lambda x, i: np.take_along_axis(x, i, 0),
        lambda x, i: x[np.arange(4)[::-1], i[:, 0]],
        lambda x, i: np.take_along_axis(x, np.concatenate([i, i], 1), 1),
    ],
    ids=["another axis", "other rows", "two of each row"],
)
def test_other_indices_stay(f):
    found = used(f, RNG.normal(size=(4, 4)), RNG.integers(0, 4, (4, 1)))
    assert "pick" not in found
