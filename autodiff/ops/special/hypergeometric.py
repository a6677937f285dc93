"""Hypergeometric functions, which are closed under differentiation by their argument, and what is made of them."""

from __future__ import annotations

from typing import Any

import scipy.special as sp

from autodiff.ops.elementwise import exp, log, log1p
from autodiff.ops.special.gamma import exprel, xlogy
from autodiff.ops.special.partial_derivatives import above, anywhere, off_poles
from autodiff.ops.special.scipy_functions import elementwise, with_partials
from autodiff.trace.primitive import Primitive

# fmt: off

hyp0f1: Primitive = with_partials("hyp0f1", sp.hyp0f1, {"b": off_poles, "x": anywhere},
                                  dx=lambda g, b, x: g * hyp0f1(b + 1, x) / b)
hyp1f1: Primitive = with_partials("hyp1f1", sp.hyp1f1, {"a": anywhere, "b": off_poles, "x": anywhere},
                                  dx=lambda g, a, b, x: g * a / b * hyp1f1(a + 1, b + 1, x))
hyperu: Primitive = with_partials("hyperu", sp.hyperu, {"a": anywhere, "b": anywhere, "x": above(0)},
                                  dx=lambda g, a, b, x: -g * a * hyperu(a + 1, b + 1, x))
hyp2f1: Primitive = with_partials("hyp2f1", sp.hyp2f1, {"a": anywhere, "b": anywhere, "c": off_poles, "x": anywhere},
                                  dx=lambda g, a, b, c, x: g * (a * b / c) * hyp2f1(a + 1, b + 1, c + 1, x))
wright_bessel: Primitive = with_partials(
    "wright_bessel", sp.wright_bessel, {"a": above(0), "b": above(0), "x": above(0)},
    dx=lambda g, a, b, x: g * wright_bessel(a, a + b, x))
log_wright_bessel: Primitive = with_partials(
    "log_wright_bessel", sp.log_wright_bessel, {"a": above(0), "b": above(0), "x": above(0)},
    dx=lambda g, a, b, x, out: g * exp(log_wright_bessel(a, a + b, x) - out))
spence = elementwise("spence", sp.spence, dx=lambda g, x: -g * hyp2f1(1.0, 1.0, 2.0, 1 - x))


def _power_slope(logarithm: Any, lmbda: Any) -> Any:
    """The derivative of (exp(lmbda logarithm) - 1) / lmbda by lmbda, smooth at zero."""
    return logarithm * logarithm * exprel(lmbda * logarithm, order=1)


def _inverse_slope(y: Any, lmbda: Any) -> Any:
    """The derivative of log(1 + lmbda y) / lmbda by lmbda, smooth at zero."""
    return -0.5 * y * y * hyp2f1(2.0, 2.0, 3.0, -lmbda * y)


# Powers that go over into logarithms.
boxcox   = elementwise("boxcox",   sp.boxcox,
                       dx=lambda g, x, lmbda: g * exp(xlogy(lmbda - 1, x)),
                       dlmbda=lambda g, x, lmbda: g * _power_slope(log(x), lmbda))
boxcox1p = elementwise("boxcox1p", sp.boxcox1p,
                       dx=lambda g, x, lmbda: g * exp((lmbda - 1) * log1p(x)),
                       dlmbda=lambda g, x, lmbda: g * _power_slope(log1p(x), lmbda))
inv_boxcox   = elementwise("inv_boxcox",   sp.inv_boxcox,
                           dy=lambda g, y, lmbda, out: g * out / (1 + lmbda * y),
                           dlmbda=lambda g, y, lmbda, out: g * out * _inverse_slope(y, lmbda))
inv_boxcox1p = elementwise("inv_boxcox1p", sp.inv_boxcox1p,
                           dy=lambda g, y, lmbda, out: g * (out + 1) / (1 + lmbda * y),
                           dlmbda=lambda g, y, lmbda, out: g * (out + 1) * _inverse_slope(y, lmbda))
# fmt: on
