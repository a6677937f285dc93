"""How a stored array becomes the value of an object.

What a file says of an array is compared with the object before the array is read: a small file can say, and after
decompression be, as much as it likes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.backends import gpu
from autodiff.trace.source import at_user_line


def check_stored(key: str, shape: tuple[int, ...], dtype: np.dtype[Any], value: Any) -> None:
    """Refuse a stored array that cannot become a value like the one that the object has.

    Args:
        key: the name of the entry, for error texts.
        shape: of the stored array.
        dtype: of its elements.
        value: what the object has: an array, which will be filled; a number or the like, whose type is kept; or None,
            for the stored array itself.

    Raises:
        ValueError: if the shapes differ.
        TypeError: if the stored dtype does not fit.
    """
    if value is None:
        return
    if is_array(value):
        if shape != value.shape:
            raise ValueError(
                f"{key} has shape {shape} in the file and {value.shape} in the object{at_user_line()}; build the "
                "object as it was when it was saved"
            )
        if not np.can_cast(dtype, value.dtype, "same_kind"):
            raise TypeError(f"{key} is {dtype} in the file and {value.dtype} in the object{at_user_line()}")
        return
    kind = type(value)
    if not np.can_cast(dtype, np.dtype(kind), "safe"):
        raise TypeError(f"{key} is {dtype} in the file and does not fit into {kind.__name__}{at_user_line()}")
    if is_single(value) and any(length != 1 for length in shape):
        raise TypeError(f"{key} has shape {shape} in the file and is one {kind.__name__} in the object{at_user_line()}")


def stored_as(stored: np.ndarray[Any, Any], value: Any) -> Any:
    """The stored array, which was found to fit, as a value like the one that the object has."""
    if value is None:
        return stored
    if isinstance(value, np.ndarray):
        value[...] = stored
        return value
    if gpu.is_gpu_array(value):
        value.set(np.ascontiguousarray(stored, dtype=value.dtype))
        return value
    return type(value)(stored.reshape(-1)[0] if is_single(value) else stored)


def is_array(value: Any) -> bool:
    """Whether it is an array, which is filled."""
    return isinstance(value, np.ndarray) or gpu.is_gpu_array(value)


def is_single(value: Any) -> bool:
    """Whether it is one number or text."""
    return isinstance(value, (str, bytes, int, float, complex, np.generic))
