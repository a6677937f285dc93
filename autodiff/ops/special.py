"""Special functions on each element: the ufuncs of scipy.special, one row each.

Importing this file imports scipy.special, which takes a while; so nothing imports it before a special
function is used. Bessel functions come as families, closed under differentiation by their recurrences.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, nan, pi
from math import log as scalar_log
from math import sqrt as scalar_sqrt
from typing import Any, NoReturn

import numpy as np
import scipy.special as sp

from autodiff.ops.elementwise import (
    absolute,
    equal,
    exp,
    less,
    log,
    logical_and,
    logical_not,
    sin,
    where,
)
from autodiff.ops.elementwise import log1p as numpy_log1p
from autodiff.ops.masked import masked
from autodiff.ops.on_gpu import bessel
from autodiff.ops.on_gpu import special as gpu
from autodiff.ops.relative import Logarithm, Multiple
from autodiff.ops.scaled_bessel import ive_derivative
from autodiff.ops.scaled_erfc import erfcx_derivative
from autodiff.ops.sinc import ORDER
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.primitive import Primitive, ufunc_dtype
from autodiff.trace.primitive import elementwise as elementwise_of
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, native, spec_of

LN2, LN10 = scalar_log(2.0), scalar_log(10.0)
ROOT2, ROOT_PI, ROOT_2PI = scalar_sqrt(2.0), scalar_sqrt(pi), scalar_sqrt(2 * pi)


ON_GPU: dict[Any, Callable[..., Any]] = {
    sp.jv: bessel.jv, sp.yv: bessel.yv, sp.iv: bessel.iv, sp.kv: bessel.kv, sp.ive: bessel.ive, sp.kve: bessel.kve,
    sp._ufuncs._zeta: gpu.named("zeta", ufunc_dtype(sp._ufuncs._zeta)), np.i0: np.i0,
}  # fmt: skip
"""What runs on arrays of CuPy, where it is not CuPy's function of the same name."""


def elementwise(name: str, evaluate: Callable[..., Any], **options: Any) -> Primitive:
    """A function of SciPy, which on arrays of CuPy is CuPy's of that name."""
    if evaluate in ON_GPU:
        options["on_gpu"] = ON_GPU[evaluate]
    elif isinstance(evaluate, np.ufunc):
        options["on_gpu"] = gpu.named(evaluate.__name__, ufunc_dtype(evaluate))
    return elementwise_of(name, evaluate, **options)


def no_rule(name: str, operand: str) -> Callable[[Any], NoReturn]:
    """The rule of an operand by which a function has no known derivative."""

    def refuse(g: Any) -> NoReturn:
        raise DifferentiationError(
            f"scipy.special.{name} has no derivative by {operand}{at_user_line()}: no closed form is known. "
            f"Keep {operand} constant, or give the function a rule with custom_vjp or custom_jvp."
        )

    return refuse


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
    return masked(g * log(y), logical_not(_both(x, 0, y, 0)))


def _xlogy_dy(g: Any, x: Any, y: Any) -> Any:
    return masked(g * x / _from_zero(y), logical_not(_both(x, 0, y, 0)))


def _xlog1py_dx(g: Any, x: Any, y: Any) -> Any:
    """log(1 + y); at (0, -1) it is 0."""
    return masked(g * numpy_log1p(y), logical_not(_both(x, 0, y, -1)))


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


def _gammainc_slope(a: Any, x: Any) -> Any:
    """x^(a-1) e^-x / gamma(a)."""
    return exp(xlogy(a - 1, x) - x - gammaln(a))


def _betainc_slope(a: Any, b: Any, x: Any) -> Any:
    """x^(a-1) (1-x)^(b-1) / beta(a, b)."""
    return exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b))


def _zeta_rule(g: Any, s: Any, q: Any) -> Any:
    return -g * s * zeta(s + 1, q)


_LOG1P = Logarithm(_from_zero, lambda x: 1 + x)


def _evaluate_polygamma(x: Any, *, order: int) -> Any:
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


