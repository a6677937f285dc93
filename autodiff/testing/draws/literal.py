"""Arguments as Python source that makes them again: values, dtype and memory layout."""

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

LONG = 32
"""Arrays of more equally spaced numbers are written as such."""


def literal(tree: Any) -> str:
    """Python source of a tree of arrays and scalars; evaluating it needs NumPy as np, and `imports_of` the tree.

    >>> literal((np.arange(3, dtype="float32")[::-1], 2.0))
    "(np.array([0.0, 1.0, 2.0], dtype='float32')[::-1], 2.0)"
    """
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key!r}: {literal(part)}" for key, part in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(literal(part) for part in tree) + "]"
    if dataclasses.is_dataclass(tree) or hasattr(tree, "_fields"):
        parts = zip(field_names(tree), children(tree), strict=True)
        return f"{type(tree).__name__}({', '.join(f'{name}={literal(part)}' for name, part in parts)})"
    if isinstance(tree, tuple):
        inside = ", ".join(literal(part) for part in tree)
        return f"({inside},)" if len(tree) == 1 else f"({inside})"
    if isinstance(tree, np.ndarray):
        return _array(tree)
    if isinstance(tree, np.generic):
        return f"np.{tree.dtype.name}({_number(_short(tree).item())})"
    return _number(tree)


def imports_of(tree: Any) -> list[str]:
    """The lines that import the classes of a tree: dataclasses and named tuples."""
    if isinstance(tree, dict):
        return unique(line for part in tree.values() for line in imports_of(part))
    if dataclasses.is_dataclass(tree) or isinstance(tree, tuple | list):
        own = [f"from {type(tree).__module__} import {type(tree).__name__}"] if field_names(tree) else []
        return unique([*own, *(line for part in children(tree) for line in imports_of(part))])
    return []


def field_names(tree: Any) -> tuple[str, ...]:
    """The names of the fields of a dataclass or a named tuple; none of other trees."""
    if dataclasses.is_dataclass(tree):
        return tuple(field.name for field in dataclasses.fields(tree))
    return tuple(getattr(tree, "_fields", ()))


def children(tree: Any) -> list[Any]:
    """What a list, a tuple or a dataclass holds."""
    return [getattr(tree, name) for name in field_names(tree)] if field_names(tree) else list(tree)


def unique(lines: Iterable[str]) -> list[str]:
    """Each line once."""
    return list(dict.fromkeys(lines))


def _array(array: Array) -> str:
    if array.size and any(stride == 0 and side > 1 for stride, side in zip(array.strides, array.shape, strict=True)):
        once = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides)
        return f"np.broadcast_to({_array(np.array(array[once]))}, {array.shape})"
    if not array.flags.writeable:
        return f"np.broadcast_to({_array(_writeable(array))}, {array.shape})"
    if array.size and any(stride < 0 for stride in array.strides):
        back = tuple(slice(None, None, -1 if stride < 0 else 1) for stride in array.strides)
        return f"{_array(array[back])}[{', '.join('::-1' if stride < 0 else ':' for stride in array.strides)}]"
    if array.flags.c_contiguous:
        return _plain(array)
    if array.flags.f_contiguous:
        return f"np.asfortranarray({_plain(array)})"
    if array.ndim > 1 and array.swapaxes(-1, -2).flags.c_contiguous:
        return f"{_plain(array.swapaxes(-1, -2))}.swapaxes(-1, -2)"
    return f"np.repeat({_plain(array)}, 2, axis=-1)[..., ::2]"


def _writeable(array: Array) -> Array:
    return np.array(array, order="K", copy=True)


def _plain(array: Array) -> str:
    if array.ndim == 1 and array.size > LONG and array.dtype.kind == "f":
        ends = f"{_number(array[0].item())}, {_number(array[-1].item())}"
        if np.array_equal(np.linspace(array[0].item(), array[-1].item(), array.size, dtype=array.dtype), array):
            return f"np.linspace({ends}, {array.size}, dtype={array.dtype.name!r})"
    values = _nested(_short(array).tolist())
    dtype = f"dtype={array.dtype.name!r}"
    return f"np.zeros({array.shape}, {dtype})" if array.size == 0 else f"np.array({values}, {dtype})"


def _short(array: Any) -> Array:
    """Single precision as the shortest doubles that round to it: 0.1, not 0.10000000149011612."""
    if array.dtype == np.complex64:
        return np.stack([_short(array.real), _short(array.imag)], -1).view(np.complex128)[..., 0]
    return np.asarray(array.astype(str).astype(np.float64)) if array.dtype == np.float32 else np.asarray(array)


def _nested(values: Any) -> str:
    return "[" + ", ".join(map(_nested, values)) + "]" if isinstance(values, list) else _number(values)


def _number(value: Any) -> str:
    if isinstance(value, complex) and not (np.isfinite(value.real) and np.isfinite(value.imag)):
        return f"complex({_number(value.real)}, {_number(value.imag)})"
    if isinstance(value, float) and not np.isfinite(value):
        return "np.nan" if value != value else ("np.inf" if value > 0 else "-np.inf")
    return repr(value)
