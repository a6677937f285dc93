"""Rearranging, repeating and summing: the primitives, by all laws."""

import numpy as np
import pytest

import autodiff
from autodiff.ops import shape as sh
from autodiff.testing import Case, check_case
from autodiff.trace.spec import spec

FLOATS = ("float64", "float32", "complex128")

CASES = [
    Case("reshape", lambda x: sh.reshape(x, shape=(3, 2)), dtypes=FLOATS, shapes=[(2, 3), (6,), (1, 6, 1)]),
    Case("reshape to nothing", lambda x: sh.reshape(x, shape=(4, 0)), shapes=[(0,), (2, 0)]),
    Case("reshape to a number", lambda x: sh.reshape(x, shape=()), shapes=[(), (1,), (1, 1)]),
    Case("transpose", lambda x: sh.transpose(x, axes=(-2, -1, -3)), dtypes=FLOATS, shapes=[(2, 3, 4), (1, 0, 2)]),
    Case("transpose of stacks", lambda x: sh.transpose(x, axes=(-1, -2)), shapes=[(2, 3), (2, 1, 3), (2, 1, 3, 2)]),
    Case(
        "broadcast_to",
        lambda x: sh.broadcast_to(x, shape=(2, 3, 4)),
        dtypes=FLOATS,
        shapes=[(), (4,), (3, 1), (1, 1, 1)],
    ),
    Case("sum", lambda x: sh.sum_axes(x, axes=(-3, -1)), dtypes=FLOATS, shapes=[(2, 3, 4), (2, 0, 3)]),
    Case("sum to a number", lambda x: sh.sum_axes(x, axes=(-1,)), shapes=[(3,), (0,)]),
    Case("spread", lambda g: sh.spread(g, (2, 3, 4), (-2,)), shapes=[(2, 4)]),
    Case("sum_to", lambda g: sh.sum_to(g, (1, 4)), shapes=[(2, 3, 4), (1, 4), (3, 4)]),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case)


def test_transpose_foretells_the_axes_in_front():
    assert sh.transpose.spec(spec((2, 3, 4), float), axes=(-1, -2)) == spec((2, 4, 3), float)


def test_a_scalar_stays_a_scalar():
    scalar = spec((), float, "scalar")
    assert sh.reshape.spec(scalar, shape=()) == scalar
    assert sh.transpose.spec(scalar, axes=()) == scalar
    assert sh.reshape.spec(spec((1,), float), shape=()) == spec((), float)


@pytest.mark.parametrize("own", [(4,), (3, 4), (2, 3, 4)])
def test_projection_sums_what_was_broadcast(own):
    g = np.ones((2, 3, 4))
    assert np.array_equal(sh.project(g, spec(own, np.float32)), np.full(own, g.size / np.prod(own), np.float32))


def test_projection_to_a_real_slot_drops_the_imaginary_part():
    assert sh.project(np.array([1 + 2j]), spec((1,), np.float64)).tolist() == [1.0]


def test_masked_cotangents_stay_masked_through_movements():
    def fun(x):
        moved = np.roll(np.reshape(np.stack([np.sqrt(x)]).T, (-1,)), 1)
        return np.sum(np.where(np.array([True, False]), moved, 0.0))

    assert autodiff.grad(fun)(np.array([0.0, 4.0])).tolist() == [0.0, 0.25]
