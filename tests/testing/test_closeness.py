"""Closeness: tolerances by dtype, NaN and infinities, and texts that say where and by how much."""

import numpy as np
import pytest

from autodiff.testing import assert_close, tolerance
from autodiff.testing.lawbook.closeness import difference


def test_the_least_precise_dtype_sets_the_tolerance() -> None:
    assert tolerance("float64") == (1e-7, 1e-9)
    assert tolerance("complex128", "float32") == tolerance("float32")
    assert tolerance("int64") == (0.0, 0.0)


def test_nan_equals_nan_and_infinity_itself() -> None:
    assert_close(np.array([np.nan, np.inf, -np.inf]), np.array([np.nan, np.inf, -np.inf]))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1.1])
def test_anything_else_differs(wrong: float) -> None:
    with pytest.raises(AssertionError):
        assert_close(np.array([1.0, wrong]), np.array([1.0, 1.0]))
    with pytest.raises(AssertionError):
        assert_close(np.array([1.0, 1.0]), np.array([1.0, wrong]))


def test_single_precision_is_compared_as_such() -> None:
    assert_close(np.float32(1.00001), np.float64(1.0))
    with pytest.raises(AssertionError):
        assert_close(np.float64(1.00001), np.float64(1.0))


def test_the_text_names_the_leaf_the_index_and_both_values() -> None:
    with pytest.raises(AssertionError) as error:
        assert_close(
            {"a": 1.0, "b": np.array([[1.0, 2.0], [3.5, 4.5]])}, {"a": 1.0, "b": np.array([[1.0, 2.0], [3.0, 4.25]])}
        )
    assert str(error.value) == (
        "leaf 1 of 2 is not close\n"
        "  arrived    np.float64(3.5)\n"
        "  expected   np.float64(3.0)\n"
        "  error      0.5 at index (1, 0), the largest of 2 in 4 elements\n"
        "  allowed    3.01e-07"
    )


def test_shapes_and_structures_must_agree() -> None:
    with pytest.raises(AssertionError) as error:
        assert_close(np.zeros((2, 1)), np.zeros(2))
    assert str(error.value) == "leaf 0: shape (2, 1) arrived, (2,) is expected"
    with pytest.raises(AssertionError) as error:
        assert_close((1.0, 2.0), 1.0)
    assert str(error.value) == "2 leaves arrived, 1 are expected; give trees of equal structure"


def test_whole_numbers_must_be_equal() -> None:
    assert_close(np.arange(3), np.arange(3))
    with pytest.raises(AssertionError):
        assert_close(np.array([1000001]), np.array([1000000]))


def test_complex_numbers_are_compared_by_distance() -> None:
    assert difference(np.array([1 + 1j]), np.array([1 + 1.1j]), 0.2) is None
    found = difference(np.array([1 + 1j]), np.array([1 + 2j]), 0.2)
    assert found is not None
    assert found.error == 1.0


def test_empty_arrays_are_close() -> None:
    assert difference(np.zeros((0, 2)), np.zeros((0, 2)), 0.0) is None
