"""Numbers and parameters as Python source that evaluates to the very same value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def number_source(value: Any) -> str:
    """A literal: a Python number, or a NumPy scalar with its type."""
    kind = type(value)
    if kind is float:
        return float_source(value)
    if kind is complex:
        return f"complex({float_source(value.real)}, {float_source(value.imag)})"
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return repr(value) if kind is np.longdouble else f"np.{kind.__name__}({number_source(value.item())})"
    return repr(value)


def float_source(value: float) -> str:
    """A float, also where it is not finite."""
    if math.isfinite(value):
        return repr(value)
    return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"


def value_source(value: Any) -> str | None:
    """A parameter; None where it cannot be written down."""
    if value is None or isinstance(value, (bool, int, float, complex, str, np.generic)):
        return number_source(value)
    if value is Ellipsis:
        return "..."
    if isinstance(value, np.dtype):
        return f'np.dtype("{value.name if np.dtype(value.name) == value else value.str}")'
    return None


def slice_source(part: Any) -> str:
    """One part of a basic key: an integer, a triple for a slice, None, or an Ellipsis."""
    if not isinstance(part, tuple):
        return "..." if part is Ellipsis else repr(part)
    start, stop, step = ("" if bound is None else repr(bound) for bound in part)
    return f"{start}:{stop}" + (f":{step}" if step else "")
