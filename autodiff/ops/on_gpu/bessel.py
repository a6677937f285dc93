"""Bessel functions of integer order on a GPU, from those of orders 0 and 1, which are all that CuPy has.

Neighbouring orders are joined by recurrences. Where one would lose digits, near zero, the power series is summed.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np

from autodiff.ops.on_gpu.special import floating, library
from autodiff.trace.source import at_user_line

NEAR = 12.0
TERMS = 40
"""The power series serves up to ``NEAR``, where so many terms give all digits."""


def integer_order(name: str, v: Any) -> int:
    """The order as an integer.

    Raises:
        NotImplementedError: if it is none, or an array.
    """
    if np.ndim(v) or isinstance(v, complex) or hasattr(v, "__cuda_array_interface__") or v != int(v):
        raise NotImplementedError(
            f"scipy.special.{name} on a GPU{at_user_line()}: CuPy has Bessel functions of integer order, and the order "
            "must be one number; compute others in host memory, with x.get()"
        )
    return int(v)


def bessel(
    name: str, first: str, second: str, sign: int, reflected: int, series: int = 0, damped: bool = False
) -> Callable[..., Any]:
    """A Bessel function of any integer order.

    Args:
        name: as SciPy calls it.
        first: CuPy's function of order 0.
        second: of order 1.
        sign: f[n+1] = sign * (2 n / x f[n] - f[n-1]) for 1 and -1, and 2 n / x f[n] + f[n-1] for 0.
        reflected: the function of order -n is that of order n times this to the power n.
        series: the sign of every second term of its power series; 0 where the recurrence loses nothing.
        damped: whether it is multiplied by exp(-abs(x)).
    """

    def evaluate(v: Any, x: Any) -> Any:
        order = integer_order(name, v)
        own = library()
        (x,) = floating((x,))
        factor = reflected ** (-order) if order < 0 else 1
        order = abs(order)
        before, here = getattr(own, first)(x), getattr(own, second)(x)
        if order == 0:
            return factor * before
        for n in range(1, order):
            step = 2 * n / x * here
            before, here = here, step + before if sign == 0 else sign * (step - before)
        if series and order > 1:
            here = np.where(np.abs(x) < max(NEAR, order), near_zero(x, order, series, damped), here)
        return (factor * here).astype(x.dtype, copy=False)

    return evaluate


def near_zero(x: Any, order: int, sign: int, damped: bool) -> Any:
    """The power series."""
    half = np.where(np.abs(x) < max(NEAR, order), x, 0).astype(np.float64) / 2
    term = half**order / factorial(order)
    total = term
    for k in range(1, TERMS + order):
        term = term * (sign * half * half / (k * (k + order)))
        total = total + term
    return total * np.exp(-2 * np.abs(half)) if damped else total


jv = bessel("jv", "j0", "j1", 1, -1, series=-1)
yv = bessel("yv", "y0", "y1", 1, -1)
iv = bessel("iv", "i0", "i1", -1, 1, series=1)
ive = bessel("ive", "i0e", "i1e", -1, 1, series=1, damped=True)
kv = bessel("kv", "k0", "k1", 0, 1)
kve = bessel("kve", "k0e", "k1e", 0, 1)
