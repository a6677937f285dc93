"""What is known of a value before it is computed: its shape, its dtype, and whether it is an array or a number."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import zip_longest
from math import prod
from typing import Any, Literal

import numpy as np

from autodiff.trace.failures.classes import LeafError
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.trace.values.foreign import is_array_type, objects_refusal, refusal

Kind = Literal["array", "scalar", "python"]

BFLOAT16 = "bfloat16"
"""The name of a dtype that NumPy does not have; arrays of CuPy have it from ml_dtypes."""

LARGEST = 2**63 - 1
"""The largest length, and the most bytes, that an array can have."""

MOST_AXES = 64
"""NumPy's arrays have no more axes."""


class Spec:
    """Shape, dtype and kind of a value.

    Args:
        shape: the lengths of the axes.
        dtype: a NumPy dtype.
        kind: ``"array"`` for arrays, ``"scalar"`` for NumPy scalars, ``"python"`` for Python numbers, whose
            dtype is weak: it gives way to the dtype of any array they meet.

    Specs made by :func:`spec` and :func:`spec_of` are interned: equal specs are usually the same object.

    >>> spec((2, 3), np.float32)
    float32[2,3]
    """

    __slots__ = ("dtype", "kind", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], kind: Kind = "array") -> None:
        self.shape = shape
        self.dtype = dtype
        self.kind = kind

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        size = 1
        for length in self.shape:
            size *= length
        return size

    @property
    def inexact(self) -> bool:
        """Whether the values are real or complex floating-point numbers: only these have derivatives."""
        kind = self.dtype.kind
        return kind in "fc" or (kind == "V" and self.dtype.name == BFLOAT16)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not Spec:
            return NotImplemented
        return (self.shape, self.dtype, self.kind) == (other.shape, other.dtype, other.kind)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.kind))

    def __repr__(self) -> str:
        if self.kind == "python":
            return type(self.dtype.type(0).item()).__name__
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return spec, (self.shape, self.dtype, self.kind)


class ChunkedSpec(Spec):
    """The spec of an array in chunks, equal to that of any other array of its shape and dtype.

    Attributes:
        chunks: for each axis the lengths of the chunks.
    """

    __slots__ = ("chunks",)

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], chunks: tuple[tuple[int, ...], ...]) -> None:
        super().__init__(shape, dtype)
        self.chunks = chunks

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spec):
            return NotImplemented
        return (self.shape, self.dtype, self.kind) == (other.shape, other.dtype, other.kind)

    def __hash__(self) -> int:
        return super().__hash__()


_ARRAYS: dict[tuple[tuple[int, ...], np.dtype[Any]], Spec] = {}
_SCALARS: dict[tuple[np.dtype[Any], Kind], Spec] = {}
_PYTHON: dict[type, Spec] = {
    kind: Spec((), np.dtype(name), "python")
    for kind, name in ((bool, "bool"), (int, "int64"), (float, "float64"), (complex, "complex128"))
}
WRITTEN_OUT = "<" if sys.byteorder == "little" else ">"
"""This machine's byte order as ``newbyteorder`` says it: the dtype equals the usual one, but kernels look for that."""
_MANY = 65536  # programs whose shapes never repeat must not grow the table without end


def spec(shape: tuple[int, ...], dtype: Any, kind: Kind = "array") -> Spec:
    """The interned spec of the given shape, dtype and kind."""
    dtype = np.dtype(dtype)
    if kind == "array":
        return _array_spec(tuple(shape), dtype)
    dtype = native(dtype)
    if kind == "python":
        return _PYTHON[dtype.type(0).item().__class__]
    found = _SCALARS.get((dtype, kind))
    if found is None:
        found = _SCALARS[dtype, kind] = Spec((), dtype, kind)
    return found


