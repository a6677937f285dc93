"""Arguments that few programs pass, beside NumPy itself."""

import numpy as np
import pytest

import autodiff
from autodiff import jit
from autodiff.trace.errors import ConcretizationError

A = np.arange(12.0).reshape(3, 4)
INF = np.inf


def test_masks_of_copyto_count():
    def plain(x):
        kept = np.array([7.0, 7.0, 7.0])
        np.copyto(kept, 0.0, where=x > 1)
        return np.sum(x * kept)

    def traced(x):
        kept = np.zeros_like(x) + 7.0
        np.copyto(kept, 0.0, where=x > 1)
        return np.sum(x * kept)

    x = np.array([0.3, 1.2, 2.5])
    np.testing.assert_array_equal(autodiff.grad(plain)(x), [7.0, 0.0, 0.0])
    for transformed in (jit(plain), jit(autodiff.grad(plain)), lambda x: autodiff.vmap(plain)(x[None])):
        with pytest.raises(ConcretizationError, match="written into a plain array"):
            transformed(x)
    assert jit(traced)(x) == pytest.approx(2.1)
    np.testing.assert_array_equal(jit(autodiff.grad(traced))(x), [7.0, 0.0, 0.0])


def test_masks_as_lists_and_numbers():
    x = np.array([1.0, 2.0, 3.0])
    ours = jit(lambda x: np.add(x, 1, out=np.zeros_like(x), where=[True, False, True]))(x)
    np.testing.assert_array_equal(ours, [2.0, 0.0, 4.0])
    np.testing.assert_allclose(jit(lambda x: np.exp(x, where=np.True_))(x), np.exp(x))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]])
def test_digitize(bins, right):
    x = np.array([2.0, 1.0, 3.0, 2.5, 0.0, 4.0])
    np.testing.assert_array_equal(jit(lambda x: np.digitize(x, bins, right))(x), np.digitize(x, bins, right))


@pytest.mark.parametrize("labels", [[0, 30], [30, 0], [26, 25], [25, 26], [3, 1]])
def test_labels_of_einsum_that_are_numbers(labels):
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(jit(lambda x: np.einsum(x, labels))(x), np.einsum(x, labels))


@pytest.mark.parametrize(
    "index", [(np.int64(11),), (np.int64(1),), (-1,), (1, 2), ((1, 2),), (np.uint8(2), np.int8(1))]
)
def test_item(index):
    assert jit(lambda a: a.item(*index) + 0.0)(A) == A.item(*index)
    gradient = autodiff.grad(lambda a: a.item(*index))(A)
    assert gradient.sum() == 1.0
    assert gradient[A.item(*index) == A] == 1.0


POINTS = [
    ([0.0, 1.0, 2.0], [0.0, INF, 1.0]), ([0.0, 1.0, 2.0], [5.0, INF, 7.0]), ([0.0, 1.0, 2.0], [INF, INF, 7.0]),
    ([0.0, 1.0, 2.0], [-INF, INF, np.nan]), ([1.0], [4.0]), ([0.0, 1.0], [-INF, -INF]),
]  # fmt: skip


@pytest.mark.parametrize(("places", "values"), POINTS)
def test_interp_beside_infinities(places, values):
    x, fp = np.array([0.0, 0.5, 1.0, 1.5, 2.0, -1.0, 3.0, np.nan]), np.array(values)
    expected = np.interp(x, places, fp)
    np.testing.assert_array_equal(jit(lambda x: np.interp(x, places, fp))(x), expected)
    np.testing.assert_array_equal(jit(lambda x, fp: np.interp(x, places, fp))(x, fp), expected)


def test_histogram_of_nothing():
    weighted = jit(lambda w: np.histogram(np.zeros(0), bins=3, weights=w)[0])(np.zeros(0))
    np.testing.assert_array_equal(weighted, np.zeros(3))


def test_cov_of_columns_beside_a_row():
    ours = jit(lambda a: np.cov(a[:1].T, a[1:2], rowvar=False))(A)
    np.testing.assert_allclose(ours, np.cov(A[:1].T, A[1:2], rowvar=False))


def test_axes_that_do_not_exist():
    for axis in (2, 5, -3):
        with pytest.raises(np.exceptions.AxisError):
            jit(lambda a, axis=axis: np.take_along_axis(a, np.zeros((3, 4), int), axis=axis))(A)


def test_tangents_are_arrays_of_their_own():
    direction = np.ones(3)
    _, tangent = autodiff.jvp(lambda x: x + 1, (np.zeros(3),), (direction,))
    tangent *= 5
    np.testing.assert_array_equal(direction, np.ones(3))
    _, (one, other) = autodiff.jvp(lambda x: (x + 1, x + 2), (np.zeros(3),), (direction,))
    assert not np.shares_memory(one, other)
