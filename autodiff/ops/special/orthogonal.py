"""Orthogonal polynomials at points: the derivative is one of lower degree and another family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.special as sp

from autodiff.ops.elementwise import equal, where
from autodiff.ops.special.gamma import binom
from autodiff.ops.special.partial_derivatives import Room, above, anywhere, between
from autodiff.ops.special.scipy_functions import elementwise, with_partials
from autodiff.trace.primitive import Primitive

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