def _where_iv_is_found(x: Any) -> Any:
    """x, with 0 in place of numbers so small that SciPy's iv is NaN there, where it is that at 0."""
    return where(less(absolute(x), 1e-300), 0, x)


def _i0_dtype(x: Spec) -> np.dtype[Any]:
    return native(x.dtype) if x.dtype.kind == "f" else np.dtype(np.float64)


# fmt: off

# The error function and the normal distribution.
erf      = elementwise("erf",      sp.erf,      dx=lambda g, x: g * (2 / ROOT_PI * exp(-x * x)))
erfc     = elementwise("erfc",     sp.erfc,     dx=lambda g, x: g * (-2 / ROOT_PI * exp(-x * x)))
erfi     = elementwise("erfi",     sp.erfi,     dx=lambda g, x: g * (2 / ROOT_PI * exp(x * x)))
erfcx    = elementwise("erfcx",    sp.erfcx,    dx=_erfcx_dx)
erfcx_slope: Primitive = elementwise_of("erfcx_slope", _evaluate_erfcx_derivative(lambda: sp),
                                        dtype=_erfcx_derivative_dtype,
                                        on_gpu=_evaluate_erfcx_derivative(gpu.library), params={"order": ORDER},
                                        dx=lambda g, x, order: g * erfcx_slope(x, order=order + 1))
dawsn    = elementwise("dawsn",    sp.dawsn,    dx=lambda g, x, out: g * (1 - 2 * x * out))
erfinv   = elementwise("erfinv",   sp.erfinv,   dx=lambda g, out: g * (ROOT_PI / 2 * exp(out * out)))
erfcinv  = elementwise("erfcinv",  sp.erfcinv,  dx=lambda g, out: g * (-ROOT_PI / 2 * exp(out * out)))
ndtr     = elementwise("ndtr",     sp.ndtr,     dx=lambda g, x: g * _density(x))
ndtri    = elementwise("ndtri",    sp.ndtri,    dx=lambda g, out: g * (ROOT_2PI * exp(0.5 * out * out)))
log_ndtr = elementwise("log_ndtr", sp.log_ndtr, dx=lambda g, x: g * (2 / ROOT_2PI / erfcx(x * (-1 / ROOT2))))

# The gamma function.
polygamma: Primitive = elementwise("polygamma", _evaluate_polygamma, dtype=_of_order(_evaluate_polygamma),
                                   on_gpu=gpu.polygamma,
                                   params={"order": ORDER},
                                   dx=lambda g, x, order: g * polygamma(x, order=order + 1))
digamma  = elementwise("digamma",  sp.digamma,  dx=lambda g, x: g * polygamma(x, order=1))
gammaln  = elementwise("gammaln",  sp.gammaln,  dx=lambda g, x: g * digamma(x))
loggamma = elementwise("loggamma", sp.loggamma, dx=lambda g, x: g * digamma(_from_zero(x)))
gamma    = elementwise("gamma",    sp.gamma,    dx=lambda g, x, out: g * (out * digamma(x)))
beta     = elementwise("beta",     sp.beta,
                       da=lambda g, a, b, out: g * out * (digamma(a) - digamma(a + b)),
                       db=lambda g, a, b, out: g * out * (digamma(b) - digamma(a + b)))
betaln   = elementwise("betaln",   sp.betaln,
                       da=lambda g, a, b: g * (digamma(a) - digamma(a + b)),
                       db=lambda g, a, b: g * (digamma(b) - digamma(a + b)))
gammainc  = elementwise("gammainc",  sp.gammainc,  da=no_rule("gammainc", "a"),
                        dx=lambda g, a, x: g * _gammainc_slope(a, x))
gammaincc = elementwise("gammaincc", sp.gammaincc, da=no_rule("gammaincc", "a"),
                        dx=lambda g, a, x: -g * _gammainc_slope(a, x))
betainc   = elementwise("betainc",   sp.betainc,   da=no_rule("betainc", "a"), db=no_rule("betainc", "b"),
                        dx=lambda g, a, b, x: g * _betainc_slope(a, b, x))
