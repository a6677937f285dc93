"""Piecewise linear interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.dispatch import as_operand, implements
from autodiff.numpy.items.indexing import take
from autodiff.ops.elementwise import cast, where
from autodiff.ops.reductions.sort import searchsorted
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import concrete


@implements(np.interp)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """The value at ``x`` of the function that is linear between the points (xp, fp); differentiable by all three.

    At a point of ``xp`` the derivative by ``x`` is the slope to the right of it, beyond the last point 0.
    """
    x, xp, fp = (as_operand(operand) for operand in (x, xp, fp))
    if len(spec_of(xp).shape) != 1 or spec_of(xp).shape != spec_of(fp).shape or not spec_of(xp).size:
        raise ValueError(
            f"interp needs xp and fp as vectors of one length, got {spec_of(xp)!r} and {spec_of(fp)!r}{at_user_line()}"
        )
    double = np.dtype(np.float64)
    x, xp = cast(x, dtype=double), cast(xp, dtype=double)
    fp = cast(fp, dtype=np.dtype(np.complex128) if spec_of(fp).dtype.kind == "c" else double)
    if period is not None:
        x, xp, fp = periodic(x, xp, fp, period)
        left = right = None
    return between_points(x, xp, fp, left, right)


def periodic(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any]:
    """The points of one period in order, with one more at each end."""
    if isinstance(period, (int, float)) and period == 0:
        raise ValueError(f"interp needs a period that is not zero{at_user_line()}")
    period = abs(period)
    x, xp = x % period, xp % period
    order = np.argsort(xp)
    xp, fp = take(xp, order), take(fp, order)
    xp = np.concatenate([xp[-1:] - period, xp, xp[:1] + period])
    return x, xp, np.concatenate([fp[-1:], fp, fp[:1]])


def finite(values: Any) -> bool:
    """Whether all of them are known to be finite."""
    plain = concrete(values)
    return type(plain) is not Spec and bool(np.isfinite(plain).all())


def between_points(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    """The value on the line through the two neighbours; outside the first or last value, or ``left`` or ``right``."""
    count = spec_of(xp).size
    below = np.maximum(np.minimum(searchsorted(xp, x, side="right") - 1, count - 2), 0)
    above = np.minimum(below + 1, count - 1)
    near, far = take(xp, below), take(xp, above)
    low, high = take(fp, below), take(fp, above)
    if count == 1 or finite(xp):
        inside = np.logical_and(x >= xp[0], x < xp[-1])
    else:  # beside an end that is NaN nothing is outside
        inside = np.logical_not(np.logical_or(np.logical_or(x < xp[0], x >= xp[-1]), np.isnan(x)))
    width = where(inside, far - near, 1.0)
    slope = (high - low) / width
    value = slope * (x - near) + low
    if not (finite(fp) and finite(xp)):
        # as NumPy has it beside infinite values: at a point, from the right, of two equal neighbours
        value = where(np.logical_and(np.isnan(value), x == near), low, value)
        value = where(np.isnan(value), slope * (x - far) + high, value)
        value = where(np.logical_and(np.isnan(value), low == high), low, value)
    last = fp[-1] if right is None else right
    first = fp[0] if left is None else left
    outer = where(np.isnan(x), x if count > 1 else fp[0], where(x < xp[0], first, where(x == xp[-1], fp[-1], last)))
    result = where(inside, value, outer)
    return result if spec_of(x).shape else result[()]
