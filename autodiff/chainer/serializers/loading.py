"""How a stored array becomes the value of an object."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.backends import gpu
from autodiff.trace.source import at_user_line


def stored_as(key: str, stored: np.ndarray[Any, Any], value: Any) -> Any:
    """The stored array as a value like the one that the object has.

    Args:
        key: the name of the entry, for error texts.
        stored: the array in the file.
        value: what the object has: an array, which is filled; a number or the like, whose type is kept; or None,
            for the stored array itself.

    Raises:
        ValueError: if the shapes differ.
        TypeError: if the stored dtype does not fit.
    """
    if value is None:
        return stored
    if isinstance(value, np.ndarray) or gpu.is_gpu_array(value):
        return fill(key, stored, value)
    return converted(key, stored, value)


def fill(key: str, stored: np.ndarray[Any, Any], array: Any) -> Any:
    """The array of the object, filled with what is stored."""
    if stored.shape != array.shape:
        raise ValueError(
            f"{key} has shape {stored.shape} in the file and {array.shape} in the object{at_user_line()}; build the "
            "object as it was when it was saved"
        )
    if not np.can_cast(stored.dtype, array.dtype, "same_kind"):
        raise TypeError(f"{key} is {stored.dtype} in the file and {array.dtype} in the object{at_user_line()}")
    if isinstance(array, np.ndarray):
        array[...] = stored
    else:
        array.set(np.ascontiguousarray(stored, dtype=array.dtype))
    return array


def converted(key: str, stored: np.ndarray[Any, Any], value: Any) -> Any:
    """What is stored as an object of the type of ``value``."""
    kind = type(value)
    if not np.can_cast(stored.dtype, np.dtype(kind), "safe"):
        raise TypeError(f"{key} is {stored.dtype} in the file and does not fit into {kind.__name__}{at_user_line()}")
    if isinstance(value, (str, bytes, int, float, complex, np.generic)):
        if stored.size != 1:
            raise TypeError(
                f"{key} has shape {stored.shape} in the file and is one {kind.__name__} in the object{at_user_line()}"
            )
        return kind(stored.reshape(-1)[0])
    return kind(stored)
