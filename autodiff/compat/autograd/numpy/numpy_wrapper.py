"""The namespace of NumPy for plain and traced values alike, and the names that autograd adds to it."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from functools import wraps
from types import ModuleType
from typing import Any

import numpy

from autodiff.compat.autograd.boxes import getval, notrace_primitive
from autodiff.compat.autograd.rules import primitive
from autodiff.numpy import namespace
from autodiff.numpy.dispatch import FUNCTIONS, contains_traced
from autodiff.trace.trees.tree import flatten

numpy_version = numpy.__version__
JOINING = {numpy.concatenate, numpy.stack, numpy.vstack, numpy.hstack, numpy.dstack, numpy.column_stack}
"""They take iterators too, as autograd's do."""
notrace_functions = [numpy.ndim, numpy.shape, numpy.iscomplexobj, numpy.result_type]


def wrap_intdtype(cls: type) -> type:
    """A class of integers that takes traced values too: integers have no derivative.

    Only calls differ. What they return is of NumPy's class, which also counts as an instance of this one.
    """
    return IntegerType(cls.__name__, (cls,), {"__doc__": cls.__doc__, "__module__": cls.__module__})


class IntegerType(type):
    """The class of such classes."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return notrace_primitive(cls.__base__)(*args, **kwargs)  # type: ignore[arg-type]

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__base__)  # type: ignore[arg-type]

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.__base__)  # type: ignore[arg-type]

    def __eq__(cls, other: object) -> bool:
        return cls is other or cls.__base__ is other

    def __hash__(cls) -> int:
        return hash(cls.__base__)


def counterpart(original: Any) -> Any:
    """What an object of NumPy's is here: functions take traced values in lists too; new arrays are plain ones."""
    if isinstance(original, type) and issubclass(original, numpy.integer):
        return wrap_intdtype(original)
    if isinstance(original, type | numpy.ufunc) or not callable(original) or original not in FUNCTIONS:
        return original

    @wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if original in JOINING and args and isinstance(args[0], Iterator):
            args = (list(args[0]), *args[1:])
        known = FUNCTIONS[original] if contains_traced((*args, *kwargs.values())) else original
        return known(*args, **kwargs)

    return function


_NAMES = sorted(
    name for name in dir(numpy) if not name.startswith("_") and not isinstance(getattr(numpy, name), ModuleType)
)
globals().update({name: counterpart(getattr(numpy, name)) for name in _NAMES})


def array(A: Any, *args: Any, **kwargs: Any) -> Any:
    """An array of numbers, arrays, and nested lists of them; traced values stay traced.

    Those that ``dtype=object`` is asked for have the dtype of their numbers.
    """
    if not contains_traced((A,)):
        return numpy.array(A, *args, **kwargs)
    ndmin = kwargs.get("ndmin", 0)
    dtype = args[0] if args else kwargs.get("dtype")
    made = namespace.array(A, dtype=None if dtype is object else dtype)
    return numpy.reshape(made, (*(1,) * (ndmin - numpy.ndim(made)), *numpy.shape(made))) if ndmin else made


def asarray(a: Any, *args: Any, **kwargs: Any) -> Any:
    """The same; arrays as they are."""
    return array(a, *args, **kwargs) if contains_traced((a,)) else numpy.asarray(a, *args, **kwargs)


def full(shape: Any, fill_value: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
    """An array filled with a value."""
    if not contains_traced((fill_value,)):
        return numpy.full(shape, fill_value, dtype, *args, **kwargs)
    made = array(fill_value, dtype=dtype) if dtype is not None else array(fill_value)
    return numpy.copy(numpy.broadcast_to(made, shape))


def where(condition: Any, *args: Any, **kwargs: Any) -> Any:
    """numpy.where, which gives numbers of Python's for such numbers, and lists for lists."""
    chosen = [*args, *(kwargs[name] for name in ("x", "y") if name in kwargs)]
    found = counterpart(numpy.where)(condition, *chosen)
    has_arrays = contains_traced(chosen) or builtins.any(
        isinstance(leaf, numpy.ndarray | numpy.generic) for leaf in flatten([condition, *chosen])[0]
    )
    return found if has_arrays or not chosen else found.tolist()


custom_where = where


def array_from_args(array_args: Sequence[Any], array_kwargs: dict[str, Any], *args: Any) -> Any:
    """An array of values."""
    return array(list(args), *array_args, **array_kwargs)


def concatenate_args(axis: int, *args: Any) -> Any:
    """Arrays one behind the other."""
    return numpy.concatenate([array(part) for part in args], axis)


def make_diagonal(D: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Matrices of zeros with these diagonals, in the last two axes.

    Raises:
        NotImplementedError: for other axes, or other diagonals than the main one.
    """
    if (offset, axis1, axis2) != (0, -1, -2):
        raise NotImplementedError(
            "make_diagonal makes main diagonals in the last two axes: offset=0, axis1=-1, axis2=-2"
        )
    return D[..., None] * numpy.eye(numpy.shape(D)[-1])


def metadata(A: Any) -> tuple[Any, ...]:
    """Shape, number of axes, dtype, and whether a value is complex."""
    plain = getval(A)
    return numpy.shape(plain), numpy.ndim(plain), numpy.result_type(plain), numpy.iscomplexobj(plain)


def wrap_namespace(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Enter the names of a module in another: functions that refuse traced values until they are given rules."""
    for name, obj in old.items():
        if isinstance(obj, type) or not callable(obj):
            if type(obj) in (float, int, type(None), type):
                new[name] = obj
        else:
            new[name] = obj if obj in FUNCTIONS or isinstance(obj, numpy.ufunc) else primitive(obj)


def wrap_if_boxes_inside(raw_array: Any, slow_op_name: str | None = None) -> Any:
    """An array of objects as one of numbers."""
    return array(raw_array.tolist()) if raw_array.dtype == object else raw_array


class Joined:
    """``r_`` and ``c_``: brackets that put arrays, numbers and slices together.

    Args:
        original: NumPy's own.
        columns: whether vectors are columns.
    """

    def __init__(self, original: Any, columns: bool) -> None:
        self.original = original
        self.columns = columns

    def __getitem__(self, args: Any) -> Any:
        parts = args if isinstance(args, tuple) else (args,)
        if not contains_traced(parts):
            return self.original[args]
        arrays = [numpy.r_[part] if isinstance(part, slice) else numpy.atleast_1d(array(part)) for part in parts]
        if self.columns:
            arrays = [part[:, None] if numpy.ndim(part) == 1 else part for part in arrays]
        return numpy.concatenate(arrays, axis=-1 if self.columns else 0)


r_ = Joined(numpy.r_, columns=False)
c_ = Joined(numpy.c_, columns=True)
r_class = c_class = Joined

__all__ = [  # noqa: PLE0604 - NumPy's names are strings
    *_NAMES, "array_from_args", "c_class", "concatenate_args", "custom_where", "make_diagonal", "metadata",
    "notrace_functions", "notrace_primitive", "numpy_version", "primitive", "r_class", "wrap_if_boxes_inside",
    "wrap_intdtype", "wrap_namespace",
]  # fmt: skip
