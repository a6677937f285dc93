"""SciPy's classes of interpolants: made of traced values they are ours, made of plain ones SciPy's own.

Those of plain values can be evaluated at traced places too, as can objects that a program has made with SciPy's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from inspect import getattr_static
from types import FunctionType
from typing import Any

import numpy as np
import scipy.interpolate

from autodiff.numpy.dispatch import FUNCTIONS
from autodiff.scipy.interpolate.bsplines import Spline, at_outside, of_coefficients
from autodiff.scipy.interpolate.cubic import cubic_spline
from autodiff.scipy.interpolate.grids import Grid
from autodiff.scipy.interpolate.hermite import akima, hermite_spline, monotone
from autodiff.scipy.interpolate.lines import Interpolation
from autodiff.scipy.interpolate.polynomials import Polynomials
from autodiff.scipy.mirror import holds_traced, plain_call, refusing
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line

Function = Callable[..., Any]


def of_pieces(c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> Polynomials:
    """Polynomials by their coefficients."""
    return Polynomials(c, x, True if extrapolate is None else extrapolate, axis)


def refused(name: str) -> Function:
    """What makes a smoothing spline of traced values: nothing."""

    def make(*args: Any, **options: Any) -> Any:
        raise DifferentiationError(
            f"{name} chooses its knots by the values, and has a derivative by where it is evaluated "
            f"alone{at_user_line()}; take make_interp_spline or CubicSpline"
        )

    return make


def as_polynomials(own: Any) -> Any:
    """An object of SciPy's that has coefficients of polynomials, for traced places."""
    return Polynomials(own.c, own.x, own.extrapolate, own.axis)


def as_spline(own: Any) -> Any:
    """An object of SciPy's that is a sum of B-splines."""
    return Spline(own.t, own.c, own.k, own.extrapolate, own.axis)


class Fitted(Spline):
    """A spline of FITPACK's at traced places.

    Args:
        own: SciPy's.
    """

    def __init__(self, own: Any) -> None:
        super().__init__(*own._eval_args)
        self.outside = own.ext

    def __call__(self, x: Any, nu: int = 0, ext: Any = None) -> Any:
        """The value, or the derivative of order ``nu``."""
        return at_outside(Spline(*self.tck), x, nu, self.outside if ext is None else ext)


def as_interpolation(own: Any) -> Any:
    """A function through points."""
    return Interpolation(own.x, own.y, own._kind if own._kind != "spline" else own._spline.k, own.axis, True,
                         own.bounds_error, own.fill_value, True)  # fmt: skip


def as_grid(own: Any) -> Any:
    """A function on a grid."""
    return Grid(own.grid, own.values, own.method, own.bounds_error, own.fill_value)


# fmt: off
KINDS: dict[str, tuple[Function, Function]] = {
    "PPoly":                        (of_pieces,              as_polynomials),
    "CubicHermiteSpline":           (hermite_spline,         as_polynomials),
    "PchipInterpolator":            (monotone,               as_polynomials),
    "Akima1DInterpolator":          (akima,                  as_polynomials),
    "CubicSpline":                  (cubic_spline,           as_polynomials),
    "BSpline":                      (of_coefficients,        as_spline),
    "UnivariateSpline":             (refused("UnivariateSpline"), Fitted),
    "InterpolatedUnivariateSpline": (refused("InterpolatedUnivariateSpline"), Fitted),
    "LSQUnivariateSpline":          (refused("LSQUnivariateSpline"), Fitted),
    "interp1d":                     (Interpolation,          as_interpolation),
    "RegularGridInterpolator":      (Grid,                   as_grid),
}
# fmt: on
"""What makes each of traced values, and what evaluates one of SciPy's at traced places."""

MADE = ("derivative", "antiderivative")
"""Methods that return interpolants."""

CLASSES: dict[str, type] = {}


def class_of(name: str) -> type:
    """A class that derives from SciPy's."""
    base: Any = getattr(scipy.interpolate, name)
    make, at_places = KINDS[name]

    def new(cls: Any, *args: Any, **options: Any) -> Any:
        return make(*args, **options) if holds_traced((args, options)) else object.__new__(cls)

    def begin(self: Any, *args: Any, **options: Any) -> None:
        plain_call(base.__init__, (self, *args), options)

    def call(self: Any, x: Any, *args: Any, **options: Any) -> Any:
        if holds_traced(x):
            return at_places(self)(x, *args, **options)
        return plain_call(base.__call__, (self, x, *args), options)

    def integrate(self: Any, a: Any, b: Any, *args: Any, **options: Any) -> Any:
        if holds_traced((a, b)):
            return at_places(self).integrate(a, b, *args, **options)
        return plain_call(base.integrate, (self, a, b, *args), options)

    def integral(self: Any, a: Any, b: Any) -> Any:
        if holds_traced((a, b)):
            return at_places(self).integrate(a, b, False)
        return plain_call(base.integral, (self, a, b), {})

    def derivatives(self: Any, x: Any) -> Any:
        if holds_traced(x):
            own = at_places(self)
            return FUNCTIONS[np.stack]([own(x, order) for order in range(own.k + 1)])
        return plain_call(base.derivatives, (self, x), {})

    methods: dict[str, Function] = {"__new__": new, "__init__": begin, "__call__": call}
    own = (integrate, integral, derivatives)
    methods |= {method.__name__: method for method in own if hasattr(base, method.__name__)}
    methods |= {method: returning(getattr(base, method)) for method in MADE if hasattr(base, method)}
    methods |= {method: found for method, found in other_methods(name, base) if method not in methods}
    return type(name, (base,), {**methods, "__doc__": base.__doc__, "__module__": __package__})


def other_methods(name: str, base: type) -> Iterator[tuple[str, Any]]:
    """Public methods of a class of SciPy's, as they refuse traced values by name, before compiled code gets them."""
    for method in dir(base):
        kind = type(getattr_static(base, method))
        if method.startswith("_") or kind not in (FunctionType, classmethod, staticmethod):
            continue
        found = getattr_static(base, method)
        own = refusing(found if kind is FunctionType else found.__func__, f"scipy.interpolate.{name}.{method}")
        yield method, own if kind is FunctionType else kind(own)


def returning(method: Function) -> Function:
    """A method that returns another interpolant, as one of ours."""

    @wraps(method)
    def call(self: Any, *args: Any, **options: Any) -> Any:
        return adopted(method(self, *args, **options))

    return call


def adopted(value: Any) -> Any:
    """An interpolant of SciPy's as one of ours; anything else as it is."""
    own = OURS.get(type(value))
    if own is None:
        return value
    new: Any = object.__new__(own)
    for kind in type(value).__mro__:
        for slot in vars(kind).get("__slots__", ()):
            if hasattr(value, slot):
                setattr(new, slot, getattr(value, slot))
    new.__dict__.update(getattr(value, "__dict__", {}))
    return new


for _name in KINDS:
    CLASSES[_name] = class_of(_name)
OURS = {getattr(scipy.interpolate, name): own for name, own in CLASSES.items()}
