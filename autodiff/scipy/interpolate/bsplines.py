"""Splines as sums of B-splines, of which coefficients, knots and places may be traced."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops import elementwise as ew
from autodiff.scipy.interpolate.polynomials import Curve, at_axis, beside, only_inside, refuse_periods, within
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


def basis(t: Any, k: int, x: Any) -> tuple[Any, list[Any]]:
    """The B-splines that are not zero at places.

    Args:
        t: the knots.
        k: the degree.
        x: the places; those outside belong to the first or last interval.

    Returns:
        the index of the first one, of which there are ``k + 1``; and their values. C. de Boor, A practical guide to
        splines, 1978.
    """
    count = spec_of(t).shape[0] - k - 1
    interval = FUNCTIONS[np.searchsorted](t[k + 1 : count], x, side="right") + k
    values: list[Any] = [x * 0.0 + 1.0]
    for degree in range(1, k + 1):
        raised: list[Any] = [0.0] * (degree + 1)
        for r in range(degree):
            left = FUNCTIONS[np.take](t, interval + (r + 1 - degree))
            right = FUNCTIONS[np.take](t, interval + (r + 1))
            share = values[r] / (right - left)
            raised[r] = raised[r] + (right - x) * share
            raised[r + 1] = raised[r + 1] + (x - left) * share
        values = raised
    return interval - k, values


class Spline(Curve):
    """A sum of B-splines as a function of one number; SciPy's ``BSpline`` for traced values.

    Args:
        t: the knots.
        c: the coefficients, along the first axis.
        k: the degree.
        extrapolate: whether the outer polynomials go on beyond the ends; ``"periodic"`` repeats all of them.
        axis: where the axes of places come among those of a result.
    """

    def __init__(self, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0) -> None:
        self.t = t
        self.c = c[: spec_of(t).shape[0] - k - 1]
        self.k = k
        self.extrapolate = extrapolate
        self.axis = axis

    @property
    def tck(self) -> tuple[Any, Any, int]:
        """Knots, coefficients and degree."""
        return self.t, self.c, self.k

    @property
    def ends(self) -> tuple[Any, Any]:
        """Where the spline begins and ends."""
        return self.t[self.k], self.t[-self.k - 1]

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        """The value, or the derivative of order ``nu``, at traced or plain places."""
        x, extrapolate = as_operand(x) * 1.0, self.extrapolate if extrapolate is None else extrapolate
        if nu < 0:
            raise ValueError(f"the order of a derivative is not negative, as {nu} is")
        if nu:
            return self.derivative(nu)(x, 0, extrapolate)
        x = within(x, *self.ends, extrapolate)
        first, values = basis(self.t, self.k, x)
        value: Any = 0.0
        for r, own in enumerate(values):
            value = value + beside(own, len(self.c.shape) - 1) * FUNCTIONS[np.take](self.c, first + r, 0)
        value = only_inside(value, x, *self.ends, extrapolate)
        return at_axis(value, spec_of(x).ndim, self.axis)[()]

    def derivative(self, nu: int = 1) -> Spline:
        """The derivative, as a spline again; the integral, where the order is negative."""
        if nu < 0:
            return self.antiderivative(-nu)
        t, c, k = self.tck
        for _ in range(nu):
            if k == 0:
                c = c * 0.0
                continue
            apart = t[k + 1 : -1] - t[1 : -k - 1]
            none = ew.equal(apart, 0)
            change = (c[1:] - c[:-1]) * beside(ew.where(none, 0.0, k / ew.where(none, 1.0, apart)), len(c.shape) - 1)
            t, c, k = t[1:-1], change, k - 1
        return Spline(t, c, k, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> Spline:
        """The integral from the first knot on, as a spline again; the derivative, where the order is negative."""
        if nu < 0:
            return self.derivative(-nu)
        t, c, k = self.tck
        for _ in range(nu):
            parts = c * beside((t[k + 1 :] - t[: -k - 1]) / (k + 1), len(c.shape) - 1)
            c = FUNCTIONS[np.concatenate]([parts[:1] * 0.0, FUNCTIONS[np.cumsum](parts, 0)])
            t, k = FUNCTIONS[np.concatenate]([t[:1], t, t[-1:]]), k + 1
        return Spline(t, c, k, False if self.extrapolate == "periodic" else self.extrapolate, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """The integral between two places.

        Raises:
            DifferentiationError: of splines that are repeated.
        """
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        refuse_periods(extrapolate)
        whole = self.antiderivative()
        if not extrapolate:  # as SciPy's, nothing is added outside
            a, b = (ew.minimum(ew.maximum(as_operand(x) * 1.0, self.ends[0]), self.ends[1]) for x in (a, b))
        return whole(b, 0, True) - whole(a, 0, True)


def of_coefficients(t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0) -> Spline:
    """The spline with given knots and coefficients."""
    return Spline(as_operand(t), FUNCTIONS[np.moveaxis](as_operand(c), axis, 0), int(k), extrapolate, axis)


OUTSIDE = {"extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}
"""FITPACK's numbers of what a spline is outside of its knots."""


def at_outside(spline: Spline, x: Any, order: int, ext: Any) -> Any:
    """The derivative of some order, which outside goes on, or is 0 (``ext=1``), or what it is at its end (``ext=3``).

    As FITPACK's, derivatives of order one and more go on for ``ext=3``, too.

    Raises:
        DifferentiationError: for ``ext=2``, which looks at the numbers.
    """
    kind = OUTSIDE.get(ext, ext)
    if kind not in (0, 1, 3):
        raise DifferentiationError(
            f"a spline at traced places has no ext={ext!r}{at_user_line()}; take 0, 1 or 3, or leave it out"
        )
    x = as_operand(x) * 1.0
    low, high = spline.ends
    found = spline(ew.minimum(ew.maximum(x, low), high) if kind == 3 and order == 0 else x, order)
    if kind == 1:
        return ew.where(ew.logical_or(ew.less(x, low), ew.greater(x, high)), 0.0, found)
    return found
