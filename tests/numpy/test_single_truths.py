"""Indexing by a single truth value, which is a mask without axes."""

import numpy as np
import pytest

import autodiff


@pytest.mark.parametrize(
    "key",
    [
        True, False, np.bool_(True), np.array(True), np.array(False), (np.array(True), 0), (True, slice(1)), (slice(None), True),
        (0, True), (False, [0, 1]), (True, [0, 1], None), (Ellipsis, True), (True, False), (np.array([True, False]), True),
    ],
    ids=str,
)  # fmt: skip
def test_single_truths_are_masks_without_axes(key):
    x = np.arange(6.0).reshape(2, 3)
    try:
        expected = x[key]
    except IndexError:
        with pytest.raises(IndexError):
            autodiff.vjp(lambda x: x[key], x)
        return
    value, pull = autodiff.vjp(lambda x: x[key], x)
    np.testing.assert_array_equal(value, expected)
    (found,) = pull(np.ones(expected.shape))
    counted = np.zeros(x.shape)
    np.add.at(counted, key, 1.0)
    np.testing.assert_array_equal(found, counted)
