"""Special functions on each element: the ufuncs of scipy.special, one row each: errors, gamma, logarithms.

Importing this file imports scipy.special, which takes a while; so nothing imports it before a special
function is used.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, nan, pi
from math import log as scalar_log
from math import sqrt as scalar_sqrt
from typing import Any

import numpy as np
import scipy.special as sp

from autodiff.ops.elementwise import (
    absolute,
    as_precise,
    cos,
    equal,
    exp,
    floor,
    greater,
    hypot,
    less,
    less_equal,
    log,
    logical_and,
    logical_not,
    maximum,
    minimum,
    real,
    sin,
    where,
)
from autodiff.ops.elementwise import log1p as numpy_log1p
from autodiff.ops.masked import masked
from autodiff.ops.on_gpu import special as gpu
from autodiff.ops.relative import Logarithm, Multiple
from autodiff.ops.special.partial_derivatives import above, between, off
from autodiff.ops.special.scaled_erfc import erfcx_derivative
from autodiff.ops.special.scipy_functions import elementwise, inverse, with_partials
from autodiff.ops.special.sinc import ORDER
from autodiff.trace.facts import floating
from autodiff.trace.parameters import integer
from autodiff.trace.primitive import Primitive, ufunc_dtype
from autodiff.trace.primitive import elementwise as elementwise_of
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of

LN2, LN10 = scalar_log(2.0), scalar_log(10.0)
DEGREE = pi / 180
ROOT2, ROOT_PI, ROOT_2PI = scalar_sqrt(2.0), scalar_sqrt(pi), scalar_sqrt(2 * pi)


def _from_zero(x: Any) -> Any:
    """x, with NaN for numbers below zero: where a function is NaN its derivative is NaN."""
    return where(less(x, 0), nan, x)


def _density(x: Any) -> Any:
    """The standard normal density."""
    return exp(-0.5 * x * x) / ROOT_2PI


def _both(x: Any, zero: float, y: Any, corner: float) -> Any:
    """Where x and y are at the corner, at which a zero outweighs an infinity."""
    return logical_and(equal(x, zero), equal(y, corner))


def _xlogy_dx(g: Any, x: Any, y: Any) -> Any:
    """log(y); at (0, 0) it is 0."""
    return masked(g * log(as_precise(y, g)), logical_not(_both(x, 0, y, 0)))


def _xlogy_dy(g: Any, x: Any, y: Any) -> Any:
    return masked(g * x / _from_zero(y), logical_not(_both(x, 0, y, 0)))


def _xlog1py_dx(g: Any, x: Any, y: Any) -> Any:
    """log(1 + y); at (0, -1) it is 0."""
    return masked(g * numpy_log1p(as_precise(y, g)), logical_not(_both(x, 0, y, -1)))


def _xlog1py_dy(g: Any, x: Any, y: Any) -> Any:
    return masked(g * x / _from_zero(1 + y), logical_not(_both(x, 0, y, -1)))


def _rel_entr_dx(g: Any, x: Any, y: Any) -> Any:
    """log(x / y) + 1; at (0, 0) it is 0."""
    return masked(g * (log(x / y) + 1), logical_not(_both(x, 0, y, 0)))


def _rel_entr_dy(g: Any, x: Any, y: Any) -> Any:
    return masked(-g * x / y, logical_not(_both(x, 0, y, 0)))


def _kl_div_dx(g: Any, x: Any, y: Any) -> Any:
    """log(x / y); at (0, 0) it is 0."""
    return masked(g * log(x / y), logical_not(_both(x, 0, y, 0)))


def _kl_div_dy(g: Any, x: Any, y: Any) -> Any:
    """1 - x / y; at (0, 0) it is 1."""
    corner = _both(x, 0, y, 0)
    return g * (1 - x / where(corner, 1, y))


def _logit_dx(g: Any, x: Any) -> Any:
    """1 / (x (1 - x)), and NaN outside of [0, 1]."""
    return g / _from_zero(x * (1 - x))


def gammainc_slope(a: Any, x: Any) -> Any:
    """x^(a-1) e^-x / gamma(a)."""
    return exp(xlogy(a - 1, x) - x - gammaln(a))


def betainc_slope(a: Any, b: Any, x: Any) -> Any:
    """x^(a-1) (1-x)^(b-1) / beta(a, b)."""
    return exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b))


_LOG1P = Logarithm(_from_zero, lambda x: 1 + x)


MOST_OF_GAMMA = 170
"""The factorial of it is the largest in double precision."""


def _evaluate_polygamma(x: Any, *, order: int) -> Any:
    if order > MOST_OF_GAMMA:
        raise ValueError(
            f"polygamma of order {order} is made of a factorial beyond double precision{at_user_line()}; orders up to "
            f"{MOST_OF_GAMMA} are computed, and a derivative asks for one more than its function"
        )
    if order and np.iscomplexobj(x):
        raise TypeError(
            f"polygamma of order {order} is not computed of complex numbers{at_user_line()}; the derivative of digamma "
            "asks for it, and the second one of loggamma: give the function a rule with custom_jvp"
        )
    return (-1.0) ** (order + 1) * factorial(order) * sp.zeta(order + 1, x) if order else sp.psi(x)


def _evaluate_exprel(x: Any, *, order: int) -> Any:
    return sp.hyp1f1(order + 1, order + 2, x) / (order + 1) if order else sp.exprel(x)


def _of_order(evaluate: Callable[..., Any]) -> Callable[..., np.dtype[Any]]:
    """The dtype of a function's derivatives: the function of each order has its own."""
    return lambda x, *, order: evaluate(np.ones(1, x.dtype), order=order).dtype


