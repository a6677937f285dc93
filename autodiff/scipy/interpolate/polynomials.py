"""Polynomials between breakpoints, of which coefficients, breakpoints and places may be traced."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops import elementwise as ew
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


def beside(values: Any, axes: int) -> Any:
    """Values with so many axes of length one behind theirs."""
    values = as_operand(values)
    return FUNCTIONS[np.reshape](values, (*spec_of(values).shape, *(1,) * axes)) if axes else values


def at_axis(value: Any, places: int, axis: int) -> Any:
    """A result whose first axes are those of the places, with these at another axis."""
    return FUNCTIONS[np.moveaxis](value, range(places), range(axis, axis + places)) if axis and places else value


def within(x: Any, first: Any, last: Any, extrapolate: Any) -> Any:
    """Places as a function looks at them: repeated by its period, or as they are."""
    return first + ew.remainder(x - first, last - first) if extrapolate == "periodic" else x


def only_inside(value: Any, x: Any, first: Any, last: Any, extrapolate: Any) -> Any:
    """A value, and NaN where the place lies outside and the function does not go on."""
    if extrapolate == "periodic" or extrapolate:
        return value
    beyond = ew.logical_or(ew.less(x, first), ew.greater(x, last))
    return ew.where(beside(beyond, spec_of(value).ndim - spec_of(x).ndim), np.nan, value)


class Curve:
    """What functions of one number have in common, where something that they are made of is traced."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise DifferentiationError(
            f"an interpolant of traced values has no {name!r}{at_user_line()}; it can be called, and has derivative, "
            "antiderivative and integrate"
        )


class Polynomials(Curve):
    """Polynomials between breakpoints, as functions of one number; SciPy's ``PPoly`` for traced values.

    Args:
        c: coefficients, highest power first, along the first axis; one polynomial for each interval along the second.
        x: the breakpoints, which increase.
        extrapolate: whether the outer polynomials go on beyond the ends; ``"periodic"`` repeats all of them.
        axis: where the axes of places come among those of a result.
    """

    def __init__(self, c: Any, x: Any, extrapolate: Any = True, axis: int = 0) -> None:
        self.c = c
        self.axis = axis
        self.x = x
        self.extrapolate = extrapolate

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        """The value, or the derivative of order ``nu``, at traced or plain places."""
        x, extrapolate = as_operand(x) * 1.0, self.extrapolate if extrapolate is None else extrapolate
        if nu < 0:
            raise ValueError(f"the order of a derivative is not negative, as {nu} is")
        if nu:
            return self.derivative(nu)(x, 0, extrapolate)
        x = within(x, self.x[0], self.x[-1], extrapolate)
        inside = FUNCTIONS[np.searchsorted](self.x[1:-1], x, side="right")
        apart = beside(x - FUNCTIONS[np.take](self.x, inside), len(self.c.shape) - 2)
        pieces = [FUNCTIONS[np.take](self.c[k], inside, 0) for k in range(self.c.shape[0])]
        value = pieces[0] + apart * 0.0
        for piece in pieces[1:]:
            value = value * apart + piece
        value = only_inside(value, x, self.x[0], self.x[-1], extrapolate)
        return at_axis(value, spec_of(x).ndim, self.axis)[()]

    def factors(self, powers: Any) -> Any:
        """A number for each power, beside coefficients."""
        return beside(powers, len(self.c.shape) - 1)

    def derivative(self, nu: int = 1) -> Polynomials:
        """The derivative, as polynomials again; the integral, where the order is negative."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        for _ in range(nu):
            degree = c.shape[0] - 1
            c = c[:-1] * self.factors(np.arange(degree, 0, -1.0)) if degree else c * 0.0
        return Polynomials(c, self.x, self.extrapolate, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """The integral between two places; outside of the breakpoints that of the outer polynomials.

        Raises:
            DifferentiationError: of functions that are repeated.
        """
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        refuse_periods(extrapolate)
        whole = self.antiderivative()
        return whole(b, 0, extrapolate) - whole(a, 0, extrapolate)

    def antiderivative(self, nu: int = 1) -> Polynomials:
        """The integral from the first breakpoint on, as polynomials again; of negative order the derivative."""
        if nu < 0:
            return self.derivative(-nu)
        c = self.c
        for _ in range(nu):
            degree = c.shape[0]
            raised = c / self.factors(np.arange(degree, 0, -1.0))
            widths = beside(self.x[1:] - self.x[:-1], len(self.c.shape) - 2)
            totals: Any = 0.0
            for k in range(degree):
                totals = (totals + raised[k]) * widths
            sums = FUNCTIONS[np.cumsum](totals, 0)
            first = FUNCTIONS[np.concatenate]([sums[:1] * 0.0, sums[:-1]])
            c = FUNCTIONS[np.concatenate]([raised, first[None]])
        return Polynomials(c, self.x, False if self.extrapolate == "periodic" else self.extrapolate, self.axis)


def refuse_periods(extrapolate: Any) -> None:
    """Refuse integrals of functions that are repeated."""
    if extrapolate == "periodic":
        raise DifferentiationError(
            f"the integral of a periodic interpolant has no derivative{at_user_line()}; pass extrapolate=False and "
            "add the periods"
        )
