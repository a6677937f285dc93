"""Derivatives of exp(-|x|) I_v(x) of any order, with all their digits however large x is.

By the recurrence they are differences of neighbouring orders, which agree in more and more digits as x grows: of the
second derivative at 1e8 not one is left. There the asymptotic series is differentiated term by term.

NIST Digital Library of Mathematical Functions, 10.29.1 and 10.40.1.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, pi, prod, sqrt
from typing import Any

import numpy as np

FAR = 30.0
"""From here on, or from twice the square of the order on, the series serves."""

TERMS = 24
"""Of the series: from `FAR` on the next one is less than a unit in the last place of the first."""

Bessel = Callable[[Any, Any], Any]


def ive_derivative(v: Any, x: Any, order: int, ive: Bessel) -> Any:
    """A derivative of `ive` in double precision; at 0, where it may have a kink, the mean of both sides.

    Args:
        v: the order of the Bessel function.
        x: real numbers.
        order: of the derivative.
        ive: the function itself.
    """
    size = abs(x) * np.float64(1)
    far = size >= np.maximum(FAR, 2.0 * v * v)
    found = np.where(
        far,
        of_series(v, np.where(far, size, 1.0), order),
        of_differences(v, np.where(far, 1.0, size), order, ive),
    )
    return found * sign_of_side(v, x, order)


def of_differences(v: Any, x: Any, order: int, ive: Bessel) -> Any:
    """For x >= 0: a central difference of orders, (S^1/2 - S^-1/2)^2n / 2^n, where S raises the order by one."""
    terms = range(2 * order + 1)
    return sum((-1) ** k * comb(2 * order, k) * ive(v + (order - k), x) for k in terms) / 2.0**order


def of_series(v: Any, x: Any, order: int) -> Any:
    """For large x: the sum of (-1)^k a_k / x^(k + 1/2), differentiated, over the root of 2 pi."""
    coefficient, total = 1.0, 0.0
    power = 1.0 / (np.sqrt(x) * x**order * sqrt(2 * pi))
    for k in range(TERMS):
        falling = prod(-(k + 0.5) - j for j in range(order))
        total = total + coefficient * falling * power
        coefficient = -coefficient * (4.0 * v * v - (2 * k + 1) ** 2) / (8.0 * (k + 1))
        power = power / x
    return total


def sign_of_side(v: Any, x: Any, order: int) -> Any:
    """1 for x > 0, (-1)^(v + order) for x < 0, where orders that are not whole give NaN; the mean of both at 0."""
    whole = v == np.floor(v)
    mirrored = 1.0 - 2.0 * ((v + order) % 2)
    left = np.where(whole, mirrored, np.nan)[()]  # a number where the order is one, which arrays of GPUs take
    beside = np.where(whole, (1.0 + mirrored) / 2, 1.0)[()]
    return np.where(x > 0, 1.0, np.where(x < 0, left, beside))
