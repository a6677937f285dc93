"""Elliptic integrals and functions. Derivatives by the parameter are Carlson's integrals, which have no 0/0 in them."""

from __future__ import annotations

from math import pi
from typing import Any

import scipy.special as sp

from autodiff.ops.elementwise import absolute, cos, less, rint, sin, sqrt, where
from autodiff.ops.special.hypergeometric import hyp2f1
from autodiff.ops.special.partial_derivatives import above
from autodiff.ops.special.scipy_functions import elementwise, of_results, with_partials
from autodiff.trace.primitive import Primitive

POSITIVE = above(0)
NEAR = 0.25


def _k_slope(m: Any) -> Any:
    """The derivative of K."""
    near = less(absolute(m), NEAR)
    own = where(near, 0.5, m)
    far = (ellipe(own) / (1 - own) - ellipk(own)) / (2 * own)
    return where(near, pi / 8 * hyp2f1(1.5, 1.5, 2.0, where(near, m, 0)), far)


def _km1_slope(p: Any) -> Any:
    """The derivative of K(1 - p) by p, exact where p is small."""
    near = less(absolute(1 - p), NEAR)
    own = where(near, 0.5, p)
    far = (ellipkm1(own) - ellipe(1 - own) / own) / (2 * (1 - own))
    return where(near, -pi / 8 * hyp2f1(1.5, 1.5, 2.0, where(near, 1 - p, 0)), far)


def _e_slope(m: Any) -> Any:
    """The derivative of E."""
    near = less(absolute(m), NEAR)
    own = where(near, 0.5, m)
    far = (ellipe(own) - ellipk(own)) / (2 * own)
    return where(near, -pi / 8 * hyp2f1(0.5, 1.5, 2.0, where(near, m, 0)), far)


def _half_periods(phi: Any) -> Any:
    """How many times pi an angle lies from [-pi/2, pi/2]."""
    return rint(phi / pi)


def _kinc_slope(phi: Any, m: Any) -> Any:
    """The derivative of F(phi, m) by m."""
    turns = _half_periods(phi)
    inner = phi - turns * pi
    s, c = sin(inner), cos(inner)
    return s * s * s / 6 * elliprd(c * c, 1.0, 1 - m * s * s) + 2 * turns * _k_slope(m)


def _einc_slope(phi: Any, m: Any) -> Any:
    """The derivative of E(phi, m) by m."""
    turns = _half_periods(phi)
    inner = phi - turns * pi
    s, c = sin(inner), cos(inner)
    return s * s * s / -6 * elliprd(c * c, 1 - m * s * s, 1.0) + 2 * turns * _e_slope(m)


def _root(phi: Any, m: Any) -> Any:
    s = sin(phi)
    return sqrt(1 - m * s * s)


def _amplitude_slope(u: Any, m: Any) -> Any:
    """The derivative of the amplitude by m: F(amplitude, m) stays u."""
    return -_kinc_slope(ellipj[3](u, m), m) * ellipj[2](u, m)


def _dn_slope(u: Any, m: Any, out: Any) -> Any:
    sn, cn = ellipj[0](u, m), ellipj[1](u, m)
    return -(sn * sn + 2 * m * sn * cn * _amplitude_slope(u, m)) / (2 * out)


# fmt: off
ellipk: Primitive = elementwise("ellipk",   sp.ellipk,   dm=lambda g, m: g * _k_slope(m))
ellipkm1: Primitive = elementwise("ellipkm1", sp.ellipkm1, dp=lambda g, p: g * _km1_slope(p))
ellipe: Primitive = elementwise("ellipe",   sp.ellipe,   dm=lambda g, m: g * _e_slope(m))
ellipkinc = elementwise("ellipkinc", sp.ellipkinc, dphi=lambda g, phi, m: g / _root(phi, m),
                        dm=lambda g, phi, m: g * _kinc_slope(phi, m))
ellipeinc = elementwise("ellipeinc", sp.ellipeinc, dphi=lambda g, phi, m: g * _root(phi, m),
                        dm=lambda g, phi, m: g * _einc_slope(phi, m))

# Carlson's symmetric integrals.
elliprd: Primitive = with_partials("elliprd", sp.elliprd, {"x": POSITIVE, "y": POSITIVE, "z": POSITIVE})
elliprj = with_partials("elliprj", sp.elliprj, {"x": POSITIVE, "y": POSITIVE, "z": POSITIVE, "p": POSITIVE})
elliprg = with_partials("elliprg", sp.elliprg, {"x": POSITIVE, "y": POSITIVE, "z": POSITIVE})
elliprf = elementwise("elliprf", sp.elliprf, dx=lambda g, x, y, z: g * elliprd(y, z, x) / -6,
                      dy=lambda g, x, y, z: g * elliprd(z, x, y) / -6, dz=lambda g, x, y, z: g * elliprd(x, y, z) / -6)
elliprc = elementwise("elliprc", sp.elliprc, dx=lambda g, x, y: g * elliprd(y, y, x) / -6,
                      dy=lambda g, x, y: g * elliprd(x, y, y) / -3)

# Jacobi's functions: sn, cn, dn and the amplitude.
ellipj: Any = of_results("ellipj", sp.ellipj, {"u": above(0), "m": above(0)}, {
    "sn": {"du": lambda g, u, m: g * ellipj[1](u, m) * ellipj[2](u, m),
           "dm": lambda g, u, m: g * ellipj[1](u, m) * _amplitude_slope(u, m)},
    "cn": {"du": lambda g, u, m: -g * ellipj[0](u, m) * ellipj[2](u, m),
           "dm": lambda g, u, m: -g * ellipj[0](u, m) * _amplitude_slope(u, m)},
    "dn": {"du": lambda g, u, m: -g * m * ellipj[0](u, m) * ellipj[1](u, m),
           "dm": lambda g, u, m, out: g * _dn_slope(u, m, out)},
    "am": {"du": lambda g, u, m: g * ellipj[2](u, m),
           "dm": lambda g, u, m: g * _amplitude_slope(u, m)},
})
agm = with_partials("agm", sp.agm, {"a": POSITIVE, "b": POSITIVE})
# fmt: on