def _array_spec(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Spec:
    key = (shape, dtype)
    found = _ARRAYS.get(key)
    if found is None:
        if dtype.hasobject:
            raise LeafError(objects_refusal())
        if len(_ARRAYS) >= _MANY:
            _ARRAYS.clear()
        if dtype.byteorder == WRITTEN_OUT:  # what is known of the shape from here on must not depend on who came first
            dtype = dtype.newbyteorder("=")
        found = _ARRAYS[key] = Spec(shape, dtype)
    return found


def native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in this machine's byte order, in which NumPy computes; arrays that are only moved keep their own."""
    return dtype if dtype.isnative else dtype.newbyteorder("=")


TRACERS: set[type] = set()
"""Traced values, which have the spec of their primals: they enter themselves, since they are built on specs."""


def spec_of(value: Any) -> Spec:
    """The spec of an array, a NumPy scalar, a Python number, a traced value, or a spec (which is its own).

    Raises:
        LeafError: if it is something else, or an array of Python objects.
    """
    kind = type(value)
    if kind is np.ndarray:
        return _ARRAYS.get((value.shape, value.dtype)) or _array_spec(value.shape, value.dtype)
    if kind in TRACERS:
        return spec_of(value.primal)
    found = _PYTHON.get(kind)
    if found is not None:
        return found
    if kind is Spec:
        return value  # type: ignore[no-any-return]
    if isinstance(value, np.generic):
        return _SCALARS.get((value.dtype, "scalar")) or spec((), value.dtype, "scalar")
    own = getattr(value, "spec", None) if hasattr(kind, "spec") else None  # others pass on what they hold
    if type(own) is Spec:
        return own
    if is_array_type(kind) or isinstance(value, Traced):
        return _array_spec(value.shape, value.dtype)
    if isinstance(value, Spec):
        return value
    return _chunked_spec(value) if is_chunked(value) else _number_spec(value)


def is_chunked(value: Any) -> bool:
    """Whether it is an array in chunks, Dask's, not traced."""
    module = sys.modules.get("dask.array")
    return module is not None and isinstance(value, module.Array)


def _chunked_spec(value: Any) -> Spec:
    """The spec of an array in chunks.

    Raises:
        LeafError: if its lengths are known only when it has been computed, or its elements are Python objects.
    """
    if value.dtype.hasobject:
        raise LeafError(objects_refusal())
    if any(length != length for length in value.shape):
        raise LeafError(
            f"an array of Dask whose lengths are not known, {value.shape}, came in where arrays and numbers are "
            f"traced{at_user_line()}; find them first, x.compute_chunk_sizes()"
        )
    return ChunkedSpec(value.shape, value.dtype, value.chunks)


def _number_spec(value: Any) -> Spec:
    """The spec of a Python number of a class of its own, such as ``IntEnum``."""
    for base, found in _PYTHON.items():
        if isinstance(value, base):
            return found
    raise LeafError(refusal(value))


def result_spec(shape: tuple[int, ...], dtype: Any) -> Spec:
    """The spec of what NumPy's functions return: an array, or a scalar where no axis is left."""
    return spec(shape, dtype, "array" if shape else "scalar")


def dtype_or_python(value: Spec) -> Any:
    """What :meth:`numpy.ufunc.resolve_dtypes` wants to see, so that Python numbers stay weak."""
    if value.kind != "python":
        return value.dtype
    return {"b": value.dtype, "i": int, "f": float, "c": complex}[value.dtype.kind]


def weakened(specs: Sequence[Spec]) -> Sequence[Spec]:
    """Operands of which Python's numbers are bfloat16 beside such arrays: NumPy does not know that it is a float."""
    short = next((s.dtype for s in specs if s.dtype.kind == "V" and s.inexact), None)
    if short is None:
        return specs
    return [Spec((), short, "scalar") if s.kind == "python" and s.dtype.kind in "bif" else s for s in specs]


def common_dtype(*specs: Spec) -> np.dtype[Any]:
    """The dtype that NumPy promotes to; Python numbers are weak."""
    if all(s.kind == "python" for s in specs):
        return np.result_type(*(s.dtype for s in specs))
    specs = tuple(weakened(specs))
    return np.result_type(*(s.dtype.type(0).item() if s.kind == "python" else s.dtype for s in specs))


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that shapes broadcast to: NumPy's own function where it can, which knows 32 axes, not 64.

    Raises:
        ValueError: if they do not broadcast.
    """
    if all(len(shape) <= 32 for shape in shapes):
        return np.broadcast_shapes(*shapes)
    found: list[int] = []
    for lengths in zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1):
        (length, *others) = {n for n in lengths if n != 1} or {1}
        if others:
            raise ValueError(f"shape mismatch: {', '.join(map(str, shapes))} do not broadcast")
        found.append(length)
    return tuple(found[::-1])


def is_number(dtype: np.dtype[Any]) -> bool:
    """Whether elements of a dtype are booleans or numbers: nothing that points to something else."""
    return dtype.kind in "biufc" or (dtype.kind == "V" and dtype.name == BFLOAT16)


def sound_shape(shape: Any, itemsize: int = 1) -> bool:
    """Whether it is the shape of an array that could be, of elements of so many bytes."""
    if type(shape) is not tuple or len(shape) > MOST_AXES:
        return False
    if not all(type(length) is int and 0 <= length <= LARGEST for length in shape):
        return False
    return prod(length or 1 for length in shape) * itemsize <= LARGEST


def sound_spec(found: Spec) -> bool:
    """Whether there are values of a spec: not necessarily numbers, but none that point to something else."""
    if found.dtype.hasobject or not sound_shape(found.shape, found.dtype.itemsize):
        return False
    if found.kind == "array":
        return True
    return found.shape == () and (found.kind == "scalar" or (found.kind == "python" and found in _PYTHON.values()))
