"""Elements by their distances in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.functions.beside import beside
from autodiff.chainer.functions.function_class import function_class, shape_of_result
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable
from autodiff.trace.memory.recycling import owns_memory
from autodiff.trace.source import at_user_line


def as_strided(x: Any, shape: Sequence[int], strides: Sequence[int], storage_offset: int | None = None) -> Variable:
    """A new array whose elements lie in the memory of another one, at given distances.

    Args:
        x: any array.
        shape: the shape of the result.
        strides: for each of its axes the distance of neighbours in memory, in elements.
        storage_offset: the position in memory of the first element; that of the first one of ``x`` if None.

    Returns:
        the elements. Where one is there repeatedly its gradients are summed.

    Raises:
        ValueError: if a position is outside of ``x``, or there are not as many distances as axes.

    >>> as_strided(np.array([1.0, 2.0, 3.0]), (2, 2), (1, 1))
    variable([[1., 2.],
              [2., 3.]])
    """
    if len(shape) != len(strides):
        raise ValueError(f"strides, if given, must be the same length as shape{at_user_line()}")
    own, begin = memory_of(as_array(x))
    offset = begin if storage_offset is None else storage_offset
    wanted = offset + positions(shape, strides)
    table = np.full(max(int(np.max(own, initial=-1)), int(np.max(wanted, initial=-1))) + 1, -1)
    table[own] = np.arange(own.size).reshape(own.shape)
    places = table[wanted]
    if np.min(wanted, initial=0) < 0 or np.min(places, initial=0) < 0:
        raise ValueError(f"Out of buffer: too large index was specified{at_user_line()}")
    places = beside(x, places)
    return apply("AsStrided", lambda x: np.reshape(x, -1)[places], (x,))


def positions(shape: Sequence[int], strides: Sequence[int]) -> Any:
    """For each element of an array its distance from the first one."""
    grid = np.indices(tuple(shape))
    return np.tensordot(np.array(strides, int), grid, 1) if len(shape) else np.asarray(0)


def memory_of(array: Any) -> tuple[Any, int]:
    """Where the elements of an array lie in memory, and where the first one does."""
    if not hasattr(array, "strides"):
        return np.arange(array.size).reshape(array.shape), 0
    steps = [stride // array.dtype.itemsize for stride in array.strides]
    begin = 0
    if isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray) and not owns_memory(array):
        begin = (array.ctypes.data - array.base.ctypes.data) // array.dtype.itemsize
    return begin + positions(array.shape, steps), begin


AsStrided = function_class(
    "AsStrided", as_strided, "shape, strides, storage_offset=None", computed={"shape": shape_of_result}
)
