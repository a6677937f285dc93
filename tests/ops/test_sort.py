"""Orders and places."""

import numpy as np
import pytest

import autodiff
from autodiff.ops.reductions import sort
from autodiff.testing import Case, check_case, check_laws

ORDER = np.array([[2, 0, 1], [1, 2, 0]])
SOME = np.array([[2, 0], [1, 2]])

# fmt: off
CASES = [
    Case("pick",       lambda x: sort.pick(x, ORDER, axis=-1), shapes=[(2, 3)], dtypes=("float64", "complex64")),
    Case("pick some",  lambda x: sort.pick(x, SOME, axis=-1), shapes=[(2, 3)]),
    Case("place",      lambda g: sort.place(g, SOME, axis=-1, length=4), shapes=[(2, 2)]),
    Case("place rows", lambda g: sort.place(g, ORDER.T, axis=-2, length=3), shapes=[(3, 2)]),
]
# fmt: on


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("in_axes", [(0, 0), (0, None), (None, 0)])
def test_searchsorted_of_examples(side, in_axes):
    rng = np.random.default_rng(0)
    table = np.sort(rng.integers(0, 5, (3, 4) if in_axes[0] == 0 else (4,)), axis=-1).astype(float)
    x = rng.integers(0, 6, (3, 2, 2) if in_axes[1] == 0 else (2, 2)).astype(float)
    batched = autodiff.vmap(lambda t, v: np.searchsorted(t, v, side=side), in_axes=in_axes)(table, x)
    for k in range(3):
        own = np.searchsorted(table[k] if in_axes[0] == 0 else table, x[k] if in_axes[1] == 0 else x, side=side)
        np.testing.assert_array_equal(batched[k], own)


@pytest.mark.parametrize("kth", [0, 5, (2, 7)])
def test_partition_of_long_lines_is_numpys_own(kth):
    x = np.random.default_rng(0).normal(size=(2, sort.SORTED + 1))
    check_laws(lambda x: np.partition(x, kth, axis=-1), (x,), only=("value", "spec", "replay", "adjoint", "dtype"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_partition_of_short_lines_sorts_them(dtype):
    x = np.array([[3.0, np.nan, -1.0, 2.0, -1.0], [0.5, 4.0, 2.0, 1.0, -np.inf]], dtype)
    for run in (
        autodiff.jit(np.partition, static_argnums=1),
        lambda x, k: autodiff.vjp(lambda x: np.partition(x, k), x)[0],
    ):
        np.testing.assert_array_equal(run(x, 2), np.sort(x))
    y = x[:, [0, 2, 3]]
    check_laws(lambda y: np.partition(y, 1, axis=-1), (y.astype(float),))


def test_masked_cotangents_stay_masked_through_sorting():
    def picked(x):
        y = np.sort(np.log(x))
        return np.sum(np.where(y > -np.inf, y, 0))

    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(autodiff.grad(picked)(np.array([2.0, 0.0, 4.0])), [0.5, 0.0, 0.25])
