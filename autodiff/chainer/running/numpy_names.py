"""Names that NumPy had when Chainer programs were written, and has no more; numbers are shown without their types."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

BUILTINS = {name: getattr(builtins, name) for name in ("int", "float", "complex", "object", "str")}
RENAMED = {
    "alltrue": "all", "cfloat": "complex128", "clongfloat": "clongdouble", "complex_": "complex128",
    "cumproduct": "cumprod", "float_": "float64", "in1d": "isin", "Inf": "inf", "Infinity": "inf", "infty": "inf",
    "longcomplex": "clongdouble", "longfloat": "longdouble", "mat": "asmatrix", "NaN": "nan", "PINF": "inf",
    "product": "prod", "round_": "round", "row_stack": "vstack", "singlecomplex": "complex64", "sometrue": "any",
    "string_": "bytes_", "trapz": "trapezoid", "unicode_": "str_",
}  # fmt: skip

STACKING = ("column_stack", "dstack", "hstack", "stack", "vstack")
"""What took arrays from an iterator."""


def asfarray(a: Any, dtype: Any = np.float64) -> Any:
    """An array of floating-point numbers."""
    dtype = np.dtype(dtype)
    return np.asarray(a, dtype=dtype if dtype.kind in "fc" else np.float64)


def asscalar(a: Any) -> Any:
    """The one number in an array."""
    return np.asarray(a).item()


def msort(a: Any) -> Any:
    """A copy sorted along the first axis."""
    return np.sort(a, axis=0)


def find_common_type(array_types: Any, scalar_types: Any) -> Any:
    """The dtype that arrays and numbers of these types have together."""
    arrays = [np.dtype(kind) for kind in array_types]
    scalars = [np.dtype(kind) for kind in scalar_types]
    if not arrays or not scalars:
        return np.result_type(*arrays, *scalars)
    of_arrays, of_scalars = np.result_type(*arrays), np.result_type(*scalars)
    kinds = "biufc"
    return of_scalars if kinds.index(of_scalars.kind) > kinds.index(of_arrays.kind) else of_arrays


def of_iterators(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a sequence of arrays that takes what can only be iterated over, too."""

    @functools.wraps(function)
    def run(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        return function(list(arrays) if isinstance(arrays, Iterator) else arrays, *args, **kwargs)

    return run


def restore() -> list[str]:
    """Give NumPy its former names back, in this process, and show its numbers as they were shown: ``[1.5]``.

    Returns:
        the names that were missing.
    """
    known: dict[str, Any] = {
        **BUILTINS,
        **{old: getattr(np, new) for old, new in RENAMED.items() if hasattr(np, new)},
        "bool8": np.bool_,
        "NINF": -np.inf,
        "NZERO": -0.0,
        "PZERO": 0.0,
        "unicode": str,
        "asfarray": asfarray,
        "asscalar": asscalar,
        "find_common_type": find_common_type,
        "msort": msort,
    }
    missing = [name for name in known if name not in vars(np)]
    for name in missing:
        setattr(np, name, known[name])
    if missing:
        for name in STACKING:
            setattr(np, name, of_iterators(getattr(np, name)))
    np.set_printoptions(legacy="1.25")
    return missing
