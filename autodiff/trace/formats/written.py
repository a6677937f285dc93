"""Numbers and parameters as Python source that evaluates to the very same value."""

from __future__ import annotations

import keyword
import math
from typing import Any

import numpy as np

from autodiff.trace.tape import TapeError


def name_source(name: str) -> str:
    """A name as it stands in a program.

    Raises:
        TapeError: if it is none: what is printed is run later, and must not be more than a name.
    """
    if not (type(name) is str and name.isidentifier()) or keyword.iskeyword(name):
        raise TapeError(f"{name!r} is no name, and cannot stand in a program")
    return name


def lengths_source(lengths: Any) -> str:
    """A tuple of integers.

    Raises:
        TapeError: if it is something else.
    """
    if type(lengths) is not tuple or not all(type(length) is int for length in lengths):
        raise TapeError(f"{lengths!r} is no tuple of integers")
    return repr(lengths)


def number_source(value: Any) -> str:
    """A literal: a Python number, or a NumPy scalar with its type."""
    kind = type(value)
    if kind is float:
        return float_source(value)
    if kind is complex:
        return f"complex({float_source(value.real)}, {float_source(value.imag)})"
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return repr(value) if kind is np.longdouble else f"np.{kind.__name__}({number_source(value.item())})"
    if value is not None and kind not in (bool, int, str):
        raise TapeError(f"a {kind.__name__} cannot be written as source")
    return repr(value)


def float_source(value: float) -> str:
    """A float, also where it is not finite."""
    if math.isfinite(value):
        return repr(value)
    return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"


def value_source(value: Any) -> str | None:
    """A parameter; None where it cannot be written down."""
    if value is None or type(value) in (bool, int, float, complex, str) or isinstance(value, np.generic):
        return number_source(value)
    if value is Ellipsis:
        return "..."
    if isinstance(value, np.dtype):
        return f'np.dtype("{value.name if np.dtype(value.name) == value else value.str}")'
    return None


def slice_source(part: Any) -> str:
    """One part of a basic key: an integer, a triple for a slice, None, or an Ellipsis."""
    if not isinstance(part, tuple):
        return "..." if part is Ellipsis else bound_source(part) or "None"
    start, stop, step = map(bound_source, part)
    return f"{start}:{stop}" + (f":{step}" if step else "")


def bound_source(bound: Any) -> str:
    """An integer; nothing for None.

    Raises:
        TapeError: if it is something else.
    """
    if bound is None:
        return ""
    if type(bound) is not int:
        raise TapeError(f"{bound!r} is no integer")
    return repr(bound)
