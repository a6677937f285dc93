"""Rounding, remainders, and numbers taken apart."""

from __future__ import annotations

from math import pi
from operator import index
from typing import Any

import numpy as np

from autodiff.numpy.axes import negative_axis
from autodiff.numpy.dispatch import as_operand, implements
from autodiff.numpy.elements.elementwise import finished
from autodiff.ops import elementwise as ew
from autodiff.ops import phase, rounding
from autodiff.trace.spec import spec_of


@implements(np.round, np.around)
def round(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """Rounded to so many decimals, halves to the even neighbour. The derivative is zero."""
    return finished(rounding.round_decimals(as_operand(a), decimals=index(decimals)), out)


@implements(np.fix)
def fix(x: Any, out: Any = None) -> Any:
    """Rounded towards zero. The derivative is zero."""
    return finished(ew.trunc(as_operand(x)), out)


@implements(np.modf)
def modf(x: Any) -> tuple[Any, Any]:
    """Fractional and integral part; the derivative of the first is one, of the second zero."""
    fraction, whole = rounding.modf(x)
    return fraction, whole


@implements(np.frexp)
def frexp(x: Any) -> tuple[Any, Any]:
    """Mantissa and exponent of two; the derivative of the mantissa is 2**-exponent."""
    mantissa, exponent = rounding.frexp(x)
    return mantissa, exponent


@implements(np.divmod)
def divmod(x: Any, y: Any) -> tuple[Any, Any]:
    """Floor of the quotient, and the remainder."""
    return ew.floor_divide(x, y), ew.remainder(x, y)


@implements(np.unwrap)
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * pi) -> Any:
    """Phases made continuous by adding whole periods along an axis. The derivative is one."""
    p = as_operand(p)
    axis = negative_axis(axis, spec_of(p).ndim)
    return phase.unwrap(p, axis=axis, discont=discont, period=period)
