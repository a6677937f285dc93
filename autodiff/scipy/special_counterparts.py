"""Functions of scipy.special that are made of its ufuncs, for traced values of their real arguments."""

from __future__ import annotations

from collections.abc import Callable
from math import log as scalar_log
from math import pi
from typing import Any

import numpy as np
import scipy.special as sp

from autodiff.numpy.dispatch import FUNCTIONS, UFUNCS, as_operand, late_ufunc, missing, peeled
from autodiff.ops import elementwise as ew
from autodiff.ops.special import bessel, orthogonal
from autodiff.ops.special import gamma as own
from autodiff.ops.special.sinc import sinc
from autodiff.scipy.called_back import known
from autodiff.scipy.mirror import counterpart, holds_traced
from autodiff.trace.errors import DifferentiationError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

late_ufunc(sp.erf)
expand = FUNCTIONS[np.expand_dims]


@counterpart(sp.multigammaln)
def multigammaln(a: Any, d: int) -> Any:
    """The logarithm of the gamma function of ``d`` dimensions."""
    a = as_operand(a)
    least = 0.5 * (d - 1)
    if known(a) and np.any(peeled(a, "multigammaln") <= least):
        raise ValueError(f"multigammaln in {d} dimensions got {peeled(a)}{at_user_line()}; it needs a > {least}")
    return log_gamma_of_dimensions(a, d)


def log_gamma_of_dimensions(a: Any, d: int) -> Any:
    """The same, NaN where there is no value: all that a program can say."""
    a = as_operand(a)
    total: Any = d * (d - 1) * 0.25 * scalar_log(pi)
    for j in range(d):
        total = total + own.gammaln(a - j / 2)
    return ew.where(ew.greater(a, 0.5 * (d - 1)), total, np.nan)[()]


def inexact(name: str, options: dict[str, Any]) -> None:
    """Refuse whole numbers that are computed exactly."""
    if options.get("exact"):
        raise DifferentiationError(
            f"scipy.special.{name} has no derivative with exact=True{at_user_line()}; leave it out"
        )


def possible(N: Any, k: Any) -> Any:
    """Whether k of N things can be chosen."""
    return ew.logical_and(ew.less_equal(k, N), ew.logical_and(ew.greater_equal(N, 0), ew.greater_equal(k, 0)))


