"""What is picked from each of many rows by one index, and added back there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff import make_tape
from autodiff.backends.passes.fusion.row_gathers import pick_by_rows
from autodiff.backends.passes.rewrite.simplify import simplify
from autodiff.backends.straight import Straight
from autodiff.ops.index import gather, scatter_add
from autodiff.trace.errors import AutodiffError
from tests.backends.kernels.running import names, needs_numba

RNG = np.random.default_rng(0)


@pytest.fixture
def every_size(monkeypatch):
    monkeypatch.setattr("autodiff.backends.kernels.rows.gathers.MANY", 0)


def tape_of(fun, *args):
    return pick_by_rows(simplify(make_tape(fun)(*args)))


def picking(rest):
    """A gather from the last axis of an array with so many axes before it."""
    return lambda x, i: gather(np.moveaxis(x, -1, 0), i, rest=rest, chosen=False)


def adding(length, rank, rest):
    """A sum along the last axes of an array with so many axes before them."""

    def fun(g, i):
        moved = np.transpose(g, (*range(rest, rest + rank), *range(rest)))
        return scatter_add(moved, i, length=length, rest=rest, rank=rank)

    return fun


@needs_numba
@pytest.mark.usefixtures("every_size")
class TestValues:
    @given(st.integers(1, 40), st.integers(2, 40), st.lists(st.integers(2, 6), min_size=1, max_size=2), st.data())
    def test_values_are_those_of_numpy(self, rows, length, picked, data):
        dtype = data.draw(st.sampled_from([np.float32, np.float64]))
        kind = data.draw(st.sampled_from([np.int32, np.int64]))
        i = RNG.integers(-length, length, picked).astype(kind)
        x = RNG.normal(size=(rows + 1, length)).astype(dtype)
        tape = tape_of(picking(1), x, i)
        assert "kernel_of_picks" in names(tape)
        (found,) = Straight(tape).run(x, i)
        np.testing.assert_array_equal(found, x.T[i])
        g = RNG.normal(size=(rows + 1, *picked)).astype(dtype)
        tape = tape_of(adding(length, len(picked), 1), g, i)
        assert "kernel_of_picks" in names(tape)
        wanted = np.zeros((length, rows + 1), dtype)
        np.add.at(wanted, i, np.moveaxis(g, 0, -1))
        np.testing.assert_allclose(Straight(tape).run(g, i)[0], wanted, rtol=1e-5, atol=1e-5)

    def test_several_axes_of_rows(self):
        x, i = RNG.normal(size=(3, 4, 9)), RNG.integers(0, 9, (5, 2))
        tape = tape_of(picking(2), x, i)
        assert names(tape) == ["kernel_of_picks", "transpose"]
        np.testing.assert_array_equal(Straight(tape).run(x, i)[0], np.moveaxis(x, -1, 0)[i])

    def test_rows_whose_axes_change_places_are_left_to_numpy(self):
        x, i = RNG.normal(size=(3, 4, 9)), RNG.integers(0, 9, (5, 2))
        tape = tape_of(lambda x, i: gather(np.transpose(x), i, rest=2, chosen=False), x, i)
        assert names(tape) == ["transpose", "gather"]

    def test_columns_of_a_matrix_are_picked_without_a_transposed_array(self):
        x, i = RNG.normal(size=(30, 40)), RNG.integers(0, 40, (7, 3))
        tape = tape_of(lambda x, i: np.sum(x[:, i] * 2, (1, 2)), x, i)
        assert "kernel_of_picks" in names(tape)
        assert not {"gather", "transpose"} & set(names(tape))
        np.testing.assert_allclose(Straight(tape).run(x, i)[0], np.sum(x[:, i] * 2, (1, 2)), rtol=0, atol=1e-13)

    @pytest.mark.parametrize("wrong", [40, -41])
    def test_an_index_out_of_range(self, wrong):
        x, i = RNG.normal(size=(30, 40)), np.array([0, wrong])
        run = Straight(tape_of(lambda x, i: x[:, i], x, i)).run
        with pytest.raises(AutodiffError, match=r"^an index is out of range for the axis that it picks from$"):
            run(x, i)
        np.testing.assert_array_equal(run(x, np.array([1, 2]))[0], x[:, 1:3])


@needs_numba
def test_few_elements_are_left_to_numpy():
    assert "kernel_of_picks" not in names(tape_of(lambda x, i: x[:, i], RNG.normal(size=(5, 6)), np.array([1, 2])))
