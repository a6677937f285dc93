"""NumPy's functions that put arrays together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from autodiff.numpy.arrays.shapes import atleast_1d, atleast_2d, atleast_3d, ravel, reshape, transpose
from autodiff.numpy.dispatch import as_operand, implements, write_whole
from autodiff.ops import join
from autodiff.ops.creation import copy
from autodiff.ops.elementwise import cast
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import common_dtype, spec_of


def operands(arrays: Any) -> list[Any]:
    """The arrays of a sequence, or the slices of one array."""
    return [as_operand(array) for array in arrays]


@implements(np.concatenate)
def concatenate(
    arrays: Any, /, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """The arrays one behind the other along an axis; flattened where the axis is None."""
    parts = operands(arrays)
    if axis is None:
        parts, axis = [ravel(part) for part in with_weak_numbers(parts)], 0
    if not parts:
        raise ValueError(f"need at least one array to concatenate{at_user_line()}")
    specs = [spec_of(part) for part in parts]
    ndim = specs[0].ndim
    if not ndim:
        raise ValueError(f"zero-dimensional arrays cannot be concatenated{at_user_line()}; use np.stack")
    if any(own.ndim != ndim for own in specs):
        shapes = ", ".join(str(own.shape) for own in specs)
        raise ValueError(f"concatenate needs arrays with as many axes each, got shapes {shapes}{at_user_line()}")
    result = join.joined(*converted(parts, dtype, casting), axis=normalize_axis_index(axis, ndim) - ndim)
    return result if out is None else write_whole(out, result)


def with_weak_numbers(parts: Sequence[Any]) -> Sequence[Any]:
    """The parts with Python numbers in the dtype of the others, to which they give way."""
    specs = [spec_of(part) for part in parts]
    kinds = {spec.kind for spec in specs}
    if "python" not in kinds or len(kinds) == 1:
        return parts
    dtype = common_dtype(*specs)
    return [cast(part, dtype=dtype) if spec.kind == "python" else part for part, spec in zip(parts, specs)]


def converted(parts: Sequence[Any], dtype: Any, casting: str) -> Sequence[Any]:
    """The arrays in the dtype that was asked for, if any."""
    if dtype is None:
        return parts
    for part in parts:
        if not np.can_cast(spec_of(part).dtype, dtype, casting):  # type: ignore[arg-type]
            raise TypeError(
                f"Cannot cast array data from {spec_of(part).dtype!r} to {np.dtype(dtype)!r} according to the rule "
                f"'{casting}'"
            )
    return [cast(part, dtype=np.dtype(dtype)) for part in parts]


@implements(np.stack)
def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """The arrays side by side along a new axis."""
    parts = operands(arrays)
    if not parts:
        raise ValueError(f"need at least one array to stack{at_user_line()}")
    if len({spec_of(part).shape for part in parts}) != 1:
        shapes = " ".join(str(spec_of(part).shape) for part in parts)
        raise ValueError(f"all input arrays must have the same shape, got {shapes}{at_user_line()}")
    ndim = spec_of(parts[0]).ndim + 1
    result = join.stack(*converted(parts, dtype, casting), axis=normalize_axis_index(axis, ndim) - ndim)
    return result if out is None else write_whole(out, result)


@implements(np.vstack)
def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """The arrays below each other."""
    return concatenate([atleast_2d(array) for array in _sequence(tup)], 0, dtype=dtype, casting=casting)


@implements(np.hstack)
def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """The arrays beside each other."""
    parts = [atleast_1d(array) for array in _sequence(tup)]
    axis = 0 if parts and spec_of(parts[0]).ndim == 1 else 1
    return concatenate(parts, axis, dtype=dtype, casting=casting)


@implements(np.dstack)
def dstack(tup: Any) -> Any:
    """The arrays behind each other."""
    return concatenate([atleast_3d(array) for array in _sequence(tup)], 2)


@implements(np.column_stack)
def column_stack(tup: Any) -> Any:
    """The arrays beside each other; those of one axis are columns."""
    parts = [as_operand(array) for array in _sequence(tup)]
    return concatenate([transpose(atleast_2d(part)) if spec_of(part).ndim < 2 else part for part in parts], 1)


def _sequence(arrays: Any) -> Any:
    """What was given as a sequence of arrays: a list or tuple, or the slices of one array."""
    if not hasattr(arrays, "__getitem__"):
        raise TypeError(f'arrays to stack must be passed as a "sequence" type such as list or tuple, got {arrays!r}')
    return arrays


@implements(np.append)
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """The values behind the array; both flattened where the axis is None."""
    if axis is None:
        return concatenate((ravel(arr), ravel(values)))
    return concatenate((arr, values), axis)


@implements(np.block)
def block(arrays: Any) -> Any:
    """An array of blocks: nested lists lie along the last axes, the innermost along the last one."""
    depth = _depth(arrays)
    ndim = max([depth, *(spec_of(leaf).ndim for leaf in _leaves(arrays))])
    if depth == 0:
        return copy(as_operand(arrays))
    return _joined_blocks(arrays, depth, ndim)


def _depth(arrays: Any, path: str = "arrays") -> int:
    if isinstance(arrays, tuple):
        raise TypeError(
            f"{path} is a tuple. Only lists can be used to arrange blocks, and np.block does not allow implicit "
            "conversion from tuple to ndarray."
        )
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError(f"List at {path} cannot be empty")
    depths = [_depth(part, f"{path}[{k}]") for k, part in enumerate(arrays)]
    if len(set(depths)) > 1:
        raise ValueError(f"List depths are mismatched at {path}: the elements are nested {depths} deep")
    return 1 + depths[0]


def _leaves(arrays: Any) -> list[Any]:
    return [leaf for part in arrays for leaf in _leaves(part)] if isinstance(arrays, list) else [as_operand(arrays)]


def _joined_blocks(arrays: Any, depth: int, ndim: int) -> Any:
    if depth == 0:
        block = as_operand(arrays)
        return reshape(block, (*(1,) * (ndim - spec_of(block).ndim), *spec_of(block).shape))
    return concatenate([_joined_blocks(part, depth - 1, ndim) for part in arrays], axis=-depth)
