"""The places of largest elements of regions: ties, empty regions, and batches."""

import numpy as np

import autodiff
from autodiff.ops.images.regions import largest_in_regions, picked

REGIONS = np.array([[[[0, 0, 2, 1, 3], [1, 2, 2, 0, 3]]], [[[1, 0, 3, 0, 3], [0, 1, 3, 2, 9]]]])


def test_the_first_of_equal_elements_is_found_and_nothing_in_empty_regions():
    x = np.zeros((2, 1, 3, 3))
    x[1, 0, 2, 1] = 5
    places = largest_in_regions(x, REGIONS)
    assert places.shape == (2, 1, 1, 2)
    assert places.ravel().tolist() == [1, -1, 16, 5]
    np.testing.assert_array_equal(picked(x, places).ravel(), [0, 0, 5, 0])


def test_what_is_picked_has_the_derivative():
    x = np.random.default_rng(0).normal(size=(2, 2, 3, 3))

    def loss(x):
        return np.sum(picked(x, largest_in_regions(x, REGIONS)) ** 2)

    found = autodiff.grad(loss)(x)
    places = largest_in_regions(x, REGIONS)
    expected = np.zeros(x.size)
    for place in places[places >= 0]:
        expected[place] += 2 * x.ravel()[place]
    np.testing.assert_allclose(found.ravel(), expected)
    batch = np.stack([x, -x, x + 1])
    np.testing.assert_allclose(
        autodiff.vmap(autodiff.grad(loss))(batch), np.stack([autodiff.grad(loss)(part) for part in batch])
    )
