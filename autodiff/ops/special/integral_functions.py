"""Exponential, trigonometric and Fresnel integrals, the functions of Faddeeva, Voigt, Lambert and Wright."""

from __future__ import annotations

from math import pi
from math import sqrt as scalar_sqrt
from typing import Any

import scipy.special as sp

from autodiff.ops.elementwise import cos, cosh, equal, exp, from_parts, imag, real, sin, where
from autodiff.ops.special.gamma import ROOT2, ROOT_PI, exprel
from autodiff.ops.special.partial_derivatives import anywhere
from autodiff.ops.special.scipy_functions import elementwise, of_results
from autodiff.ops.special.sinc import sinc
from autodiff.trace.primitive import Primitive

ONE = {"x": anywhere}
QUARTER = complex(scalar_sqrt(0.5), scalar_sqrt(0.5))
"""exp(i pi / 4)."""


def _expn_slope(n: Any, x: Any, out: Any) -> Any:
    """The derivative of E_n: E_(n-1) with the other sign, and that of exp(-x) / x for n = 0."""
    first = equal(n, 0)
    return where(first, -(out + out / x), -expn(where(first, 1, n) - 1, x))


def _faddeeva_slope(z: Any, value: Any) -> Any:
    return -2 * z * value + 2j / ROOT_PI


def _voigt(x: Any, sigma: Any, gamma: Any) -> tuple[Any, Any]:
    """The argument of Faddeeva's function, and the derivative there, scaled as that of the profile by x is."""
    z = from_parts(x, gamma) / (sigma * ROOT2)
    return z, _faddeeva_slope(z, wofz(z)) / (2 * ROOT_PI * sigma * sigma)


def _voigt_dsigma(g: Any, x: Any, sigma: Any, gamma: Any, out: Any) -> Any:
    z, rate = _voigt(x, sigma, gamma)
    return -g * (out / sigma + ROOT2 * real(z * rate))


# fmt: off
exp1 = elementwise("exp1", sp.exp1, dx=lambda g, x: -g * exp(-x) / x)
expi = elementwise("expi", sp.expi, dx=lambda g, x: g * exp(x) / x)
expn: Primitive = elementwise("expn", sp.expn, dn=None, dx=lambda g, n, x, out: g * _expn_slope(n, x, out))
scaled_exp1 = elementwise("scaled_exp1", sp._ufuncs._scaled_exp1, dx=lambda g, x, out: g * (out / x + out - 1))
sici   = of_results("sici",   sp.sici,   ONE, {"si": {"dx": lambda g, x: g * _sine_ratio(x)},
                                               "ci": {"dx": lambda g, x: g * cos(x) / x}})
shichi = of_results("shichi", sp.shichi, ONE, {"shi": {"dx": lambda g, x: g * _sinh_ratio(x)},
                                               "chi": {"dx": lambda g, x: g * cosh(x) / x}})
fresnel = of_results("fresnel", sp.fresnel, ONE, {"s": {"dx": lambda g, x: g * sin(pi / 2 * x * x)},
                                                  "c": {"dx": lambda g, x: g * cos(pi / 2 * x * x)}})
modfresnelp = of_results("modfresnelp", sp.modfresnelp, ONE, {
    "f": {"dx": lambda g, x: -g * exp(1j * x * x)},
    "k": {"dx": lambda g, x, out: g * (-2j * x * out - QUARTER.conjugate() / ROOT_PI)}})
modfresnelm = of_results("modfresnelm", sp.modfresnelm, ONE, {
    "f": {"dx": lambda g, x: -g * exp(-1j * x * x)},
    "k": {"dx": lambda g, x, out: g * (2j * x * out - QUARTER / ROOT_PI)}})
wofz: Primitive = elementwise("wofz", sp.wofz, dx=lambda g, x, out: g * _faddeeva_slope(x, out))
voigt_profile = elementwise("voigt_profile", sp.voigt_profile,
                            dx=lambda g, x, sigma, gamma: g * real(_voigt(x, sigma, gamma)[1]),
                            dsigma=_voigt_dsigma,
                            dgamma=lambda g, x, sigma, gamma: -g * imag(_voigt(x, sigma, gamma)[1]))
wrightomega = elementwise("wrightomega", sp.wrightomega, dx=lambda g, out: g * out / (1 + out))
lambertw = elementwise("lambertw", sp._ufuncs._lambertw, dx=lambda g, out: g * exp(-out) / (1 + out),
                       dk=None, dtol=None)
# fmt: on


def _sine_ratio(x: Any) -> Any:
    """sin(x) / x."""
    return sinc(x * (1 / pi), order=0)


def _sinh_ratio(x: Any) -> Any:
    """sinh(x) / x."""
    return 0.5 * (exprel(x, order=0) + exprel(-x, order=0))
