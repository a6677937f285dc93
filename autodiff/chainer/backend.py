"""Devices, and what works on arrays wherever they are."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from autodiff.backends import gpu
from autodiff.facade.settings.devices import (
    CPU,
    ChainerxDevice,
    CpuDevice,
    Device,
    GpuDevice,
    Intel64Device,
    device_of,
    get_device,
    mapped,
    no_chainerx,
)
from autodiff.facade.variables.variable import is_array
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import concrete

__all__ = [
    "ChainerxDevice",
    "CpuDevice",
    "Device",
    "GpuDevice",
    "Intel64Device",
    "copyto",
    "from_chx",
    "get_array_module",
    "get_device",
    "get_device_from_array",
    "to_chx",
    "using_device",
]


def get_array_module(*args: Any) -> Any:
    """The module of arrays and Variables: CuPy if one of them is on a GPU, otherwise NumPy.

    >>> from autodiff import Variable
    >>> get_array_module(np.ones(2), Variable(np.ones(2))).__name__
    'numpy'
    """
    return gpu.array_module(*map(plain, args)) or np


def get_device_from_array(*arrays: Any) -> Device:
    """The device of the first array or Variable that is on a GPU, otherwise the CPU.

    >>> get_device_from_array(np.ones(2))
    <CpuDevice (numpy)>
    """
    return next((device_of(array) for array in map(plain, arrays) if gpu.is_gpu_array(array)), CPU)


def plain(value: Any) -> Any:
    """The array behind a Variable or a traced value, or its spec where only that is known; anything else as it is."""
    return concrete(value) if isinstance(value, Traced) else value


def using_device(device_spec: Any) -> AbstractContextManager[Any]:
    """A context in which a device is the current one.

    Args:
        device_spec: as for :func:`get_device`.

    >>> with using_device("@numpy"):
    ...     array = np.ones(2)
    """
    return get_device(device_spec).create_context()


def copyto(dst: Any, src: Any) -> None:
    """Copy the elements of an array into another one, which may be on another device.

    Args:
        dst: the array that is changed; it keeps its dtype.
        src: an array of a shape that broadcasts to that of ``dst``, or a number.

    Raises:
        TypeError: if one of them is no array, or ``dst`` would lose the kind of number.

    >>> array = np.zeros((2, 2), np.float32)
    >>> copyto(array, np.array([1.0, 2.0]))
    >>> array
    array([[1., 2.],
           [1., 2.]], dtype=float32)
    """
    if not is_array(dst):
        raise TypeError(f"copyto writes into an array, got {type(dst).__name__}{at_user_line()}; pass its .array")
    device = device_of(dst)
    device.xp.copyto(dst, device.send(src))


def to_chx(array: Any) -> Any:
    """None for None; Chainer's way to ChainerX, which no longer exists.

    Raises:
        RuntimeError: for any array.
    """
    if array is not None:
        raise no_chainerx()


def from_chx(array: Any) -> Any:
    """The same arrays: none is of ChainerX.

    Args:
        array: an array, None, or lists and tuples of them.
    """
    return mapped(checked_array, array)


def checked_array(array: Any) -> Any:
    """What is an array, as it is."""
    if not is_array(array):
        raise TypeError(f"from_chx takes arrays, got {type(array).__name__}{at_user_line()}")
    return array
