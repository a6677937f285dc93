"""New arrays from initializers, and initializers from what users write instead of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_device, using_device
from autodiff.chainer.initializers.constant import Constant
from autodiff.chainer.initializers.normal import LeCunNormal
from autodiff.facade.settings.configuration import get_dtype
from autodiff.facade.variables.variable import is_array
from autodiff.trace.source import at_user_line


def generate_array(initializer: Any, shape: Any, xp: Any, dtype: Any = None, device: Any = None) -> Any:
    """A new array that the initializer has filled.

    Args:
        initializer: a function that fills the array it is given, with an optional attribute ``dtype``.
        shape: the shape of the array.
        xp: numpy or cupy.
        dtype: the dtype; that of the initializer or else ``config.dtype`` if None.
        device: where the array shall be; wherever ``xp`` puts it if None.

    Raises:
        ValueError: if the initializer has another dtype.

    >>> from autodiff.chainer.initializers import One
    >>> generate_array(One(), (2,), np)
    array([1., 1.], dtype=float32)
    """
    own = getattr(initializer, "dtype", None)
    if None not in (dtype, own) and get_dtype(dtype) != get_dtype(own):
        raise ValueError(
            f"dtype mismatch: {get_dtype(dtype)} != {get_dtype(own)}{at_user_line()}; the first was asked for, the "
            "second is the initializer's: leave one of them out"
        )
    chosen = get_dtype(own if dtype is None else dtype)
    if device is None:
        return filled(initializer, xp.empty(shape, chosen))
    with using_device(get_device(device)):
        return filled(initializer, get_device(device).xp.empty(shape, chosen))


def filled(initializer: Any, array: Any) -> Any:
    """The array after the initializer has filled it."""
    initializer(array)
    return array


def _get_initializer(initializer: Any) -> Any:
    """The initializer that an argument stands for: LeCunNormal for None, Constant for a number or an array."""
    if initializer is None:
        return LeCunNormal()
    if is_array(initializer) or is_number(initializer):
        return Constant(initializer)
    _check_is_initializer_like(initializer)
    return initializer


def _check_is_initializer_like(initializer: Any) -> None:
    """Refuse what cannot initialise a parameter."""
    if not (initializer is None or is_array(initializer) or is_number(initializer) or callable(initializer)):
        raise TypeError(
            f"an initializer is an Initializer or another function that fills an array, an array, a number or None, "
            f"got {type(initializer).__name__}{at_user_line()}"
        )


def is_number(value: Any) -> bool:
    """Whether it is a number of Python or NumPy."""
    return isinstance(value, (int, float, complex, np.number, np.bool_))