@counterpart(sp.comb)
def comb(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    """Binomial coefficients; zero where they are."""
    inexact("comb", {"exact": exact})
    N, k = as_operand(N), as_operand(k)
    if not repetition:
        return ew.where(possible(N, k), own.binom(N, k), 0.0)[()]
    nothing = ew.logical_and(ew.equal(N, 0), ew.equal(k, 0))
    N = N + k - 1
    return ew.where(nothing, 1.0, ew.where(possible(N, k), own.binom(N, k), 0.0))[()]


@counterpart(sp.perm)
def perm(N: Any, k: Any, exact: bool = False) -> Any:
    """Numbers of arrangements; zero where they are."""
    inexact("perm", {"exact": exact})
    N, k = as_operand(N), as_operand(k)
    return ew.where(possible(N, k), own.poch(N - k + 1, k), 0.0)[()]


@counterpart(sp.factorial)
def factorial(n: Any, exact: bool = False, extend: str = "zero") -> Any:
    """gamma(n + 1); zero of negative numbers."""
    inexact("factorial", {"exact": exact})
    n = as_operand(n)
    return ew.where(ew.less(n, 0), 0.0, own.gamma(n + 1))[()]


@counterpart(sp.diric)
def diric(x: Any, n: int) -> Any:
    """sin(n x / 2) / (n sin(x / 2)), smooth where x is a multiple of 2 pi."""
    x, n = as_operand(x), as_operand(n)
    half = x - 2 * pi * ew.rint(x / (2 * pi))
    turns = ew.rint(x / (2 * pi))
    sign = ew.where(ew.equal(ew.remainder(turns * (n - 1), 2), 0), 1.0, -1.0)
    found = sign * sinc(half * (n / (2 * pi)), order=0) / sinc(half / (2 * pi), order=0)
    return ew.where(ew.logical_and(ew.greater(n, 0), ew.equal(n, ew.floor(n))), found, np.nan)[()]


@counterpart(sp.softplus)
def softplus(x: Any, **options: Any) -> Any:
    """log(1 + exp(x)) without overflow."""
    if options:  # out=, where= and dtype=, as of any ufunc
        return np.logaddexp(as_operand(x), 0.0, **options)
    return ew.logaddexp(as_operand(x), 0.0)


NEAR_ZERO = 0.01
"""Where a spherical Bessel function is its power series: further derivatives cancel otherwise."""


def spherical(name: str, function: Callable[..., Any], odd: int, at_zero: float, at_infinity: float) -> Any:
    """A spherical Bessel function of integer order, from the one of half an order more.

    Args:
        name: SciPy's.
        function: the Bessel function.
        odd: by which orders the function is odd: remainders by two; -1 where negative numbers have no value.
        at_zero: the value at zero; NaN where a power series has it.
        at_infinity: the value at infinity.
    """
    sign = -1 if name in ("spherical_jn", "spherical_yn") else 1

    def value(n: Any, z: Any) -> Any:
        if spec_of(z).dtype.kind == "c":
            return half_pi_over(z) * function(n + 0.5, z)
        series, size = np.isnan(at_zero), ew.absolute(z)
        near, far, negative = ew.less(size, NEAR_ZERO) if series else ew.equal(z, 0), ew.isinf(z), ew.less(z, 0)
        inside = ew.where(ew.logical_or(ew.logical_or(near, far), negative if odd < 0 else False), 1.0, size)
        whole = half_pi_over(inside) * function(n + 0.5, inside)
        small, large = ew.where(near, z if series else size, 0.0), ew.where(far, size, 1.0)
        whole = ew.where(near, near_zero(n, small, sign) if series else at_zero * (1 + small), whole)
        whole = ew.where(far, at_infinity * large if at_infinity else 0.0, whole)
        if odd < 0:
            return ew.where(negative, np.nan * ew.where(negative, z, 1.0), whole)
        turned = ew.logical_and(negative, ew.logical_not(near)) if series else negative  # z itself is in the series
        return ew.where(ew.logical_and(turned, n % 2 == odd), -whole, whole)

    def call(n: Any, z: Any, derivative: bool = False) -> Any:
        if holds_traced(n):
            raise missing(f"scipy.special.{name}", "its order is a whole number")
        z, n = as_operand(z), np.asarray(n, dtype=np.dtype("long"))  # as SciPy, which cuts off the rest
        known_order = np.where(n < 0, np.nan, 1.0)
        n = np.maximum(n, 0)
        if not derivative:
            return value(n, z) * known_order
        lower = ew.where(n == 0, 0.0, n * value(np.maximum(n - 1, 0), z))
        upper = (n + 1) * value(n + 1, z)
        return (-1 if name == "spherical_kn" else 1) * (lower + sign * upper) / (2 * n + 1) * known_order

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"scipy.special.{name}, differentiated by its argument."
    return counterpart(getattr(sp, name))(call)


def near_zero(n: Any, z: Any, sign: int) -> Any:
    """The first terms of the power series of a spherical Bessel function, alternating with ``sign`` -1."""
    total: Any = 1.0
    for k in (3, 2, 1):
        total = 1 + sign * z * z / (2 * k * (2 * n + 2 * k + 1)) * total
    return UFUNCS[np.power](z, n) / sp.factorial2(2 * n + 1) * total


def half_pi_over(x: Any) -> Any:
    """sqrt(pi / (2 x))."""
    return ew.sqrt(pi / 2 / x)


# fmt: off
spherical_jn = spherical("spherical_jn", bessel.jv,  1,  np.nan,  0.0)
spherical_yn = spherical("spherical_yn", bessel.yv,  0, -np.inf,  0.0)
spherical_in = spherical("spherical_in", bessel.iv,  1,  np.nan,  np.inf)
spherical_kn = spherical("spherical_kn", bessel.kv, -1,  np.inf,  0.0)
# fmt: on


def repeatedly(name: str, function: Callable[..., Any], sign: int, outer: int) -> Callable[..., Any]:
    """The derivative of some order of a Bessel function, by the recurrence of the first one."""

    def derivative(v: Any, z: Any, n: int) -> Any:
        if n == 0:
            return function(v, z)
        lower, upper = derivative(v - 1, z, n - 1), derivative(v + 1, z, n - 1)
        return outer * 0.5 * (lower + sign * upper)

    def call(v: Any, z: Any, n: int = 1) -> Any:
        return derivative(as_operand(v), as_operand(z), n)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"scipy.special.{name}, differentiated by order and argument."
    return counterpart(getattr(sp, name))(call)


jvp = repeatedly("jvp", bessel.jv, -1, 1)
yvp = repeatedly("yvp", bessel.yv, -1, 1)
ivp = repeatedly("ivp", bessel.iv, 1, 1)
kvp = repeatedly("kvp", bessel.kv, 1, -1)
h1vp = repeatedly("h1vp", bessel.hankel1, -1, 1)
h2vp = repeatedly("h2vp", bessel.hankel2, -1, 1)


@counterpart(sp.assoc_laguerre)
def assoc_laguerre(x: Any, n: Any, k: Any = 0.0) -> Any:
    """The generalised Laguerre polynomial."""
    return UFUNCS[sp.eval_genlaguerre](n, k, as_operand(x))


def whole_orders(name: str, diff_n: int, *orders: Any) -> list[Any]:
    """The orders of a function that has whole ones, as arrays of integers."""
    if diff_n != 0:
        raise DifferentiationError(
            f"scipy.special.{name} of traced values has no diff_n={diff_n!r}{at_user_line()}; leave it out, and "
            "differentiate with autodiff"
        )
    found = []
    for order in orders:
        if holds_traced(order) or np.asarray(order).dtype.kind not in "iub":
            raise missing(f"scipy.special.{name}", "its degree and order are whole numbers")
        found.append(np.asarray(order, np.int64))
    return found


@counterpart(sp.legendre_p)
def legendre_p(n: Any, z: Any, *, diff_n: int = 0) -> Any:
    """The Legendre polynomial of a whole degree, with SciPy's first axis: that of derivatives of orders up to 0."""
    (n,) = whole_orders("legendre_p", diff_n, n)
    if np.any(n < 0):
        raise ValueError(f"scipy.special.legendre_p got n={n}{at_user_line()}; degrees are 0 or more")
    return expand(UFUNCS[sp.eval_legendre](n, as_operand(z)), axis=0)


@counterpart(sp.sph_legendre_p)
def sph_legendre_p(n: Any, m: Any, theta: Any, *, diff_n: int = 0) -> Any:
    """The spherical Legendre function, with SciPy's first axis: the spherical harmonic at azimuth 0."""
    n, m = whole_orders("sph_legendre_p", diff_n, n, m)
    return expand(orthogonal.sph_legendre_p(n, m, as_operand(theta)), axis=0)


@counterpart(sp.sph_harm_y)
def sph_harm_y(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: int = 0) -> Any:
    """The spherical harmonic of degree n and order m at a polar and an azimuthal angle."""
    n, m = whole_orders("sph_harm_y", diff_n, n, m)
    return orthogonal.sph_legendre_p(n, m, as_operand(theta)) * ew.exp(1j * m * as_operand(phi))


@counterpart(sp.assoc_legendre_p)
def assoc_legendre_p(n: Any, m: Any, z: Any, *, branch_cut: Any = 2, norm: Any = False, diff_n: int = 0) -> Any:
    """The associated Legendre function of whole degree and order, with SciPy's first axis, between -1 and 1."""
    n, m = whole_orders("assoc_legendre_p", diff_n, n, m)
    z = as_operand(z)
    if np.any(np.not_equal(branch_cut, 2)) or spec_of(z).dtype.kind == "c":
        raise DifferentiationError(
            f"assoc_legendre_p of traced values takes real numbers and branch_cut=2, got {described(z)} and "
            f"branch_cut={branch_cut!r}{at_user_line()}; beyond -1 and 1, use differences of SciPy's function in "
            "custom_jvp"
        )
    function = orthogonal.normalized_legendre_p if norm else orthogonal.assoc_legendre_p
    return expand(function(n, m, z), axis=0)


def degrees_and_orders(n: int, m: int, ndim: int) -> tuple[Any, Any]:
    """All degrees and orders up to these as two axes before so many others, in SciPy's order: negative orders last."""
    ones = (1,) * ndim
    orders = [*range(abs(m) + 1), *range(-abs(m), 0)]
    return np.reshape(range(n + 1), (-1, 1, *ones)), np.reshape(orders, (1, -1, *ones))


@counterpart(sp.legendre_p_all)
def legendre_p_all(n: int, z: Any, *, diff_n: int = 0) -> Any:
    """The Legendre polynomials of all degrees up to n."""
    return legendre_p(np.reshape(range(n + 1), (-1,) + (1,) * np.ndim(z)), z, diff_n=diff_n)


@counterpart(sp.assoc_legendre_p_all)
def assoc_legendre_p_all(n: int, m: int, z: Any, *, branch_cut: Any = 2, norm: Any = False, diff_n: int = 0) -> Any:
    """The associated Legendre functions of all degrees and orders up to n and m."""
    degrees, orders = degrees_and_orders(n, m, np.ndim(z))
    return assoc_legendre_p(degrees, orders, z, branch_cut=branch_cut, norm=norm, diff_n=diff_n)


@counterpart(sp.sph_legendre_p_all)
def sph_legendre_p_all(n: int, m: int, theta: Any, *, diff_n: int = 0) -> Any:
    """The spherical Legendre functions of all degrees and orders up to n and m."""
    degrees, orders = degrees_and_orders(n, m, np.ndim(theta))
    return sph_legendre_p(degrees, orders, theta, diff_n=diff_n)


@counterpart(sp.sph_harm_y_all)
def sph_harm_y_all(n: int, m: int, theta: Any, phi: Any, *, diff_n: int = 0) -> Any:
    """The spherical harmonics of all degrees and orders up to n and m."""
    degrees, orders = degrees_and_orders(n, m, max(np.ndim(theta), np.ndim(phi)))
    return sph_harm_y(degrees, orders, theta, phi, diff_n=diff_n)
