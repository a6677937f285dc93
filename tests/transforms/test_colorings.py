"""Colourings: entries can be read off again, and regular patterns take few directions."""

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given

from autodiff.transforms.sparse.coloring import column_colors, star_colors
from autodiff.transforms.sparse.compression import by_columns, by_rows, by_symmetry, fewest


@st.composite
def patterns(draw: Any, square: bool = False) -> Any:
    rows = draw(st.integers(1, 12))
    columns = rows if square else draw(st.integers(1, 12))
    seed = draw(st.integers(0, 2**32 - 1))
    density = draw(st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]))
    return np.random.default_rng(seed).random((rows, columns)) < density


def entries(compression: Any, matrix: Any) -> Any:
    """The matrix, from its products with the directions alone."""
    directions = compression.directions(0, compression.count).astype(float)
    products = directions @ (matrix if compression.by_rows else matrix.T)
    data = products[compression.found_by, compression.places]
    pattern = compression.pattern
    return scipy.sparse.csr_array((data, pattern.indices, pattern.indptr), pattern.shape).toarray()


@given(patterns(), st.sampled_from([by_columns, by_rows, fewest]))
def test_all_entries_are_found(pattern: Any, compress: Any) -> None:
    matrix = np.where(pattern, np.arange(1.0, pattern.size + 1).reshape(pattern.shape), 0)
    np.testing.assert_array_equal(entries(compress(scipy.sparse.csr_array(pattern)), matrix), matrix)


@given(patterns(square=True), st.booleans())
def test_all_entries_of_symmetric_matrices_are_found(half: Any, diagonal: bool) -> None:
    pattern = half | half.T | np.diag(np.full(len(half), diagonal))
    numbers = np.arange(1.0, pattern.size + 1).reshape(pattern.shape)
    matrix = np.where(pattern, numbers + numbers.T, 0)
    np.testing.assert_array_equal(entries(by_symmetry(scipy.sparse.csr_array(pattern)), matrix), matrix)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_bands_take_as_many_directions_as_they_are_wide(width: int) -> None:
    offsets = range(-width, width + 1)
    band = scipy.sparse.diags_array([np.ones(50 - abs(k)) for k in offsets], offsets=list(offsets))
    assert column_colors(band).max() + 1 == 2 * width + 1
    assert star_colors(band).max() + 1 <= 2 * width + 1


def test_an_arrow_takes_two_directions_by_symmetry_alone() -> None:
    arrow = np.eye(40, dtype=bool)
    arrow[0] = arrow[:, 0] = True
    assert star_colors(arrow).max() + 1 == 2
    assert column_colors(arrow).max() + 1 == 40


def test_one_full_row_is_found_by_rows() -> None:
    pattern = np.eye(40, dtype=bool)
    pattern[3] = True
    assert (fewest(scipy.sparse.csr_array(pattern)).count, fewest(scipy.sparse.csr_array(pattern.T)).count) == (2, 2)
