"""sin(pi x) / (pi x) and all of its derivatives, smooth at zero too."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.parameters import integer
from autodiff.trace.primitive import Primitive, elementwise
from autodiff.trace.spec import Spec
from autodiff.trace.values.arrays import module_of


def _sinc_dtype(x: Spec, *, order: int) -> np.dtype[Any]:
    dtype: np.dtype[Any] = np.sinc(np.ones(1, x.dtype)).dtype
    return dtype


def _evaluate(x: Any, *, order: int) -> Any:
    if order == 0:
        return np.sinc(x)
    module = module_of(x)
    x = module.asarray(x)
    t = np.pi * x.astype(np.result_type(x, np.float64))
    near = np.abs(t) <= order + 1
    result = np.pi**order * np.where(near, _series(np.where(near, t, 0), order), _recurrence(t, near, order))
    return result.astype(np.sinc(np.ones(1, x.dtype)).dtype)[()]


def _series(t: Any, order: int) -> Any:
    """The derivative of sin(t) / t from its power series, whose terms stay small while |t| <= order + 1."""
    parity = order % 2
    term = np.ones_like(t) * (-1) ** ((order + parity) // 2) * (t if parity else 1)
    total = term / (order + parity + 1)
    for k in range(parity + 2, 24 + 4 * order, 2):
        term = term * (-t * t / (k * (k - 1)))
        total = total + term / (order + k + 1)
    return total


def _recurrence(t: Any, near: Any, order: int) -> Any:
    """The same from t f' = cos(t) - f and its derivatives, which lose nothing where |t| > order."""
    t = np.where(near, 1, t)
    sine, cosine = np.sin(t), np.cos(t)
    turned = (sine, cosine, -sine, -cosine)  # the derivatives of the sine, exact however large t is
    value = sine / t
    for n in range(1, order + 1):
        value = (turned[n % 4] - n * value) / t
    return value


ORDER = integer(0, 1000)
"""Derivatives of functions that have all of them."""

sinc: Primitive = elementwise(
    "sinc",
    _evaluate,
    dtype=_sinc_dtype,
    params={"order": ORDER},
    dx=lambda g, x, order: g * sinc(x, order=order + 1),
)
"""The derivative of the given order of sin(pi x) / (pi x)."""
