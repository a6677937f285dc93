"""scipy.interpolate for plain and traced values alike: splines through points at fixed places.

A spline is a list of polynomials whose coefficients are linear in the values at the points. Where it is evaluated, and
these values, may be traced; where the points lie is constant.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np
import scipy.interpolate

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops import elementwise as ew
from autodiff.scipy.linear import along
from autodiff.scipy.mirror import holds_traced, mirrored
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


class Polynomials:
    """Polynomials between breakpoints, as functions of one number.

    Args:
        c: coefficients, highest power first, along the first axis; one polynomial for each interval along the second.
        x: the breakpoints, which are constant.
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
        if nu:
            return self.derivative(nu)(x, 0, extrapolate)
        if extrapolate == "periodic":
            x = self.x[0] + ew.remainder(x - self.x[0], self.x[-1] - self.x[0])
        inside = FUNCTIONS[np.searchsorted](self.x[1:-1], x, side="right")
        apart = x - FUNCTIONS[np.take](self.x, inside)
        pieces = [FUNCTIONS[np.take](self.c[k], inside, 0) for k in range(self.c.shape[0])]
        apart = FUNCTIONS[np.reshape](apart, (*apart.shape, *(1,) * (len(self.c.shape) - 2)))
        value = pieces[0] + apart * 0.0
        for piece in pieces[1:]:
            value = value * apart + piece
        if extrapolate is False:
            beyond = ew.logical_or(ew.less(x, self.x[0]), ew.greater(x, self.x[-1]))
            value = ew.where(FUNCTIONS[np.reshape](beyond, apart.shape), np.nan, value)
        places = len(spec_of(x).shape)
        if self.axis and places:
            value = FUNCTIONS[np.moveaxis](value, range(places), range(self.axis, self.axis + places))
        return value[()]

    def derivative(self, nu: int = 1) -> Polynomials:
        """The derivative, as polynomials again."""
        c = self.c
        for _ in range(nu):
            degree = c.shape[0] - 1
            factors = np.arange(degree, 0, -1.0).reshape((-1,) + (1,) * (len(c.shape) - 1))
            c = c[:-1] * factors if degree else c * 0.0
        return Polynomials(c, self.x, self.extrapolate, self.axis)

    def integrate(self, a: Any, b: Any) -> Any:
        """The integral between two places inside of the breakpoints."""
        whole = self.antiderivative()
        return whole(b) - whole(a)

    def antiderivative(self, nu: int = 1) -> Polynomials:
        """The integral from the first breakpoint on, as polynomials again."""
        c = self.c
        for _ in range(nu):
            degree = c.shape[0]
            divisors = np.arange(degree, 0, -1.0).reshape((-1,) + (1,) * (len(c.shape) - 1))
            raised = c / divisors
            widths = np.diff(self.x).reshape((-1,) + (1,) * (len(c.shape) - 2))
            totals: Any = 0.0
            for k in range(degree):
                totals = (totals + raised[k]) * widths
            sums = FUNCTIONS[np.cumsum](totals, 0)
            first = FUNCTIONS[np.concatenate]([sums[:1] * 0.0, sums[:-1]])
            c = FUNCTIONS[np.concatenate]([raised, first[None]])
        return Polynomials(c, self.x, self.extrapolate, self.axis)


def spline(name: str, x: Any, y: Any, axis: int, make: Callable[[Any], Any], extrapolate: Any = True) -> Polynomials:
    """The polynomials of a spline, whose coefficients SciPy computes for values along the first axis.

    Raises:
        DifferentiationError: if the places of points are traced.
    """
    if holds_traced(x):
        raise DifferentiationError(
            f"{name} has a derivative by values and by where it is evaluated{at_user_line()}; keep the places of the "
            "points constant"
        )
    x = np.asarray(x, float)
    y = FUNCTIONS[np.moveaxis](as_operand(y), axis, -1)

    def coefficients(values: Any) -> Any:
        c = make(np.moveaxis(values, -1, 0)).c
        return np.moveaxis(c.reshape(-1, *c.shape[2:]), 0, -1)

    shape = make(np.zeros(x.size)).c.shape
    flat = along(coefficients, y)
    c = FUNCTIONS[np.reshape](FUNCTIONS[np.moveaxis](flat, -1, 0), (*shape, *spec_of(y).shape[:-1]))
    breaks = make(np.zeros(x.size)).x
    return Polynomials(c, breaks, extrapolate, axis % spec_of(y).ndim)


class Interpolant:
    """A function of SciPy's through plain points, which can be evaluated at traced places too."""

    def __init__(self, plain: Any, polynomials: Polynomials) -> None:
        self.plain = plain
        self.polynomials = polynomials

    def __call__(self, x: Any, *args: Any, **options: Any) -> Any:
        if holds_traced(x):
            return self.polynomials(x, *args, **options)
        return self.plain(x, *args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)


def CubicSpline(x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    """The twice differentiable cubic spline through points, whose values may be traced.

    >>> import numpy as np, autodiff
    >>> x = np.arange(4.0)
    >>> np.round(autodiff.grad(lambda y: CubicSpline(x, y)(1.5))(x**2), 6)
    array([-0.0625,  0.5625,  0.5625, -0.0625])
    """
    beyond = ("periodic" if bc_type == "periodic" else True) if extrapolate is None else extrapolate

    def make(values: Any) -> Any:
        return scipy.interpolate.CubicSpline(x, values, bc_type=bc_type)

    if holds_traced((x, y)):
        return spline("CubicSpline", x, y, axis, make, beyond)
    plain = scipy.interpolate.CubicSpline(x, y, axis, bc_type, extrapolate)
    return Interpolant(plain, Polynomials(plain.c, plain.x, beyond, plain.axis))


def make_interp_spline(
    x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0, **options: Any
) -> Any:
    """The spline of degree ``k`` through points, whose values may be traced."""

    def make(values: Any) -> Any:
        return as_polynomials(scipy.interpolate.make_interp_spline(x, values, k, t, bc_type))

    if holds_traced((x, y)):
        return spline("make_interp_spline", x, y, axis, make)
    plain = scipy.interpolate.make_interp_spline(x, y, k, t, bc_type, axis, **options)
    own = as_polynomials(scipy.interpolate.make_interp_spline(x, np.moveaxis(np.asarray(y), axis, 0), k, t, bc_type))
    return Interpolant(plain, Polynomials(own.c, own.x, True, axis % np.ndim(y)))


def as_polynomials(own: Any) -> Any:
    """A spline as polynomials between the knots where it begins and ends."""
    breaks = np.unique(own.t[own.k : own.t.size - own.k])
    c = [own(breaks[:-1], power) / factorial(power) for power in range(own.k, -1, -1)]
    return scipy.interpolate.PPoly(np.stack(c), breaks)


def interpolant_of(name: str) -> Callable[..., Any]:
    """One of SciPy's interpolants that depend on values in another way: they may be evaluated at traced places."""
    original = getattr(scipy.interpolate, name)

    def make(x: Any, y: Any, *args: Any, **options: Any) -> Any:
        if holds_traced((x, y)):
            raise DifferentiationError(
                f"{name} has a derivative by where it is evaluated alone{at_user_line()}; take CubicSpline, or keep "
                "the values constant"
            )
        plain = original(x, y, *args, **options)
        return Interpolant(plain, Polynomials(plain.c, plain.x, plain.extrapolate, plain.axis))

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"SciPy's {name}, which may be evaluated at traced places."
    return make


PchipInterpolator, Akima1DInterpolator = map(interpolant_of, ("PchipInterpolator", "Akima1DInterpolator"))

__getattr__ = mirrored("scipy.interpolate")
