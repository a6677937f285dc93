"""Bessel functions, and those that are made of them, one row each.

They come as families that are closed under differentiation by their recurrences. By the order there is no formula in
terms of functions that a library has: that derivative is a difference
(:mod:`autodiff.ops.special.partial_derivatives`).
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from math import sqrt as scalar_sqrt
from typing import Any

import numpy as np
import scipy.special as sp

from autodiff.ops.elementwise import absolute, greater, less, power, sqrt, where
from autodiff.ops.on_gpu import bessel as gpu_bessel
from autodiff.ops.special.gamma import rgamma
from autodiff.ops.special.partial_derivatives import above, anywhere
from autodiff.ops.special.scaled_bessel import ive_derivative
from autodiff.ops.special.scipy_functions import elementwise, of_results, with_partials
from autodiff.ops.special.sinc import ORDER as DERIVATIVES
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.primitive import Primitive, find_primitive, ufunc_dtype
from autodiff.trace.primitive import elementwise as elementwise_of
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, native, spec_of

ROOT_PI = scalar_sqrt(pi)
ORDER = {"v": anywhere, "x": above(0)}
ONE = {"x": above(0)}


def _i0_dtype(x: Spec) -> np.dtype[Any]:
    return native(x.dtype) if x.dtype.kind == "f" else np.dtype(np.float64)


def _real(name: str, x: Any) -> Any:
    """The argument of a function that is scaled by an absolute value, which of complex numbers is not analytic."""
    if spec_of(x).dtype.kind == "c":
        raise DifferentiationError(
            f"scipy.special.{name} of complex numbers has no derivative{at_user_line()}: it is scaled by the absolute "
            "value of a part of its argument. Scale the function that is not scaled yourself."
        )
    return x


def _over_x(x: Any, difference: Any, sign: int) -> Any:
    """What I0 is more than one (for sign 1), or J0 less (-1), over x: by its power series near 0, where it cancels."""
    near = less(absolute(x), 0.1)
    small = where(near, x, 0.0)
    square = sign * small * small
    series = small * (1 / 4 + square * (1 / 64 + square * (1 / 2304 + square / 147456)))
    return where(near, series, difference / where(near, 1.0, x))


def _scaled_bessel(v: Any, x: Any) -> Any:
    """exp(-|x|) I_v(x), by the quicker functions where there are some."""
    if np.ndim(v) or abs(v) > 1 or v != int(v):
        return sp.ive(v, x)
    return sp.i1e(x) if v else sp.i0e(x)


def _ive_derivative_dtype(v: Spec, x: Spec, *, order: int) -> np.dtype[Any]:
    return ufunc_dtype(sp.ive)(v, x)


def _evaluate_ive_derivative(bessel: Callable[..., Any]) -> Callable[..., Any]:
    """The function on arrays of NumPy or CuPy, from `ive` there."""

    def evaluate(v: Any, x: Any, *, order: int) -> Any:
        dtype = _ive_derivative_dtype(spec_of(v), spec_of(x), order=order)
        return ive_derivative(v, x, order, bessel).astype(dtype)[()]

    return evaluate


def _ive_dx(g: Any, v: Any, x: Any) -> Any:
    if spec_of(x).dtype.kind == "c":
        raise DifferentiationError(
            f"scipy.special.ive has no derivative at complex arguments{at_user_line()}: exp(-abs(real(z))) is not "
            "holomorphic. Write iv(v, z) * np.exp(-np.abs(np.real(z))), which has one by the real and imaginary part."
        )
    return g * ive_slope(v, x, order=1)


def _ive_slope_dv(g: Any, v: Any, x: Any, order: int) -> Any:
    return g * find_primitive("ive_partial")(v, x, orders=(1, order))


def _where_iv_is_found(x: Any) -> Any:
    """x, with 0 in place of numbers so small that SciPy's iv is NaN there, where it is that at 0."""
    return where(less(absolute(x), 1e-300), 0, x)


def _struve_term(v: Any, x: Any) -> Any:
    """(x/2)^v / (sqrt(pi) gamma(v + 3/2))."""
    return power(x / 2, v) * rgamma(v + 1.5) / ROOT_PI


def _growth(x: Any) -> Any:
    """sqrt(x) of positive numbers, by whose integral the growing Airy function is scaled; others are not."""
    grows = greater(_real("airye", x), 0)
    return where(grows, sqrt(where(grows, x, 1)), 0)


# fmt: off

