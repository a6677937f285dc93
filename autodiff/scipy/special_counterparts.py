"""Functions of scipy.special that are made of its ufuncs, for traced values of their real arguments."""

from __future__ import annotations

from collections.abc import Callable
from math import log as scalar_log
from math import pi
from typing import Any

import numpy as np
import scipy.special as sp

from autodiff.numpy.dispatch import UFUNCS, as_operand, late_ufunc, missing
from autodiff.ops import elementwise as ew
from autodiff.ops.special import bessel
from autodiff.ops.special import gamma as own
from autodiff.ops.special.sinc import sinc
from autodiff.scipy.mirror import counterpart, holds_traced
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line

late_ufunc(sp.erf)


@counterpart(sp.multigammaln)
def multigammaln(a: Any, d: int) -> Any:
    """The logarithm of the gamma function of ``d`` dimensions."""
    a = as_operand(a)
    total: Any = d * (d - 1) * 0.25 * scalar_log(pi)
    for j in range(d):
        total = total + own.gammaln(a - j / 2)
    return total


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
    if repetition:
        N = N + k - 1
    return ew.where(possible(N, k), own.binom(N, k), 0.0)[()]


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
    x = as_operand(x)
    half = x - 2 * pi * ew.rint(x / (2 * pi))
    turns = ew.rint(x / (2 * pi))
    sign = ew.where(ew.equal(ew.remainder(turns * (n - 1), 2), 0), 1.0, -1.0)
    return (sign * sinc(half * (n / (2 * pi)), order=0) / sinc(half / (2 * pi), order=0))[()]


@counterpart(sp.softplus)
def softplus(x: Any, **options: Any) -> Any:
    """log(1 + exp(x)) without overflow."""
    return ew.logaddexp(as_operand(x), 0.0)


def of_order(name: str, function: Callable[..., Any], factor: Callable[[Any], Any]) -> Callable[..., Any]:
    """A spherical Bessel function: one of half an order more, times ``factor(x)``."""

    def call(n: Any, z: Any, derivative: bool = False) -> Any:
        if holds_traced(n):
            raise missing(f"scipy.special.{name}", "its order is a whole number")
        z, n = as_operand(z), np.asarray(n, dtype=np.dtype("long"))  # as SciPy, which cuts off the rest

        def value(order: Any) -> Any:
            return factor(z) * function(order + 0.5, z)

        if not derivative:
            return value(n)
        sign = {"spherical_in": 1, "spherical_kn": -1}.get(name)
        if sign is None:
            return n / z * value(n) - value(n + 1)
        return n / z * value(n) + sign * value(n + 1)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"scipy.special.{name}, differentiated by its argument."
    return counterpart(getattr(sp, name))(call)


def half_pi_over(x: Any) -> Any:
    """sqrt(pi / (2 x))."""
    return ew.sqrt(pi / 2 / x)


spherical_jn = of_order("spherical_jn", bessel.jv, half_pi_over)
spherical_yn = of_order("spherical_yn", bessel.yv, half_pi_over)
spherical_in = of_order("spherical_in", bessel.iv, half_pi_over)
spherical_kn = of_order("spherical_kn", bessel.kv, half_pi_over)


def repeatedly(name: str, function: Callable[..., Any], sign: int, outer: int) -> Callable[..., Any]:
    """The derivative of some order of a Bessel function, by the recurrence of the first one."""

    def call(v: Any, z: Any, n: int = 1) -> Any:
        if n == 0:
            return function(v, z)
        lower, upper = call(v - 1, z, n - 1), call(v + 1, z, n - 1)
        return outer * 0.5 * (lower + sign * upper)

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
