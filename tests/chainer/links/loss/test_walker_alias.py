"""Draws from discrete distributions: the columns and the random numbers of Chainer 7.8.1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff.chainer.utils.walker_alias import WalkerAlias


@pytest.mark.parametrize(
    ("probs", "threshold", "values"),
    [
        ([1, 2, 3, 4], [0.4000000059604645, 0.800000011920929, 0.6000000238418579, 1.0], [0, 2, 1, 3, 2, 3, 3, 0]),
        ([5, 1, 1, 1, 2], [0.5, 0.5, 0.5, 0.5, 1.0], [1, 4, 2, 0, 3, 0, 4, 0, 0, 0]),
        ([0.2, 0.2, 0.6], [0.6000000238418579, 0.6000000238418579, 1.0000001192092896], [0, 2, 1, 2, 2, 0]),
        ([2.0], [1.0], [0, 0]),
    ],
)
def test_columns(probs: Any, threshold: Any, values: Any) -> None:
    walker = WalkerAlias(probs)
    assert walker.threshold.tolist() == threshold
    assert walker.values.tolist() == values
    assert (walker.threshold.dtype, walker.values.dtype) == (np.float32, np.int32)


@pytest.fixture
def seed() -> None:
    np.random.seed(5)  # noqa: NPY002


@pytest.mark.usefixtures("seed")
def test_draws_are_those_of_chainer() -> None:
    walker = WalkerAlias(np.arange(1, 8))
    assert walker.sample((2, 3)).tolist() == [[4, 6, 1], [6, 5, 4]]
    assert walker.sample(4).tolist() == [5, 5, 2, 1]
    assert walker.sample(()) == 3
    assert np.random.rand() == 0.73844029619897  # noqa: NPY002


@pytest.mark.usefixtures("seed")
def test_frequencies_are_the_probabilities() -> None:
    probs = np.array([0.1, 0.2, 0.05, 0.65])
    drawn = np.bincount(WalkerAlias(probs).sample(100_000), minlength=4) / 100_000
    np.testing.assert_allclose(drawn, probs, atol=0.005)


def test_a_copy_has_its_own_arrays() -> None:
    walker = WalkerAlias([1, 2])
    other = walker.copy()
    other.threshold[:] = 0
    assert walker.threshold[1] == 1
