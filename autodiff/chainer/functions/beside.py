"""Constants on the device of the arrays that they meet: nothing there goes from one device to the other by itself."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from autodiff.chainer.backend import get_array_module, get_device_from_array


def beside(array: Any, values: Any) -> Any:
    """A NumPy array of constants as an array on the device of another array.

    Args:
        array: an array, a Variable or a traced value. Where only its shape is known the constants stay where they are.
        values: the constants.
    """
    return get_array_module(array).asarray(values)


def drawing_beside(array: Any) -> AbstractContextManager[Any]:
    """A context in which random numbers are drawn on the device of an array.

    Args:
        array: an array, a Variable or a traced value.
    """
    return get_device_from_array(array).create_context()