def _erfcx_derivative_dtype(x: Spec, *, order: int) -> np.dtype[Any]:
    return ufunc_dtype(sp.erfcx)(x)


def _evaluate_erfcx_derivative(library: Callable[[], Any]) -> Callable[..., Any]:
    """The function on arrays of NumPy or CuPy, from `erfcx` there."""

    def evaluate(x: Any, *, order: int) -> Any:
        return erfcx_derivative(x, order, library().erfcx).astype(ufunc_dtype(sp.erfcx)(spec_of(x)))[()]

    return evaluate


def _erfcx_dx(g: Any, x: Any, out: Any) -> Any:
    """2 x out - 2 / sqrt(pi), which of real numbers a function gives that loses no digits."""
    return g * (2 * x * out - 2 / ROOT_PI) if spec_of(x).dtype.kind == "c" else g * erfcx_slope(x, order=1)


def _normal_quantile_slope(p: Any) -> Any:
    """The derivative of the normal quantile."""
    quantile = ndtri(p)
    return ROOT_2PI * exp(0.5 * quantile * quantile)


def _rgamma_slope(x: Any) -> Any:
    """The derivative of 1 / gamma, which has no pole: left of 1/2 it is that of sin(pi x) gamma(1 - x) / pi."""
    left = less(real(x), 0.5)
    reflected, direct = where(left, 1 - x, 1), where(left, 1, x)
    beside = gamma(reflected) * (cos(pi * x) - sin(pi * x) / pi * digamma(reflected))
    return where(left, beside, -digamma(direct) * rgamma(direct))


def _is_pole(z: Any) -> Any:
    """Whether the gamma function has a pole."""
    return logical_and(less_equal(z, 0), equal(z, floor(z)))


def _ratio_slopes(top: Any, bottom: Any, out: Any, factor: Any = 1.0) -> tuple[Any, Any]:
    """The derivatives of ``factor * gamma(top) / gamma(bottom)`` by both, at poles of the divisor and of both, too."""
    zero, both = _is_pole(bottom), _is_pole(top)
    at_zero = gamma(where(both, 1.0, top)) * factor * _rgamma_slope(where(zero, bottom, 1.0))
    upper = digamma(where(both, 1 - top, top))
    lower = digamma(where(both, 1 - bottom, where(zero, 1.0, bottom)))
    return out * upper, where(logical_and(zero, logical_not(both)), at_zero, -out * lower)


def _binom_slopes(n: Any, k: Any, out: Any) -> tuple[Any, Any]:
    """The derivatives of binomial coefficients, also where they are zero because n is a smaller integer than k."""
    upper, lower = _ratio_slopes(n + 1, n - k + 1, out, rgamma(k + 1))
    return upper + lower, _ratio_slopes(n + 1, k + 1, out, rgamma(n - k + 1))[1] - lower


