"""What takes part in a computation: known arrays and numbers, and the numbers in arrays of Python objects."""

from __future__ import annotations

from decimal import Decimal
from enum import IntEnum
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff.trace.errors import LeafError
from autodiff.trace.spec import spec_of
from autodiff.trace.values.leaves import as_leaf, is_leaf, numbers_of


class Grade(IntEnum):
    """Numbers of a class of their own."""

    GOOD = 2


class Celsius(float):
    """Likewise."""


@pytest.mark.parametrize(
    "value", [np.ones(2), np.float32(1), 3, 2.5, 1j, True, np.ones(2, "U3"), np.datetime64("2020")]
)
def test_what_is_known_is_taken_as_it_is(value):
    assert as_leaf(value) is value


def test_numbers_of_classes_of_their_own_become_plain_ones():
    for value, kind in ((Grade.GOOD, int), (Celsius(2.0), float)):
        found = as_leaf(value)
        assert (type(found), found) == (kind, 2)
        assert spec_of(value) is spec_of(found)


@pytest.mark.parametrize("value", [None, "text", object(), [1.0], {}, Decimal(1), Fraction(1, 2), np.sin, int])
def test_everything_else_is_refused(value):
    assert not is_leaf(value)
    with pytest.raises(LeafError):
        spec_of(value)


OBJECTS = {
    "ints": ([1, 2], np.int64),
    "ints and floats": ([1, 2.5], np.float64),
    "truth": ([True, np.False_], np.bool_),
    "truth among floats": ([True, 2.5], np.float64),
    "complex": ([1, 2j], np.complex128),
    "float32 alone": ([np.float32(1.5), np.float32(2)], np.float32),
    "float32 among floats": ([np.float32(1.5), 2.0], np.float64),
    "NaN and infinity": ([float("nan"), float("inf"), 1], np.float64),
    "nothing": ([], np.float64),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_the_dtype_that_holds_all(name):
    numbers, dtype = OBJECTS[name]
    array = np.empty(len(numbers), object)
    array[:] = numbers
    found = numbers_of(array)
    assert (found.dtype, found.shape) == (dtype, array.shape)
    np.testing.assert_array_equal(found, np.array(numbers, dtype))


@given(
    st.lists(st.integers(-(2**70), 2**70) | st.floats() | st.booleans() | st.complex_numbers(), max_size=4),
    st.booleans(),
)
def test_nothing_is_lost(numbers, square):
    array = np.empty(len(numbers), object)
    array[:] = numbers
    array = array.reshape(-1, 2) if square and len(numbers) % 2 == 0 else array
    if not is_leaf(array):
        exact = [complex(number) == number for number in numbers if number == number]
        assert not all(exact) or any(isinstance(number, int) and abs(number) >= 2**53 for number in numbers)
        return
    found = as_leaf(array)
    assert found.shape == array.shape
    for one, other in zip(found.ravel().tolist(), numbers, strict=True):
        assert one == other or (one != one and other != other)


@pytest.mark.parametrize(
    "something", [None, "1", Decimal(1), np.datetime64("2020"), np.timedelta64(1, "s"), [1.0], np.ones(2)]
)
def test_objects_that_are_no_numbers_are_refused(something):
    array = np.empty((2, 2), object)
    array.fill(1.0)
    array[1, 0] = something
    with pytest.raises(LeafError, match=r"holds \S+ at \[1, 0\]"):
        as_leaf(array)


def test_masks_of_objects_are_not_lost():
    with pytest.raises(LeafError, match="fill what is masked"):
        as_leaf(np.ma.MaskedArray(np.array([1, 2.5], object), mask=[True, False]))


def test_an_attribute_that_says_it_is_a_spec_is_not_believed():
    class Passing:
        """Passes on what it is asked for, as pint's quantities do."""

        def __getattr__(self, name):
            return getattr(np.ones(2), name) if name != "spec" else spec_of(np.ones(2))

    assert not is_leaf(Passing())
