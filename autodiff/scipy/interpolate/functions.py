"""scipy.interpolate's functions of points or of splines in FITPACK's form."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate

from autodiff.numpy.dispatch import as_operand
from autodiff.scipy.interpolate.bsplines import Spline, at_outside
from autodiff.scipy.interpolate.classes import adopted
from autodiff.scipy.interpolate.grids import interpn as on_grid
from autodiff.scipy.interpolate.hermite import monotone
from autodiff.scipy.interpolate.through import make_interp_spline as through
from autodiff.scipy.mirror import counterpart, holds_traced, plain_call
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line


def make_interp_spline(*args: Any, **options: Any) -> Any:
    """The spline of degree ``k`` through points, whose values may be traced."""
    if holds_traced((args, options)):
        return through(*args, **options)
    return adopted(plain_call(scipy.interpolate.make_interp_spline, args, options))


@counterpart(scipy.interpolate.splev)
def splev(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    """The value of a spline, or its derivative of order ``der``; knots, coefficients and places may be traced.

    Outside the spline goes on, or is 0 (``ext=1``), or what it is at its end (``ext=3``).
    """
    if isinstance(tck, (Spline, scipy.interpolate.BSpline)):
        tck = tck.tck
    t, c, k = tck
    t = as_operand(t)
    several = [c] if getattr(as_operand(c), "ndim", 1) == 1 else list(c)
    splines = [Spline(t, as_operand(one), int(k)) for one in several]
    found = [at_outside(own, x, der, ext) for own in splines]
    return found if len(several) > 1 or several[0] is not c else found[0]


@counterpart(scipy.interpolate.splint)
def splint(a: Any, b: Any, tck: Any, full_output: int = 0) -> Any:
    """The integral of a spline between two places; outside of its knots it is 0."""
    if full_output:
        raise DifferentiationError(f"splint of traced values has no full_output={at_user_line()}; leave it out")
    t, c, k = tck
    return Spline(as_operand(t), as_operand(c), int(k)).integrate(a, b, False)


@counterpart(scipy.interpolate.pchip_interpolate)
def pchip_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: int = 0) -> Any:
    """The values of the interpolant that rises and falls where the points do."""
    own = monotone(xi, yi, axis)
    return own.derivative(der)(x) if np.ndim(der) == 0 else [own.derivative(order)(x) for order in der]


interpn = counterpart(scipy.interpolate.interpn)(on_grid)
