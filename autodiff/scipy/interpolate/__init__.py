"""scipy.interpolate for plain and traced values alike: splines through points, and functions on grids.

Where an interpolant is evaluated, and the values at its points, may be traced; the places of the points too for
``CubicSpline``, ``PchipInterpolator``, ``Akima1DInterpolator`` and ``CubicHermiteSpline``.
"""

from typing import Any

from autodiff.scipy.interpolate.classes import CLASSES
from autodiff.scipy.interpolate.classes import adopted as adopted
from autodiff.scipy.interpolate.functions import interpn, make_interp_spline, pchip_interpolate, splev, splint
from autodiff.scipy.mirror import mirrored

_rest = mirrored("scipy.interpolate")


def __getattr__(name: str) -> Any:
    return CLASSES[name] if name in CLASSES else _rest(name)


__all__ = ["interpn", "make_interp_spline", "pchip_interpolate", "splev", "splint"]
