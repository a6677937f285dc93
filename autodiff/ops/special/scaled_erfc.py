"""Derivatives of exp(x^2) erfc(x) of any order, with their digits however large x is.

By the recurrence each is a difference of numbers that agree in more and more digits as x grows: of the first derivative
at 1e8 not one is left. There the asymptotic series is differentiated term by term.

NIST Digital Library of Mathematical Functions, 7.10 and 7.12.1.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, prod, sqrt
from typing import Any

import numpy as np

FAR = 8.0
"""From here on the series serves; below it three derivatives lose six digits at most."""

TERMS = 24
"""Of the series: from `FAR` on the next one is less than a unit in the last place of the first."""


def erfcx_derivative(x: Any, order: int, erfcx: Callable[[Any], Any]) -> Any:
    """A derivative of `erfcx` in double precision.

    Args:
        x: real numbers.
        order: of the derivative.
        erfcx: the function itself.
    """
    x = x * np.float64(1)
    far = x >= FAR
    return np.where(far, of_series(np.where(far, x, FAR), order), of_recurrence(np.where(far, 1.0, x), order, erfcx))


def of_recurrence(x: Any, order: int, erfcx: Callable[[Any], Any]) -> Any:
    """y' = 2 x y - 2 / sqrt(pi), and what follows from it: y[n+1] = 2 x y[n] + 2 n y[n-1]."""
    before, here = erfcx(x), 2 * x * erfcx(x) - 2 / sqrt(pi)
    if order == 0:
        return before
    for n in range(1, order):
        before, here = here, 2 * x * here + 2 * n * before
    return here


def of_series(x: Any, order: int) -> Any:
    """For large x: the sum of (-1)^k (2k - 1)!! / (2^k x^(2k + 1)), differentiated, over the root of pi."""
    coefficient, total = 1.0 / sqrt(pi), 0.0
    power = 1.0 / x ** (order + 1)
    for k in range(TERMS):
        falling = prod(-(2 * k + 1) - j for j in range(order))
        total = total + coefficient * falling * power
        coefficient = -coefficient * (2 * k + 1) / 2
        power = power / (x * x)
    return total
