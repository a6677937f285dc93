"""scipy.interpolate.interp1d for traced values: the same straight lines, steps and splines, held at the same bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.ops import elementwise as ew
from autodiff.scipy.called_back import known
from autodiff.scipy.interpolate.cubic import cubic_spline
from autodiff.scipy.interpolate.polynomials import Curve, Polynomials, at_axis, beside
from autodiff.scipy.interpolate.through import make_interp_spline
from autodiff.scipy.mirror import holds_traced
from autodiff.trace.errors import DifferentiationError, OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

DEGREES = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}
STEPS = ("nearest", "nearest-up", "previous", "next")


class Interpolation(Curve):
    """A function through points in one of the ways of ``interp1d``.

    Args:
        x: the places of points, which may be traced for straight lines, steps and cubic splines.
        y: their values, along ``axis``.
        kind: ``"linear"``, a kind of steps, or of splines, or the degree of a spline.
        bounds_error: whether places outside are an error; None, unless the function is extrapolated.
        fill_value: what is outside: a number, two of them, or ``"extrapolate"``.
        assume_sorted: whether the places increase.
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        kind: Any = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: bool | None = None,
        fill_value: Any = np.nan,
        assume_sorted: bool = False,
    ) -> None:
        moving = holds_traced(x)
        x, y = as_operand(x) * 1.0 if moving else np.asarray(x, float), as_operand(y) * 1.0
        self.axis = axis % spec_of(y).ndim
        y = FUNCTIONS[np.moveaxis](y, self.axis, 0)
        if x.ndim != 1 or x.size != spec_of(y).shape[0]:
            raise OperandError(
                f"interp1d got {x.size} places and values {spec_of(y)!r}{at_user_line()}; it needs one for each"
            )
        if not assume_sorted:
            order = FUNCTIONS[np.argsort](x, kind="stable") if moving else np.argsort(x, kind="stable")
            x, y = (FUNCTIONS[np.take](part, order, 0) for part in (x, y))
        self.x, self.y, self.kind, self.moving = x, y, kind, moving
        self.beyond = isinstance(fill_value, str) and fill_value == "extrapolate"
        self.fill = fill_value
        if self.beyond and bounds_error:
            raise ValueError(
                f'interp1d with bounds_error=True has no fill_value="extrapolate"{at_user_line()}; leave one out'
            )
        self.bounds_error = not self.beyond if bounds_error is None else bounds_error
        self.inside = self.function()

    def function(self) -> Any:
        """What is between the points."""
        if self.kind == "linear" or (self.moving and self.kind in ("slinear", 1)):
            widths = beside(self.x[1:] - self.x[:-1], spec_of(self.y).ndim - 1)
            return Polynomials(FUNCTIONS[np.stack]([(self.y[1:] - self.y[:-1]) / widths, self.y[:-1]]), self.x)
        if self.kind in STEPS:
            return self.step
        degree = DEGREES.get(self.kind, self.kind)
        if not isinstance(degree, int):
            raise NotImplementedError(
                f"{self.kind} is unsupported: interp1d has linear, {', '.join((*STEPS, *DEGREES))}"
            )
        if not self.moving:
            return make_interp_spline(self.x, self.y, degree)
        if degree == 3:  # the same function
            return cubic_spline(self.x, self.y)
        raise DifferentiationError(
            f"interp1d with kind={self.kind!r} has no derivative by the places of the points{at_user_line()}; keep "
            "them constant, or take 'linear' or 'cubic'"
        )

    def step(self, x: Any) -> Any:
        """The value at a point near to a place."""
        if self.kind.startswith("nearest"):
            middle = (self.x[1:] + self.x[:-1]) / 2
            place = FUNCTIONS[np.searchsorted](middle, x, side="left" if self.kind == "nearest" else "right")
        else:
            before = self.kind == "previous"
            found = FUNCTIONS[np.searchsorted](self.x, x, side="right" if before else "left")
            place = found - 1 if before else found
        return FUNCTIONS[np.take](self.y, FUNCTIONS[np.clip](place, 0, self.x.size - 1), 0)

    def __call__(self, x: Any) -> Any:
        """The value at traced or plain places.

        Raises:
            ValueError: for places outside, where these are an error and known; where they are not known, as under
                ``jit`` and ``vmap``, the value is NaN there.
        """
        x = as_operand(x) * 1.0
        value = self.inside(x)
        if not self.beyond:
            value = self.held(x, value)
        elif self.kind in ("previous", "next"):  # before the first point there is no previous one
            none = ew.less(x, self.x[0]) if self.kind == "previous" else ew.greater(x, self.x[-1])
            value = ew.where(self.as_places(none, value), np.nan, value)
        return at_axis(value, spec_of(x).ndim, self.axis)[()]

    def as_places(self, condition: Any, value: Any) -> Any:
        """A condition of places, beside the axes of values."""
        return beside(condition, spec_of(value).ndim - spec_of(condition).ndim)

    def held(self, x: Any, value: Any) -> Any:
        """The value, and outside of the points what is said to be there."""
        below, above = ew.less(x, self.x[0]), ew.greater(x, self.x[-1])
        if self.bounds_error and known(x) and known(self.x) and np.any(peeled(ew.logical_or(below, above), "interp1d")):
            raise ValueError(
                f"a place of interp1d lies outside of [{self.x[0]:g}, {self.x[-1]:g}]{at_user_line()}; "
                'fill_value="extrapolate" goes on, bounds_error=False gives NaN'
            )
        fill = np.nan if self.bounds_error else self.fill
        low, high = fill if isinstance(fill, tuple) else (fill, fill)
        value = ew.where(self.as_places(below, value), as_operand(low), value)
        return ew.where(self.as_places(above, value), as_operand(high), value)
