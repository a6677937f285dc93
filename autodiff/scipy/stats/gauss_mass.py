"""The probability of an interval under the standard normal distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtr

from autodiff.ops.elementwise import isfinite, logical_or, where
from autodiff.transforms.stop_gradient import stop_gradient


def log_gauss_mass(a: Any, b: Any) -> Any:
    """The logarithm of the probability of the interval from a to b, as SciPy computes it for ``truncnorm``.

    SciPy fills selected elements of a complex array. Here each element has one of two formulas: an interval on one side
    of zero is reflected into the left tail, where digits are, and one around zero is what its tails leave.
    """
    a, b = (where(isfinite(x), x, stop_gradient(x)) for x in (a, b))
    right = a > 0
    tail = logical_or(right, b <= 0)
    high = log_ndtr(where(tail, where(right, -a, b), 1.0))
    low = log_ndtr(where(tail, where(right, -b, a), -1.0))
    central = np.log1p(-ndtr(where(tail, -1.0, a)) - ndtr(-where(tail, 1.0, b)))
    return where(tail, high + np.log1p(-np.exp(low - high)), central)