# Of any order.
jv: Primitive  = with_partials("jv",  sp.jv,  ORDER, dx=lambda g, v, x: g * (0.5 * (jv(v - 1, x) - jv(v + 1, x))))
yv: Primitive  = with_partials("yv",  sp.yv,  ORDER, dx=lambda g, v, x: g * (0.5 * (yv(v - 1, x) - yv(v + 1, x))))
iv: Primitive  = with_partials("iv",  sp.iv,  ORDER, dx=lambda g, v, x: g * (0.5 * (iv(v - 1, x) + iv(v + 1, x))))
kv: Primitive  = with_partials("kv",  sp.kv,  ORDER, dx=lambda g, v, x: g * (-0.5 * (kv(v - 1, x) + kv(v + 1, x))))
jve: Primitive = with_partials("jve", sp.jve, ORDER, dx=lambda g, v, x:
                               g * (0.5 * (jve(v - 1, _real("jve", x)) - jve(v + 1, x))))
yve: Primitive = with_partials("yve", sp.yve, ORDER, dx=lambda g, v, x:
                               g * (0.5 * (yve(v - 1, _real("yve", x)) - yve(v + 1, x))))
ive: Primitive = with_partials("ive", sp.ive, ORDER, dx=_ive_dx)
ive_slope: Primitive = elementwise_of("ive_slope", _evaluate_ive_derivative(_scaled_bessel),
                                      dtype=_ive_derivative_dtype,
                                      on_gpu=_evaluate_ive_derivative(gpu_bessel.ive), params={"order": DERIVATIVES},
                                      dv=_ive_slope_dv,
                                      dx=lambda g, v, x, order: g * ive_slope(v, x, order=order + 1))
kve: Primitive = with_partials("kve", sp.kve, ORDER, dx=lambda g, v, x, out:
                               g * (out - 0.5 * (kve(v - 1, x) + kve(v + 1, x))))
hankel1: Primitive  = with_partials("hankel1",  sp.hankel1,  ORDER, dx=lambda g, v, x:
                                    g * (0.5 * (hankel1(v - 1, x) - hankel1(v + 1, x))))
hankel2: Primitive  = with_partials("hankel2",  sp.hankel2,  ORDER, dx=lambda g, v, x:
                                    g * (0.5 * (hankel2(v - 1, x) - hankel2(v + 1, x))))
hankel1e: Primitive = with_partials("hankel1e", sp.hankel1e, ORDER, dx=lambda g, v, x, out:
                                    g * (0.5 * (hankel1e(v - 1, x) - hankel1e(v + 1, x)) - 1j * out))
hankel2e: Primitive = with_partials("hankel2e", sp.hankel2e, ORDER, dx=lambda g, v, x, out:
                                    g * (0.5 * (hankel2e(v - 1, x) - hankel2e(v + 1, x)) + 1j * out))

# Of one order, or of whole ones.
yn  = elementwise("yn",  sp.yn,  dn=None, dx=lambda g, n, x: g * (0.5 * (yv(n - 1, x) - yv(n + 1, x))))
kn  = elementwise("kn",  sp.kn,  dn=None, dx=lambda g, n, x: g * (-0.5 * (kv(n - 1, x) + kv(n + 1, x))))
j1  = elementwise("j1",  sp.j1,  dx=lambda g, x: g * (0.5 * (jv(0, x) - jv(2, x))))
j0  = elementwise("j0",  sp.j0,  dx=lambda g, x: -g * j1(x))
y1  = elementwise("y1",  sp.y1,  dx=lambda g, x: g * (0.5 * (yv(0, x) - yv(2, x))))
y0  = elementwise("y0",  sp.y0,  dx=lambda g, x: -g * y1(x))
i1  = elementwise("i1",  sp.i1,  dx=lambda g, x: g * (0.5 * (i0(x) + iv(2, _where_iv_is_found(x)))))
i0: Primitive = elementwise("i0",  sp.i0,  dx=lambda g, x: g * i1(x))
k1  = elementwise("k1",  sp.k1,  dx=lambda g, x: g * (-0.5 * (kv(0, x) + kv(2, x))))
k0  = elementwise("k0",  sp.k0,  dx=lambda g, x: -g * k1(x))
i1e = elementwise("i1e", sp.i1e, dx=lambda g, x: g * ive_slope(1, x, order=1))
i0e = elementwise("i0e", sp.i0e, dx=lambda g, x: g * ive_slope(0, x, order=1))  # at its kink 0: 0
k1e = elementwise("k1e", sp.k1e, dx=lambda g, x, out: g * (out - 0.5 * (kve(0, x) + kve(2, x))))
k0e = elementwise("k0e", sp.k0e, dx=lambda g, x, out: g * (out - k1e(x)))
numpy_i0 = elementwise("numpy_i0", np.i0, dtype=_i0_dtype, dx=lambda g, x: g * i1(x))

