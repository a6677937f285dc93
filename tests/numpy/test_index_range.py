"""Recorded indices that are out of range: an error, never another element."""

import numpy as np
import pytest

from autodiff import grad, jit

X = np.arange(20.0).reshape(5, 4)
RIGHT = np.array([0, 3])


@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.parametrize(
    ("pick", "wrong"),
    [
        (lambda x, i: x[i], (5, -6)),
        (lambda x, i: np.take(x, i, axis=1), (4, -5)),
        (lambda x, i: x[np.arange(2), i], (4, -5, 7)),
        (lambda x, i: x[i, 0 * i], (5, -6)),
        (lambda x, i: x[0 * i + 1, i], (4, -5, 19)),
    ],
)
def test_an_index_out_of_range_is_an_error(pick, wrong, backend):
    jitted = jit(pick, backend=backend)
    for right in (RIGHT, RIGHT - 4):
        np.testing.assert_array_equal(jitted(X, right), pick(X, right))
    for index in wrong:
        with pytest.raises(IndexError):
            jitted(X, np.array([0, index]))
        with pytest.raises(IndexError):
            grad(lambda x, i: np.sum(jitted(x, i) ** 2))(X, np.array([index, 0]))


def test_parts_written_through_views_are_recorded_as_parts():
    def write(x):
        y = x * 1
        y[0] += 3
        y[:, 1] *= 2
        z = y[1:, ::2]
        z -= 1
        return y

    tape = jit(write).tape(X)
    assert {e.primitive.name for e in tape.equations} <= {"multiply", "slice_of", "slice_set", "add", "subtract"}
    np.testing.assert_array_equal(jit(write)(X), write(X))
    np.testing.assert_array_equal(grad(lambda x: np.sum(write(x)))(X), np.where(np.arange(4) == 1, 2.0, 1.0) + 0 * X)
