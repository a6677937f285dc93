"""Initializers without randomness: one number everywhere, or on the diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module, get_device_from_array
from autodiff.chainer.initializer import Initializer
from autodiff.facade.variables.variable import is_array
from autodiff.trace.source import at_user_line


class _Constant(Initializer):
    fill_value: Any = None

    def __init__(self, dtype: Any = None) -> None:
        super().__init__(dtype)

    def __call__(self, array: Any) -> None:
        self._check_dtype(array)
        array[...] = get_device_from_array(array).send(self.fill_value)


class Constant(_Constant):
    """Every element is ``fill_value``.

    Args:
        fill_value: a number, or an array that broadcasts to the one to be filled.
        dtype: the dtype of the arrays to be made for it.

    Raises:
        ValueError: if ``fill_value`` is neither.

    >>> array = np.empty(2)
    >>> Constant(3)(array)
    >>> array
    array([3., 3.])
    """

    def __init__(self, fill_value: Any, dtype: Any = None) -> None:
        if not (is_array(fill_value) or np.isscalar(fill_value)):
            raise ValueError(
                f"fill_value must be either a scalar or an array, got {type(fill_value).__name__}{at_user_line()}; "
                "wrap a list with np.asarray"
            )
        super().__init__(dtype)
        self.fill_value = fill_value


class Zero(_Constant):
    """Every element is 0."""

    fill_value = 0.0


class One(_Constant):
    """Every element is 1."""

    fill_value = 1.0


class NaN(_Constant):
    """Every element is NaN, so that an array that was never filled cannot go unnoticed."""

    fill_value = np.nan


class Identity(Initializer):
    """``scale`` times the identity matrix.

    Args:
        scale: the number on the diagonal.
        dtype: the dtype of the arrays to be made for it.

    Raises:
        ValueError: when called with anything but a square matrix.

    >>> array = np.empty((2, 2))
    >>> Identity(3)(array)
    >>> array
    array([[3., 0.],
           [0., 3.]])
    """

    def __init__(self, scale: Any = 1.0, dtype: Any = None) -> None:
        super().__init__(dtype)
        self.scale = scale

    def __call__(self, array: Any) -> None:
        self._check_dtype(array)
        shape = array.shape
        if len(shape) != 2 or shape[0] != shape[1]:
            raise ValueError(
                f"Identity matrix initialization can only be used for 2D squared matrices, got shape {shape}"
                f"{at_user_line()}"
            )
        array[...] = self.scale * get_array_module(array).eye(shape[0])
