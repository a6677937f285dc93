"""The benchmark of single operations runs, and what it compares are the same functions."""

import numpy as np
import pytest

from benchmarks.operations.__main__ import WAYS, arguments_of, measured, weights_of
from benchmarks.operations.functions import LARGE_ROWS, SMALL_ROWS

ROWS = [*SMALL_ROWS, *(row for row in LARGE_ROWS if max(map(np.prod, row.shapes)) <= 200_000)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_both_faces_agree_with_each_other_and_with_differences(row):
    arrays = arguments_of(row)
    weights = weights_of(row, arrays)
    value, gradient = WAYS["tracers"](row, arrays, weights)()
    other, slope = WAYS["Variables"](row, arrays, weights)()
    np.testing.assert_allclose(other, value, rtol=1e-12)
    np.testing.assert_allclose(slope, gradient, rtol=1e-12)
    direction = np.cos(np.arange(arrays[0].size)).reshape(arrays[0].shape)
    h = 1e-6
    plain = [np.sum(row.ours(arrays[0] + sign * h * direction, *arrays[1:]) * weights) for sign in (1, -1)]
    np.testing.assert_allclose(np.sum(gradient * direction), (plain[0] - plain[1]) / (2 * h), rtol=1e-4, atol=1e-6)


def test_a_row_is_measured_in_all_ways():
    taken = measured(SMALL_ROWS[0], 2, 1e-4)
    assert {"tracers", "Variables", "value by NumPy"} <= set(taken)
    assert all(seconds > 0 for seconds in taken.values())
