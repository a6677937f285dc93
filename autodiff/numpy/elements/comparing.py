"""Whether numbers are close, equal, infinite, or among others. None of these has a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, constant, implements
from autodiff.numpy.elements.elementwise import finished
from autodiff.ops import elementwise as ew
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

constant(np.allclose, np.array_equal, np.array_equiv)


@implements(np.isin)
def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None
) -> Any:
    """Whether each element is one of others: looked up in these, sorted."""
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: {kind!r}{at_user_line()}. Please use None, 'sort' or 'table'.")
    element, others = as_operand(element), FUNCTIONS[np.ravel](as_operand(test_elements))
    count = spec_of(others).size
    if not count:
        return np.full(spec_of(element).shape, invert)
    others = FUNCTIONS[np.sort](others)
    place = ew.minimum(FUNCTIONS[np.searchsorted](others, element), count - 1)
    found = ew.equal(FUNCTIONS[np.take](others, place), element)
    return ew.logical_not(found) if invert else found


@implements(np.isclose)
def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    """Whether abs(a - b) <= atol + rtol * abs(b), or both are the same infinity."""
    a, b, rtol, atol = map(as_operand, (a, b, rtol, atol))
    if isinstance(b, int):
        b = float(b)
    b = b if spec_of(b).inexact else ew.multiply(b, 1.0)  # the least integer has no absolute value
    size = abs(b) if isinstance(b, (float, complex)) else ew.absolute(b)  # a number of Python's gives way to a's dtype
    bound = atol + rtol * size if isinstance(size, float) else ew.add(atol, ew.multiply(rtol, size))
    near = ew.less_equal(ew.absolute(ew.subtract(a, b)), bound)
    close = ew.logical_or(ew.logical_and(near, ew.isfinite(b)), ew.equal(a, b))
    if not equal_nan:
        return close
    return ew.logical_or(close, ew.logical_and(ew.isnan(a), ew.isnan(b)))


@implements(np.isposinf)
def isposinf(x: Any, out: Any = None) -> Any:
    """Whether a number is positive infinity."""
    x = as_operand(x)
    return finished(ew.logical_and(ew.isinf(x), ew.logical_not(ew.signbit(x))), out)


@implements(np.isneginf)
def isneginf(x: Any, out: Any = None) -> Any:
    """Whether a number is negative infinity."""
    x = as_operand(x)
    return finished(ew.logical_and(ew.isinf(x), ew.signbit(x)), out)
