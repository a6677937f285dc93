"""Orthogonal polynomials at points: the derivative is one of lower degree and another family."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import scipy.special as sp

from autodiff.ops.elementwise import (
    absolute,
    equal,
    exp,
    greater,
    less,
    logical_and,
    logical_or,
    sign,
    sin,
    sqrt,
    where,
)
from autodiff.ops.on_gpu import special as gpu
from autodiff.ops.special.gamma import binom, gammaln
from autodiff.ops.special.partial_derivatives import Room, above, anywhere, between
from autodiff.ops.special.scipy_functions import elementwise, with_partials
from autodiff.trace.primitive import Primitive
from autodiff.trace.primitive import elementwise as elementwise_of

DEGREE: dict[str, Room | None] = {"n": anywhere, "x": above(-1)}
SHIFTED: dict[str, Room | None] = {"n": anywhere, "x": above(0)}


def _lower(n: Any, factor: Any, polynomial: Callable[[Any], Any]) -> Any:
    """``factor`` times the polynomial of degree n - 1, and 0 where n is 0."""
    constant = equal(n, 0)
    return where(constant, 0, factor * polynomial(where(constant, 1, n) - 1))


def _associated_slope(v: Any, m: Any, x: Any, out: Any) -> Any:
    """The derivative of the associated Legendre function."""
    return (v * x * out - (v + m) * lpmv(m, v - 1, x)) / (x * x - 1)


# fmt: off
jacobi: Primitive = with_partials(
    "eval_jacobi", sp.eval_jacobi, {"n": anywhere, "alpha": above(-1), "beta": above(-1), "x": above(-1)},
    dx=lambda g, n, alpha, beta, x:
    g * _lower(n, (n + alpha + beta + 1) / 2, lambda k: jacobi(k, alpha + 1, beta + 1, x)))
gegenbauer: Primitive = with_partials(
    "eval_gegenbauer", sp.eval_gegenbauer, {"n": anywhere, "alpha": above(-0.5), "x": above(-1)},
    dx=lambda g, n, alpha, x: g * _lower(n, 2 * alpha, lambda k: gegenbauer(k, alpha + 1, x)))
genlaguerre: Primitive = with_partials(
    "eval_genlaguerre", sp.eval_genlaguerre, {"n": anywhere, "alpha": above(-1), "x": anywhere},
    dx=lambda g, n, alpha, x: -g * _lower(n, 1, lambda k: genlaguerre(k, alpha + 1, x)))
laguerre = with_partials("eval_laguerre", sp.eval_laguerre, DEGREE, dx=lambda g, n, x:
                         -g * _lower(n, 1, lambda k: genlaguerre(k, 1.0, x)))
legendre = with_partials("eval_legendre", sp.eval_legendre, DEGREE, dx=lambda g, n, x:
                         g * _lower(n, (n + 1) / 2, lambda k: jacobi(k, 1.0, 1.0, x)))
chebyt = with_partials("eval_chebyt", sp.eval_chebyt, DEGREE,
                       dx=lambda g, n, x: g * _lower(n, n, lambda k: chebyu(k, x)))
chebyu: Primitive = with_partials("eval_chebyu", sp.eval_chebyu, DEGREE, dx=lambda g, n, x:
                                  g * _lower(n, 2, lambda k: gegenbauer(k, 2.0, x)))
chebyc = with_partials("eval_chebyc", sp.eval_chebyc, DEGREE,
                       dx=lambda g, n, x: g * _lower(n, n, lambda k: chebys(k, x)))
chebys: Primitive = with_partials("eval_chebys", sp.eval_chebys, DEGREE, dx=lambda g, n, x:
                                  g * _lower(n, 1, lambda k: gegenbauer(k, 2.0, x / 2)))
hermite: Primitive = elementwise("eval_hermite", sp.eval_hermite, dn=None, dx=lambda g, n, x:
                                 g * _lower(n, 2 * n, lambda k: hermite(k, x)))
hermitenorm: Primitive = elementwise("eval_hermitenorm", sp.eval_hermitenorm, dn=None, dx=lambda g, n, x:
                                     g * _lower(n, n, lambda k: hermitenorm(k, x)))

# Shifted to [0, 1].
sh_legendre = with_partials("eval_sh_legendre", sp.eval_sh_legendre, SHIFTED, dx=lambda g, n, x:
                            g * _lower(n, n + 1, lambda k: jacobi(k, 1.0, 1.0, 2 * x - 1)))
sh_chebyt = with_partials("eval_sh_chebyt", sp.eval_sh_chebyt, SHIFTED, dx=lambda g, n, x:
                          g * _lower(n, 2 * n, lambda k: sh_chebyu(k, x)))
sh_chebyu: Primitive = with_partials("eval_sh_chebyu", sp.eval_sh_chebyu, SHIFTED, dx=lambda g, n, x:
                                     g * _lower(n, 4, lambda k: gegenbauer(k, 2.0, 2 * x - 1)))
sh_jacobi = with_partials(
    "eval_sh_jacobi", sp.eval_sh_jacobi, {"n": anywhere, "p": anywhere, "q": above(0), "x": above(0)},
    dx=lambda g, n, p, q, x:
    g * _lower(n, (n + p) / binom(2 * n + p - 1, n), lambda k: jacobi(k, p - q + 1, q, 2 * x - 1)))

# Associated Legendre functions.
lpmv: Primitive = with_partials("lpmv", sp.lpmv, {"m": None, "v": anywhere, "x": between(-1, 1)},
                                dx=lambda g, m, v, x, out: g * _associated_slope(v, m, x, out))
# fmt: on


def _steps_aside(n: Any, m: Any, theta: Any) -> Any:
    """The derivative by theta: half of the difference of the functions of the next orders, as ladders lead to them.

    Polar angles are in [0, pi]. Beyond, SciPy's function is that of the same height on the sphere.
    """
    slope = 0.5 * (_ladder(n, m, 1, theta) - _ladder(n, m, -1, theta))
    return where(less(sin(theta), 0), -slope, slope)


def _ladder(n: Any, m: Any, step: int, theta: Any) -> Any:
    """The function of the next order; beyond the degree there is none."""
    factor = (n - step * m) * (n + step * m + 1)
    above_degree = less(factor, 0)
    return sqrt(where(above_degree, 0, factor) * 1.0) * sph_legendre_p(n, m + step, theta)


sph_legendre_p: Primitive = elementwise_of(
    "sph_legendre_p",
    lambda n, m, theta: sp.sph_legendre_p(n, m, theta)[0],  # of derivatives of orders up to 0
    dtype=lambda n, m, theta: np.dtype(np.float64),  # SciPy's, whatever theta is
    on_gpu=gpu.refused("sph_legendre_p"),
    dn=None,
    dm=None,
    dtheta=lambda g, n, m, theta: g * _steps_aside(n, m, theta),
)
"""What spherical harmonics are along a meridian. The derivative is regular at the poles."""


def _associated(
    name: str, value: Callable[..., Any], ratio: Callable[..., Any], missing: Callable[..., Any]
) -> Primitive:
    """An associated Legendre function of whole degree and order, differentiated by its argument.

    Its derivative is made of functions of the next orders divided by sqrt(1 - z^2), and each of these of two functions
    of the degree below: nothing is divided by what vanishes at -1 and 1, but for orders -1 and 1, whose derivative is
    infinite there.

    Args:
        name: of the primitive.
        value: SciPy's function.
        ratio: ``ratio(n, m, l, k)``: the normalization for n and m divided by that for l and k.
        missing: ``missing(n, m, z)``: what SciPy's value lacks.
    """

    def by_root(n: Any, m: Any, k: Any, z: Any) -> Any:
        """The function of order k by sqrt(1 - z^2), in the normalization for m."""

        def term(degree: Any, order: Any, factor: Any) -> Any:
            return factor * ratio(n, m, degree, order) * (function(degree, order, z) + missing(degree, order, z))

        below = where(equal(n, 0), 0, n - 1)
        zero = equal(k, 0)
        other = where(zero, 1, k)
        sums = term(below, other + 1, 1.0) + term(below, other - 1, (n + other - 1.0) * (n + other))
        root = sqrt(where(zero, (1 - z) * (1 + z), 1.0))
        return where(zero, term(n, where(zero, 0, n + 1), 1.0) / root, -sums / (2 * other))

    def slope(g: Any, n: Any, m: Any, z: Any) -> Any:
        both = (n + m) * (n - m + 1.0) * by_root(n, m, m - 1, z) - by_root(n, m, m + 1, z)
        return g * where(logical_or(equal(n, 0), greater(absolute(m), n)), 0, both / 2)

    function: Primitive = elementwise_of(
        name,
        lambda n, m, z: value(n, m, z)[0],  # of derivatives of orders up to 0
        dtype=lambda n, m, z: _dtype_of_values(z.dtype),
        on_gpu=gpu.refused(name),
        dn=None,
        dm=None,
        dz=slope,
    )
    return function


@cache
def _dtype_of_values(z: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of associated Legendre functions: until SciPy 1.18 always of double precision."""
    found: np.dtype[Any] = sp.assoc_legendre_p(1, 0, np.zeros(0, z)).dtype
    return found


