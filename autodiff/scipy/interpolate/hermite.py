"""Cubic polynomials through points with given slopes, and the slopes that SciPy's interpolants choose.

Slopes are functions of the points, whose places and values may be traced.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.ops import elementwise as ew
from autodiff.scipy.called_back import known
from autodiff.scipy.interpolate.polynomials import Polynomials, beside
from autodiff.trace.errors import DifferentiationError, OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


def points(name: str, x: Any, y: Any, axis: int) -> tuple[Any, Any, int]:
    """Places and values of points, the values along the first axis, and the axis along which they were.

    Raises:
        OperandError: if they do not fit, or if the places are known and do not increase.
    """
    x, y = as_operand(x) * 1.0, as_operand(y) * 1.0
    if spec_of(y).dtype.kind == "c":
        raise DifferentiationError(
            f"{name} of traced values takes real ones{at_user_line()}; interpolate real and imaginary parts"
        )
    axis %= spec_of(y).ndim
    if spec_of(x).ndim != 1 or spec_of(x).shape[0] != spec_of(y).shape[axis] or spec_of(x).shape[0] < 2:
        raise OperandError(
            f"{name} got places {spec_of(x)!r} and values {spec_of(y)!r}{at_user_line()}; it needs a vector of at "
            f"least two places, and as many values along axis {axis}"
        )
    if known(x) and not np.all(np.diff(np.asarray(peeled(x, name))) > 0):
        raise OperandError(f"{name} got places that do not increase{at_user_line()}; sort the points by them")
    return x, FUNCTIONS[np.moveaxis](y, axis, 0), axis


def slopes_between(x: Any, y: Any) -> tuple[Any, Any]:
    """The widths of intervals, beside values, and the slopes of straight lines."""
    widths = beside(x[1:] - x[:-1], spec_of(y).ndim - 1)
    return widths, (y[1:] - y[:-1]) / widths


def cubic(x: Any, y: Any, slopes: Any, extrapolate: Any, axis: int) -> Polynomials:
    """The cubic polynomials with given values and slopes at both ends of each interval."""
    h, m = slopes_between(x, y)
    left, right = slopes[:-1], slopes[1:]
    bend = (left + right - 2 * m) / h
    c = FUNCTIONS[np.stack]([bend / h, (m - left) / h - bend, left, y[:-1]])
    return Polynomials(c, x, extrapolate, axis)


def chosen(condition: Any, yes: Any, no: Any) -> Any:
    """Values where a condition holds, and others where it does not."""
    return ew.where(condition, yes, no)


def end_slope(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """The slope of the parabola through the last three points, held where it would leave the shape of the points."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    away = ew.not_equal(ew.sign(d), ew.sign(m0))
    steep = ew.logical_and(ew.not_equal(ew.sign(m0), ew.sign(m1)), ew.greater(ew.absolute(d), 3 * ew.absolute(m0)))
    return chosen(away, 0.0, chosen(steep, 3 * m0, d))


def monotone_slopes(x: Any, y: Any) -> Any:
    """Weighted harmonic means of the slopes on both sides; 0 where these differ in sign or one of them is 0.

    At such a point the derivative is that of the 0, whose neighbourhood has a kink. F. N. Fritsch and J. Butland, A
    method for constructing local monotone piecewise cubic interpolants, 1984.
    """
    h, m = slopes_between(x, y)
    if spec_of(y).shape[0] == 2:
        return FUNCTIONS[np.concatenate]([m, m])
    before, after = m[:-1], m[1:]
    flat = ew.less_equal(ew.sign(before) * ew.sign(after), 0)
    first, second = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    before, after = chosen(flat, 1.0, before), chosen(flat, 1.0, after)
    inner = chosen(flat, 0.0, (first + second) / (first / before + second / after))
    ends = end_slope(h[0], h[1], m[0], m[1]), end_slope(h[-1], h[-2], m[-1], m[-2])
    return FUNCTIONS[np.concatenate]([ends[0][None], inner, ends[1][None]])


def akima_slopes(x: Any, y: Any, method: str) -> Any:
    """Means of the slopes on both sides, weighted by how much they change on the other one.

    Where nothing changes on either side it is the plain mean. H. Akima, A new method of interpolation and smooth curve
    fitting based on local procedures, 1970.
    """
    _, m = slopes_between(x, y)
    count = spec_of(y).shape[0]
    if count == 2:
        return FUNCTIONS[np.concatenate]([m, m])
    after = 2 * m[-1] - m[-2]
    before = 2 * m[0] - m[1]
    more = (2 * before - m[0])[None], before[None], m, after[None], (2 * after - m[-1])[None]
    m = FUNCTIONS[np.concatenate](more)
    change = ew.absolute(m[1:] - m[:-1])
    if method == "makima":
        size = ew.absolute(m[1:] + m[:-1])
        change = change + 0.5 * size
    first, second = change[2:], change[:-2]
    both = first + second
    defined = ew.greater(both, 1e-9 * FUNCTIONS[np.max](both))
    share = second / chosen(defined, both, 1.0)
    return chosen(defined, m[1:-2] + share * (m[2:-1] - m[1:-2]), 0.5 * (m[3:] + m[:-3]))


def hermite_spline(x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> Polynomials:
    """The cubic polynomials through points with given slopes."""
    x, y, axis = points("CubicHermiteSpline", x, y, axis)
    slopes = FUNCTIONS[np.moveaxis](as_operand(dydx) * 1.0, axis, 0)
    return cubic(x, y, slopes, True if extrapolate is None else extrapolate, axis)


def monotone(x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> Polynomials:
    """The cubic polynomials that rise and fall where the points do."""
    x, y, axis = points("PchipInterpolator", x, y, axis)
    return cubic(x, y, monotone_slopes(x, y), True if extrapolate is None else extrapolate, axis)


def akima(x: Any, y: Any, axis: int = 0, *, method: str = "akima", extrapolate: Any = None) -> Polynomials:
    """The cubic polynomials whose slopes follow from the nearest points alone."""
    if method not in ("akima", "makima"):
        scipy.interpolate.Akima1DInterpolator(np.arange(3.0), np.arange(3.0), method=method)
    x, y, axis = points("Akima1DInterpolator", x, y, axis)
    return cubic(x, y, akima_slopes(x, y, method), extrapolate or False, axis)