# Struve functions.
struve: Primitive = with_partials("struve", sp.struve, ORDER, dx=lambda g, v, x:
    g * (0.5 * (struve(v - 1, x) - struve(v + 1, x) + _struve_term(v, x))))
modstruve: Primitive = with_partials("modstruve", sp.modstruve, ORDER, dx=lambda g, v, x:
    g * (0.5 * (modstruve(v - 1, x) + modstruve(v + 1, x) + _struve_term(v, x))))

# Kelvin functions, whose second derivatives their equation gives.
ber: Primitive = elementwise("ber",  sp.ber,  dx=lambda g, x: g * berp(x))
bei: Primitive = elementwise("bei",  sp.bei,  dx=lambda g, x: g * beip(x))
ker: Primitive = elementwise("ker",  sp.ker,  dx=lambda g, x: g * kerp(x))
kei: Primitive = elementwise("kei",  sp.kei,  dx=lambda g, x: g * keip(x))
berp: Primitive = elementwise("berp", sp.berp, dx=lambda g, x, out: g * (-bei(x) - out / x))
beip: Primitive = elementwise("beip", sp.beip, dx=lambda g, x, out: g * (ber(x) - out / x))
kerp: Primitive = elementwise("kerp", sp.kerp, dx=lambda g, x, out: g * (-kei(x) - out / x))
keip: Primitive = elementwise("keip", sp.keip, dx=lambda g, x, out: g * (ker(x) - out / x))
kelvin: Any = of_results("kelvin", sp.kelvin, ONE, {
    "be":  {"dx": lambda g, x: g * kelvin[2](x)},
    "ke":  {"dx": lambda g, x: g * kelvin[3](x)},
    "bep": {"dx": lambda g, x, out: g * (1j * kelvin[0](x) - out / x)},
    "kep": {"dx": lambda g, x, out: g * (1j * kelvin[1](x) - out / x)},
})

# Airy functions; those that are scaled are so by exp(2/3 x^(3/2)).
airy: Any = of_results("airy", sp.airy, {"x": anywhere}, {
    "ai":  {"dx": lambda g, x: g * airy[1](x)},
    "aip": {"dx": lambda g, x: g * (x * airy[0](x))},
    "bi":  {"dx": lambda g, x: g * airy[3](x)},
    "bip": {"dx": lambda g, x: g * (x * airy[2](x))},
})
airye: Any = of_results("airye", sp.airye, {"x": anywhere}, {
    "ai":  {"dx": lambda g, x, out: g * (airye[1](x) + sqrt(x) * out)},
    "aip": {"dx": lambda g, x, out: g * (x * airye[0](x) + sqrt(x) * out)},
    "bi":  {"dx": lambda g, x, out: g * (airye[3](x) - _growth(x) * out)},
    "bip": {"dx": lambda g, x, out: g * (x * airye[2](x) - _growth(x) * out)},
})

# Integrals.
itj0y0 = of_results("itj0y0", sp.itj0y0, ONE, {
    "j": {"dx": lambda g, x: g * j0(x)}, "y": {"dx": lambda g, x: g * y0(x)}})
iti0k0 = of_results("iti0k0", sp.iti0k0, ONE, {
    "i": {"dx": lambda g, x: g * i0(x)}, "k": {"dx": lambda g, x: g * k0(x)}})
it2j0y0 = of_results("it2j0y0", sp.it2j0y0, ONE, {
    "j": {"dx": lambda g, x: g * _over_x(x, 1 - j0(x), -1)}, "y": {"dx": lambda g, x: -g * (y0(x) / x)}})
it2i0k0 = of_results("it2i0k0", sp.it2i0k0, ONE, {
    "i": {"dx": lambda g, x: g * _over_x(x, i0(x) - 1, 1)}, "k": {"dx": lambda g, x: -g * (k0(x) / x)}})
itairy = of_results("itairy", sp.itairy, {"x": anywhere}, {
    "ai":     {"dx": lambda g, x: g * airy[0](x)},
    "bi":     {"dx": lambda g, x: g * airy[2](x)},
    "ai_neg": {"dx": lambda g, x: g * airy[0](-x)},
    "bi_neg": {"dx": lambda g, x: g * airy[2](-x)},
})
itstruve0    = elementwise("itstruve0",    sp.itstruve0,    dx=lambda g, x: g * struve(0.0, x))
it2struve0   = elementwise("it2struve0",   sp.it2struve0,   dx=lambda g, x: -g * (struve(0.0, x) / x))
itmodstruve0 = elementwise("itmodstruve0", sp.itmodstruve0, dx=lambda g, x: g * modstruve(0.0, x))
besselpoly   = with_partials("besselpoly", sp.besselpoly, {"a": anywhere, "lmb": above(-1), "nu": above(-1)})
# fmt: on
