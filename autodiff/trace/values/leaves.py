"""What takes part in a computation: known arrays and numbers, and the numbers that an array of Python objects holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.failures.classes import LeafError
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.foreign import TRACED_OBJECTS, is_array_type, objects_refusal, type_name

PYTHON_NUMBERS: tuple[type[Any], ...] = (bool, int, float, complex)
COMMON = frozenset((*PYTHON_NUMBERS, np.float64, np.float32, np.int64, np.bool_, Tracer))
"""Types of which every object takes part as it is. NumPy's array is none of them: its dtype counts too."""


def as_leaf(value: Any) -> Any:
    """A value as it takes part in a computation: as it is, or as the numbers that it holds.

    Arrays of Python objects become arrays of their numbers, where a dtype holds them exactly. Python numbers of classes
    of their own, such as ``IntEnum``, become plain ones.

    Raises:
        LeafError: if it is no array or number of a kind that is known, saying what to do.

    >>> as_leaf(np.array([1, 2.5], dtype=object))
    array([1. , 2.5])
    """
    kind = type(value)
    if kind is np.ndarray:
        return numbers_of(value) if value.dtype.kind == "O" else value
    if kind in COMMON or isinstance(value, (np.generic, Spec)):
        return value
    if isinstance(value, Traced):
        return value.settled()
    if isinstance(value, PYTHON_NUMBERS):
        return next(base(value) for base in PYTHON_NUMBERS if isinstance(value, base))
    if isinstance(value, np.ndarray) and value.dtype.kind == "O" and is_array_type(kind):
        return numbers_of(np.asarray(value))
    spec_of(value)  # refuses what is not known
    return value


def is_leaf(value: Any) -> bool:
    """Whether a value can take part in a computation."""
    try:
        as_leaf(value)
    except LeafError:
        return False
    return True


def numbers_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The numbers in an array of Python objects, in the dtype that holds them all.

    Raises:
        LeafError: if an element is no number, or no dtype holds them exactly.
    """
    elements = array.ravel().tolist()
    for place, element in enumerate(elements):
        if isinstance(element, Traced):
            raise LeafError(objects_refusal("traced values, whose derivatives would be lost", TRACED_OBJECTS))
        if not is_number(element):
            at = [int(k) for k in np.unravel_index(place, array.shape)] if array.shape else "[()]"
            raise LeafError(objects_refusal(f"{type_name(element)} at {at}"))
    found = np.array(elements, None if elements else float)
    if found.dtype.kind not in "biufc" or not all(map(same, found.tolist(), elements)):
        raise LeafError(objects_refusal("numbers that no dtype holds exactly"))
    return found.reshape(array.shape)


def is_number(element: Any) -> bool:
    """Whether an element of an array of objects is a number of Python's or NumPy's."""
    if isinstance(element, np.generic):
        return element.dtype.kind in "biufc"
    return isinstance(element, PYTHON_NUMBERS)


def same(one: Any, other: Any) -> bool:
    """Whether two numbers are equal, counting NaN equal to NaN."""
    return bool(one == other or (one != one and other != other))