def _poch_slope(z: Any, m: Any, out: Any) -> Any:
    """The derivative of a rising factorial by where it begins, which may be 0 or a negative integer."""
    return sum(_ratio_slopes(z + m, z, out))


def _pseudo_huber_slope(g: Any, delta: Any, r: Any) -> Any:
    ratio = r / delta
    root = hypot(1, ratio)
    return g * delta * (2 * (root - 1) - ratio * ratio / root)


# fmt: off

# The error function and the normal distribution.
erf      = elementwise("erf",      sp.erf,      dx=lambda g, x: g * (2 / ROOT_PI * exp(-x * x)),
                       facts=floating("erf(x)"))
erfc     = elementwise("erfc",     sp.erfc,     dx=lambda g, x: g * (-2 / ROOT_PI * exp(-x * x)),
                       facts=floating("erfc(x)", nonnegative=True))
erfi     = elementwise("erfi",     sp.erfi,     dx=lambda g, x: g * (2 / ROOT_PI * exp(x * x)))
erfcx    = elementwise("erfcx",    sp.erfcx,    dx=_erfcx_dx)
erfcx_slope: Primitive = elementwise_of("erfcx_slope", _evaluate_erfcx_derivative(lambda: sp),
                                        dtype=_erfcx_derivative_dtype,
                                        on_gpu=_evaluate_erfcx_derivative(gpu.library), params={"order": ORDER},
                                        dx=lambda g, x, order: g * erfcx_slope(x, order=order + 1))
dawsn    = elementwise("dawsn",    sp.dawsn,    dx=lambda g, x, out: g * (1 - 2 * x * out))
erfinv   = elementwise("erfinv",   sp.erfinv,   dx=lambda g, out: g * (ROOT_PI / 2 * exp(out * out)))
erfcinv  = elementwise("erfcinv",  sp.erfcinv,  dx=lambda g, out: g * (-ROOT_PI / 2 * exp(out * out)))
ndtr     = elementwise("ndtr",     sp.ndtr,     dx=lambda g, x: g * _density(x),
                       facts=floating("erfc(x * -ROOT_HALF) / 2"))
ndtri    = elementwise("ndtri",    sp.ndtri,    dx=lambda g, out: g * (ROOT_2PI * exp(0.5 * out * out)))
log_ndtr = elementwise("log_ndtr", sp.log_ndtr, dx=lambda g, x: g * (2 / ROOT_2PI / erfcx(x * (-1 / ROOT2))))
ndtri_exp = elementwise("ndtri_exp", sp.ndtri_exp, dx=lambda g, out: g * (ROOT_2PI / 2 * erfcx(out * (-1 / ROOT2))))
nrdtrimn = elementwise("nrdtrimn", sp.nrdtrimn,
                       dp=lambda g, p, std: -g * std * _normal_quantile_slope(p), dstd=lambda g, p: -g * ndtri(p),
                       dx=lambda g: g)
nrdtrisd = elementwise("nrdtrisd", sp.nrdtrisd,
                       dmn=lambda g, p: -g / ndtri(p),
                       dp=lambda g, p, out: -g * out * _normal_quantile_slope(p) / ndtri(p),
                       dx=lambda g, p: g / ndtri(p))
owens_t  = elementwise("owens_t",  sp.owens_t,
                       dh=lambda g, h, a: -g * (0.5 * _density(h) * erf(a * h * (1 / ROOT2))),
                       da=lambda g, h, a: g * (exp(-0.5 * h * h * (1 + a * a)) / (2 * pi * (1 + a * a))))

# The gamma function.
polygamma: Primitive = elementwise("polygamma", _evaluate_polygamma, dtype=_of_order(_evaluate_polygamma),
                                   on_gpu=gpu.polygamma,
                                   params={"order": integer(0, MOST_OF_GAMMA)},
                                   dx=lambda g, x, order: g * polygamma(x, order=order + 1))
