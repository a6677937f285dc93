"""Names that NumPy had when Chainer programs were written, and has no more; numbers are shown without their types."""

from __future__ import annotations

import builtins
import math
import sys
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

BUILTINS = {name: getattr(builtins, name) for name in ("int", "float", "complex", "object", "str")}
RENAMED = {
    "alltrue": "all", "bytes0": "bytes_", "cfloat": "complex128", "clongfloat": "clongdouble", "complex_": "complex128",
    "cumproduct": "cumprod", "float_": "float64", "in1d": "isin", "Inf": "inf", "Infinity": "inf", "infty": "inf",
    "int0": "intp", "longcomplex": "clongdouble", "longfloat": "longdouble", "mat": "asmatrix", "NaN": "nan",
    "object0": "object_", "PINF": "inf", "product": "prod", "round_": "round", "row_stack": "vstack",
    "singlecomplex": "complex64", "sometrue": "any", "str0": "str_", "string_": "bytes_", "trapz": "trapezoid",
    "typeDict": "sctypeDict", "uint0": "uintp", "unicode_": "str_", "void0": "void",
}  # fmt: skip

EXCEPTIONS = (
    "AxisError", "ComplexWarning", "ModuleDeprecationWarning", "RankWarning", "TooHardError",
    "VisibleDeprecationWarning",
)  # fmt: skip
"""What is in ``np.exceptions`` today."""


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


class Cast:
    """Functions that convert to a dtype: ``np.cast["f"](1)``."""

    def __getitem__(self, kind: Any) -> Callable[[Any], Any]:
        return lambda x: np.asarray(x).astype(kind)


def restore() -> list[str]:
    """Give NumPy its former names back, in this process, and show its numbers as they were shown: ``[1.5]``.

    Returns:
        the names that were missing.
    """
    known: dict[str, Any] = {
        **BUILTINS,
        **{old: getattr(np, new) for old, new in RENAMED.items() if hasattr(np, new)},
        **{name: getattr(np.exceptions, name) for name in EXCEPTIONS if hasattr(np.exceptions, name)},
        "bool8": np.bool_,
        "cast": Cast(),
        "math": math,
        "NINF": -np.inf,
        "NZERO": -0.0,
        "PZERO": 0.0,
        "unicode": str,
        "warnings": warnings,
        "asfarray": asfarray,
        "asscalar": asscalar,
        "find_common_type": find_common_type,
        "msort": msort,
    }
    missing = [name for name in known if name not in vars(np)]
    for name in missing:
        setattr(np, name, known[name])
    restore_modules()
    np.set_printoptions(legacy="1.25")
    return missing


def restore_modules() -> None:
    """Give ``np.lib`` the functions that it had, and ``np.linalg.linalg`` and ``np.core`` to who asks for them."""
    for name, value in list(vars(np).items()):
        if name in np.__all__ and not isinstance(value, ModuleType):
            vars(np.lib).setdefault(name, value)
    vars(np.linalg).setdefault("linalg", np.linalg)
    sys.modules.setdefault("numpy.linalg.linalg", np.linalg)
    warnings.filterwarnings("ignore", r"(The )?numpy\.(core|linalg\.linalg)\b", DeprecationWarning)
