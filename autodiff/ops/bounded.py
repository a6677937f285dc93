"""Python's integers in a dtype that need not hold them."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.parameters import DTYPE, require
from autodiff.trace.primitive import Primitive, elementwise
from autodiff.trace.spec import Kind, Spec


def _evaluate_bounded(x: Any, *, dtype: Any) -> Any:
    if not hasattr(x, "astype"):
        return dtype.type(x)  # which raises OverflowError
    limits = np.iinfo(dtype)
    if x.size and (x.min() < limits.min or x.max() > limits.max):
        raise OverflowError(f"Python integers from {x.min()} to {x.max()} out of bounds for {dtype.name}")
    return x.astype(dtype)


def _kind(x: Spec) -> Kind:
    return "array" if x.kind == "array" else "scalar"


def _check(x: Spec, *, dtype: np.dtype[Any]) -> None:
    require(x.dtype.kind in "iu", f"it takes integers, and not {x.dtype}")
    require(dtype.kind in "iu" and dtype.isnative, f"it gives integers, and not {dtype}")


bounded_integer: Primitive = elementwise(
    "bounded_integer",
    _evaluate_bounded,
    dtype=lambda x, *, dtype: np.dtype(dtype),
    kind=_kind,
    params={"dtype": DTYPE},
    check=_check,
    dx=None,
)
"""Integers converted to a dtype; OverflowError where it cannot hold them, which NumPy raises for Python's integers."""
