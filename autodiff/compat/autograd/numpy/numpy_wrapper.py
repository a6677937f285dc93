"""The namespace of NumPy for plain and traced values alike, and the names that autograd adds to it."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy

from autodiff.compat.autograd.rules import primitive
from autodiff.compat.autograd.tracer import getval, notrace_primitive
from autodiff.numpy import namespace
from autodiff.numpy.dispatch import FUNCTIONS

numpy_version = numpy.__version__
notrace_functions = [numpy.ndim, numpy.shape, numpy.iscomplexobj, numpy.result_type]


def counterpart(name: str) -> Any:
    """What a name of NumPy's is here: a function that takes traced values in lists too, where there is one."""
    return namespace.lookup(name)


_NAMES = sorted(
    name for name in dir(numpy) if not name.startswith("_") and not isinstance(getattr(numpy, name), ModuleType)
)
globals().update({name: counterpart(name) for name in _NAMES})


array = counterpart("array")
r_, c_ = counterpart("r_"), counterpart("c_")
r_class, c_class = type(r_), type(c_)
custom_where = counterpart("where")


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


def wrap_intdtype(cls: type) -> type:
    """A class of integers as it is: it takes plain values alone."""
    return cls


__all__ = [  # noqa: PLE0604 - NumPy's names are strings
    *_NAMES, "array_from_args", "c_class", "concatenate_args", "custom_where", "make_diagonal", "metadata",
    "notrace_functions", "notrace_primitive", "numpy_version", "primitive", "r_class", "wrap_if_boxes_inside",
    "wrap_intdtype", "wrap_namespace",
]  # fmt: skip
