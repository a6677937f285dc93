"""Roots of sums of powers, as norms take them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from autodiff.ops.elementwise import equal, isinf, logical_not, logical_or, where
from autodiff.ops.masked import Masked, masked
from autodiff.trace.facts import Facts
from autodiff.trace.link import passing
from autodiff.trace.primitive import Primitive, elementwise, ufunc_dtype
from autodiff.trace.spec import spec_of


def _power_root_rule(g: Any, x: Any, y: Any, out: Any) -> Masked:
    nothing = logical_or(equal(x, 0), isinf(x))
    return masked(g * y * out / where(nothing, 1, x), logical_not(nothing))


power_root: Primitive = elementwise(
    "power_root", operator.pow, dtype=ufunc_dtype(np.power), dx=_power_root_rule, dy=None
)
"""A sum of powers to the power y = 1/p: at 0 and infinity the derivative is 0, the smallest subgradient of a norm."""


def _evaluate_nan_as_infinity(x: Any, kept: Any) -> Any:
    return np.where(np.isnan(x) & np.logical_not(kept), np.inf, x)[()].astype(spec_of(x).dtype, copy=False)


nan_as_infinity: Primitive = elementwise(
    "nan_as_infinity",
    _evaluate_nan_as_infinity,
    dtype=lambda x, kept: x.dtype,
    dx=passing,
    dkept=None,
    facts=Facts(exact=True),
)
"""Infinity in place of NaN, unless the NaN is ``kept``."""