digamma  = elementwise("digamma",  sp.digamma,  dx=lambda g, x: g * polygamma(x, order=1), facts=floating("digamma(x)"))
gammaln  = elementwise("gammaln",  sp.gammaln,  dx=lambda g, x: g * digamma(x),
                       facts=floating("lgamma(x)", label="lgamma"))
loggamma = elementwise("loggamma", sp.loggamma, dx=lambda g, x: g * digamma(_from_zero(x)))
gamma    = elementwise("gamma",    sp.gamma,    dx=lambda g, x, out: g * (out * digamma(x)))
beta     = elementwise("beta",     sp.beta,
                       da=lambda g, a, b, out: g * out * (digamma(a) - digamma(a + b)),
                       db=lambda g, a, b, out: g * out * (digamma(b) - digamma(a + b)))
betaln   = elementwise("betaln",   sp.betaln,
                       da=lambda g, a, b: g * (digamma(a) - digamma(a + b)),
                       db=lambda g, a, b: g * (digamma(b) - digamma(a + b)))
gammainc: Primitive  = with_partials("gammainc",  sp.gammainc,  {"a": above(0), "x": above(0)},
                                     dx=lambda g, a, x: g * gammainc_slope(a, x))
gammaincc: Primitive = with_partials("gammaincc", sp.gammaincc, {"a": above(0), "x": above(0)},
                                     dx=lambda g, a, x: -g * gammainc_slope(a, x))
betainc: Primitive   = with_partials("betainc",  sp.betainc,  {"a": above(0), "b": above(0), "x": between(0, 1)},
                                     dx=lambda g, a, b, x: g * betainc_slope(a, b, x))
betaincc: Primitive  = with_partials("betaincc", sp.betaincc, {"a": above(0), "b": above(0), "x": between(0, 1)},
                                     dx=lambda g, a, b, x: -g * betainc_slope(a, b, x))
gammaincinv  = inverse("gammaincinv",  sp.gammaincinv,  "a p",   gammainc,  "x", "p")
gammainccinv = inverse("gammainccinv", sp.gammainccinv, "a p",   gammaincc, "x", "p")
betaincinv   = inverse("betaincinv",   sp.betaincinv,   "a b p", betainc,   "x", "p")
betainccinv  = inverse("betainccinv",  sp.betainccinv,  "a b p", betaincc,  "x", "p")
btdtria      = inverse("btdtria",      sp.btdtria,      "p b x", betainc,   "a", "p")
btdtrib      = inverse("btdtrib",      sp.btdtrib,      "a p x", betainc,   "b", "p")
rgamma   = elementwise("rgamma",   sp.rgamma,   dx=lambda g, x: g * _rgamma_slope(x))
gammasgn = elementwise("gammasgn", sp.gammasgn, dx=None)
poch     = elementwise("poch",     sp.poch,
                       dz=lambda g, z, m, out: g * _poch_slope(z, m, out),
                       dm=lambda g, z, m, out: g * out * digamma(z + m))
binom    = elementwise("binom",    sp.binom,
                       dn=lambda g, n, k, out: g * _binom_slopes(n, k, out)[0],
                       dk=lambda g, n, k, out: g * _binom_slopes(n, k, out)[1])
lgam1p   = elementwise("lgam1p",   sp._ufuncs._lgam1p, dx=lambda g, x: g * digamma(1 + x))
zeta: Primitive = with_partials("zeta", sp._ufuncs._zeta, {"s": above(1), "q": above(0)},
                                dq=lambda g, s, q: -g * s * zeta(s + 1, q))
riemann_zeta = with_partials("riemann_zeta", sp._ufuncs._riemann_zeta, {"s": off(1)})
zetac        = with_partials("zetac",        sp.zetac,                 {"s": off(1)})

# Logarithms, entropies, probabilities.
expit: Primitive = elementwise("expit", sp.expit, dx=lambda g, x, out: g * (out * expit(-x)),
                               relative=Multiple(lambda g, x, **_: g * expit(-x)),
                               facts=floating("logistic(x)", nonnegative=True))
