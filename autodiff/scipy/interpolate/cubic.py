"""The twice differentiable cubic spline: its slopes solve equations with three unknowns each."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.ops.matrices.sparse import Pattern, sparse_solve
from autodiff.scipy.called_back import known
from autodiff.scipy.interpolate.hermite import cubic, points, slopes_between
from autodiff.scipy.interpolate.polynomials import Polynomials
from autodiff.trace.errors import DifferentiationError, OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

NAMED = {"natural": (2, 0.0), "clamped": (1, 0.0)}
"""Conditions at an end: the order of a derivative, and its value."""


def conditions(bc_type: Any) -> tuple[Any, Any]:
    """What is asked at both ends: ``"not-a-knot"``, or the order of a derivative and its value.

    Raises:
        DifferentiationError: for anything else.
    """
    both = (bc_type, bc_type) if isinstance(bc_type, str) else tuple(bc_type)
    if len(both) == 2 and both != ("periodic", "periodic"):
        found = tuple(NAMED.get(one, one) if isinstance(one, str) else tuple(one) for one in both)
        if all(one == "not-a-knot" or (len(one) == 2 and one[0] in (1, 2)) for one in found):
            return found[0], found[1]
    raise DifferentiationError(
        f"CubicSpline of traced values got bc_type={bc_type!r}{at_user_line()}; it takes 'not-a-knot', 'natural', "
        "'clamped', 'periodic', or two of (order, value) with order 1 or 2"
    )


def end_equation(condition: Any, w: Any, h: Any, m: Any, few: bool) -> tuple[list[Any], Any]:
    """The coefficients of the slopes nearest to an end, and the right-hand side.

    Args:
        condition: at this end.
        w: the widths of intervals, counted from it.
        h: the same, beside values.
        m: the slopes of straight lines, counted from it.
        few: whether there are three points and neither end has a condition: one parabola goes through them.
    """
    if is_free(condition):
        if spec_of(w).shape[0] == 1:
            return [1.0], m[0]
        if few:
            return [1.0, 1.0], 2 * m[0]
        d = h[0] + h[1]
        return [w[1], w[0] + w[1]], ((h[0] + 2 * d) * h[1] * m[0] + h[0] * h[0] * m[1]) / d
    order, value = condition
    if order == 1:
        return [1.0], as_operand(value) + m[0] * 0.0
    return [2.0, 1.0], 3 * m[0] - 0.5 * h[0] * value


def is_free(condition: Any) -> bool:
    """Whether an end has no condition of its own; the others hold arrays, which cannot be compared with a name."""
    return isinstance(condition, str) and condition == "not-a-knot"


def slopes(x: Any, y: Any, bc_type: Any) -> Any:
    """The slopes of the spline at its points."""
    w = x[1:] - x[:-1]
    h, m = slopes_between(x, y)
    if isinstance(bc_type, str) and bc_type == "periodic":
        return periodic_slopes(w, h, m)
    first, last = conditions(bc_type)
    size = spec_of(y).shape[0]
    few = size == 3 and is_free(first) and is_free(last)
    seen_back = last if is_free(last) or last[0] == 1 else (2, -as_operand(last[1]))
    begin, begin_right = end_equation(first, w, h, m, few)
    end, end_right = end_equation(seen_back, w[::-1], h[::-1], m[::-1], few)
    inner = np.arange(1, size - 1)
    entries = [numbers(begin), *inner_entries(w[:-1], w[1:]), numbers(end)]
    rows = [np.zeros(len(begin), int), inner, inner, inner, np.full(len(end), size - 1)]
    columns = [np.arange(len(begin)), inner - 1, inner, inner + 1, size - 1 - np.arange(len(end))]
    right = [begin_right[None], inner_right(h[:-1], h[1:], m[:-1], m[1:]), end_right[None]]
    return solved(entries, rows, columns, FUNCTIONS[np.concatenate](right))


def numbers(entries: Any) -> Any:
    """A few coefficients as a vector."""
    return FUNCTIONS[np.stack]([as_operand(entry) for entry in entries])


def inner_entries(before: Any, after: Any) -> tuple[Any, Any, Any]:
    """The coefficients of three slopes, by which the second derivative is continuous at the middle one."""
    return after, 2 * (before + after), before


def inner_right(h_before: Any, h_after: Any, m_before: Any, m_after: Any) -> Any:
    """The right-hand sides of these equations."""
    return 3 * (h_after * m_before + h_before * m_after)


def periodic_slopes(w: Any, h: Any, m: Any) -> Any:
    """The slopes of a spline that goes on as it began."""
    places = np.arange(spec_of(w).shape[0])
    before, after = places - 1, (places + 1) % places.size
    right = inner_right(h[before], h, m[before], m)
    entries = inner_entries(w[before], w)
    found = solved(entries, [places] * 3, [before % places.size, places, after], right)
    return FUNCTIONS[np.concatenate]([found, found[:1]])


def solved(entries: Any, rows: Any, columns: Any, right: Any) -> Any:
    """The solution of equations with few unknowns each, by values along the first axis."""
    shape = spec_of(right).shape
    pattern = Pattern(np.concatenate(rows), np.concatenate(columns), (shape[0], shape[0]))
    data = FUNCTIONS[np.concatenate](entries)
    flat = FUNCTIONS[np.reshape](right, (shape[0], -1))
    return FUNCTIONS[np.reshape](sparse_solve(data, flat, pattern=pattern), shape)


def cubic_spline(x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Polynomials:
    """The twice differentiable cubic spline through points, of which places and values may be traced."""
    x, y, axis = points("CubicSpline", x, y, axis)
    periodic = isinstance(bc_type, str) and bc_type == "periodic"
    if periodic and known(y):
        ends = np.asarray(peeled(y[0], "CubicSpline")), np.asarray(peeled(y[-1], "CubicSpline"))
        if not np.allclose(*ends, rtol=1e-15, atol=1e-15):
            raise OperandError(f"a periodic CubicSpline got ends that differ{at_user_line()}; let y[-1] be y[0]")
    if extrapolate is None:
        extrapolate = "periodic" if periodic else True
    return cubic(x, y, slopes(x, y, bc_type), extrapolate, axis)