zeta      = elementwise("zeta",      sp._ufuncs._zeta, ds=no_rule("zeta", "its exponent"), dq=_zeta_rule)

# Logarithms, entropies, probabilities.
expit: Primitive = elementwise("expit", sp.expit, dx=lambda g, x, out: g * (out * expit(-x)),
                               relative=Multiple(lambda g, x, **_: g * expit(-x)))
log_expit = elementwise("log_expit", sp.log_expit, dx=lambda g, x: g * expit(-x))
logit    = elementwise("logit",    sp.logit,    dx=_logit_dx)
entr     = elementwise("entr",     sp.entr,     dx=lambda g, x: -g * (log(x) + 1))
xlogy    = elementwise("xlogy",    sp.xlogy,    dx=_xlogy_dx,    dy=_xlogy_dy)
xlog1py  = elementwise("xlog1py",  sp.xlog1py,  dx=_xlog1py_dx,  dy=_xlog1py_dy)
rel_entr = elementwise("rel_entr", sp.rel_entr, dx=_rel_entr_dx, dy=_rel_entr_dy)
kl_div   = elementwise("kl_div",   sp.kl_div,   dx=_kl_div_dx,   dy=_kl_div_dy)

# What NumPy has too, as SciPy computes it.
exp2     = elementwise("special_exp2",  sp.exp2,  dx=lambda g, out: g * (out * LN2))
exp10    = elementwise("exp10",         sp.exp10, dx=lambda g, out: g * (out * LN10))
cbrt     = elementwise("special_cbrt",  sp.cbrt,  dx=lambda g, out: g / (3 * out * out))
log1p    = elementwise("special_log1p", sp.log1p, dx=_LOG1P.rule, relative=_LOG1P)
expm1    = elementwise("special_expm1", sp.expm1, dx=lambda g, x: g * exp(x))
cosm1    = elementwise("cosm1",         sp.cosm1, dx=lambda g, x: -g * sin(x))
exprel: Primitive = elementwise("exprel", _evaluate_exprel, dtype=_of_order(_evaluate_exprel), on_gpu=gpu.exprel,
                                params={"order": ORDER},
                                dx=lambda g, x, order: g * exprel(x, order=order + 1))

# Bessel functions. An order is a constant; with respect to it no derivative is known.
jv: Primitive = elementwise("jv",   sp.jv,  dv=no_rule("jv", "its order"),
                            dx=lambda g, v, x: g * (0.5 * (jv(v - 1, x) - jv(v + 1, x))))
yv: Primitive = elementwise("yv",   sp.yv,  dv=no_rule("yv", "its order"),
                            dx=lambda g, v, x: g * (0.5 * (yv(v - 1, x) - yv(v + 1, x))))
iv: Primitive = elementwise("iv",   sp.iv,  dv=no_rule("iv", "its order"),
                            dx=lambda g, v, x: g * (0.5 * (iv(v - 1, x) + iv(v + 1, x))))
kv: Primitive = elementwise("kv",   sp.kv,  dv=no_rule("kv", "its order"),
                            dx=lambda g, v, x: g * (-0.5 * (kv(v - 1, x) + kv(v + 1, x))))
ive: Primitive = elementwise("ive", sp.ive, dv=no_rule("ive", "its order"), dx=_ive_dx)
ive_slope: Primitive = elementwise_of("ive_slope", _evaluate_ive_derivative(_scaled_bessel),
                                      dtype=_ive_derivative_dtype,
                                      on_gpu=_evaluate_ive_derivative(bessel.ive), params={"order": ORDER},
                                      dv=no_rule("ive", "its order"),
                                      dx=lambda g, v, x, order: g * ive_slope(v, x, order=order + 1))
kve: Primitive = elementwise("kve", sp.kve, dv=no_rule("kve", "its order"), dx=lambda g, v, x, out:
                             g * (out - 0.5 * (kve(v - 1, x) + kve(v + 1, x))))
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

# fmt: on