def _squares(n: Any, m: Any) -> Any:
    """The logarithm of (n - m)! / (n + m)!; 0 where the function is zero."""
    none = greater(absolute(m), n)
    low, high = (where(none, 1, n + sign * m + 1) for sign in (-1, 1))
    return gammaln(low * 1.0) - gammaln(high * 1.0)


def _ratio(n: Any, m: Any, degree: Any, order: Any) -> Any:
    """How the normalizations of two functions compare: sqrt((2n + 1) (n - m)! / (n + m)! / 2) for degree n, order m."""
    return sqrt((2 * n + 1.0) / (2 * degree + 1)) * exp((_squares(n, m) - _squares(degree, order)) / 2)


def _missing_at_ends(n: Any, m: Any, z: Any) -> Any:
    """Values at -1 and 1 are not normalized before SciPy 1.18. That has no slope: it is no part of the derivative."""
    if _ends_are_normalized():
        return 0.0
    lacks = logical_and(equal(absolute(z), 1), equal(m, 0))
    return where(lacks, (sqrt(n + 0.5) - 1) * sign(z) ** n, 0)


@cache
def _ends_are_normalized() -> bool:
    return bool(sp.assoc_legendre_p(1, 0, 1.0, norm=True) > 1)


assoc_legendre_p = _associated(
    "assoc_legendre_p", sp.assoc_legendre_p, lambda n, m, degree, order: 1.0, lambda n, m, z: 0.0
)
normalized_legendre_p = _associated(
    "normalized_legendre_p", lambda n, m, z: sp.assoc_legendre_p(n, m, z, norm=True), _ratio, _missing_at_ends
)