log_expit = elementwise("log_expit", sp.log_expit, dx=lambda g, x: g * expit(-x), facts=floating("-softplus(-x)"))
logit    = elementwise("logit",    sp.logit,    dx=_logit_dx)
entr     = elementwise("entr",     sp.entr,     dx=lambda g, x: -g * (log(x) + 1),
                       facts=floating("where(x > 0, -x * log(x), where(x == 0, 0, where(x < 0, -INFINITY, x)))"))
xlogy    = elementwise("xlogy",    sp.xlogy,    dx=_xlogy_dx,    dy=_xlogy_dy,
                       facts=floating("where((x == 0) & (y == y), 0, x * log(y))"))
xlog1py  = elementwise("xlog1py",  sp.xlog1py,  dx=_xlog1py_dx,  dy=_xlog1py_dy,
                       facts=floating("where((x == 0) & (y == y), 0, x * log1p(y))"))
rel_entr = elementwise("rel_entr", sp.rel_entr, dx=_rel_entr_dx, dy=_rel_entr_dy)
kl_div   = elementwise("kl_div",   sp.kl_div,   dx=_kl_div_dx,   dy=_kl_div_dy)
huber    = elementwise("huber",    sp.huber,
                       ddelta=lambda g, delta, r: masked(g * (absolute(r) - delta), greater(absolute(r), delta)),
                       dr=lambda g, delta, r: g * minimum(maximum(r, -delta), delta))
pseudo_huber = elementwise("pseudo_huber", sp.pseudo_huber, ddelta=_pseudo_huber_slope,
                           dr=lambda g, delta, r: g * r / hypot(1, r / delta))
log1mexp = elementwise("log1mexp", sp._ufuncs._log1mexp, dx=lambda g, x: -g / expm1(-x))
log1pmx  = elementwise("log1pmx",  sp._ufuncs._log1pmx,  dx=lambda g, x: -g * x / (1 + x))

# What NumPy has too, as SciPy computes it.
exp2     = elementwise("special_exp2",  sp.exp2,  dx=lambda g, out: g * (out * LN2), facts=floating("exp2(x)"))
exp10    = elementwise("exp10",         sp.exp10, dx=lambda g, out: g * (out * LN10))
cbrt     = elementwise("special_cbrt",  sp.cbrt,  dx=lambda g, out: g / (3 * out * out), facts=floating("cbrt(x)"))
log1p    = elementwise("special_log1p", sp.log1p, dx=_LOG1P.rule, relative=_LOG1P, facts=floating("log1p(x)"))
expm1: Primitive = elementwise("special_expm1", sp.expm1, dx=lambda g, x: g * exp(x), facts=floating("expm1(x)"))
cosm1    = elementwise("cosm1",         sp.cosm1, dx=lambda g, x: -g * sin(x))
powm1    = elementwise("powm1",         sp.powm1,
                       dx=lambda g, x, y: g * y * x ** (y - 1), dy=lambda g, x, y, out: g * (out + 1) * log(x))
special_round = elementwise("special_round", sp.round, dx=None)
radian   = elementwise("radian",        sp.radian, dd=lambda g: g * DEGREE, dm=lambda g: g * (DEGREE / 60),
                       ds=lambda g: g * (DEGREE / 3600))
cosdg: Primitive = elementwise("cosdg", sp.cosdg, dx=lambda g, x: -g * DEGREE * sindg(x))
sindg: Primitive = elementwise("sindg", sp.sindg, dx=lambda g, x: g * DEGREE * cosdg(x))
tandg    = elementwise("tandg",         sp.tandg, dx=lambda g, out: g * DEGREE * (1 + out * out))
cotdg    = elementwise("cotdg",         sp.cotdg, dx=lambda g, out: -g * DEGREE * (1 + out * out))
sinpi    = elementwise("sinpi",         sp._ufuncs._sinpi, dx=lambda g, x: g * (pi * cospi(x)))
cospi: Primitive = elementwise("cospi", sp._ufuncs._cospi, dx=lambda g, x: -g * (pi * sinpi(x)))
exprel: Primitive = elementwise("exprel", _evaluate_exprel, dtype=_of_order(_evaluate_exprel), on_gpu=gpu.exprel,
                                params={"order": ORDER},
                                dx=lambda g, x, order: g * exprel(x, order=order + 1))

# fmt: on
