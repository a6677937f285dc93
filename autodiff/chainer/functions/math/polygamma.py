"""Derivatives of the digamma function."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.direct import special_operations
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.half import in_single
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


def polygamma(n: Any, x: Any) -> Variable:
    """The n-th derivative of :func:`digamma`.

    Args:
        n: orders, an array of integers; no gradient flows to them.
        x: positive floating-point numbers, of a shape that broadcasts with that of ``n``.

    Raises:
        InvalidType: if ``n`` holds no integers, or ``x`` no floating-point numbers.

    >>> polygamma(np.array([1]), np.array([1.0]))
    variable([1.64493407])
    """
    order = as_array(n)
    return apply(
        "polygamma",
        lambda n, x: in_single(lambda x: derivative(order, x), x),
        (n, x),
        lambda n, x: (n.dtype.kind == "i", x.dtype.kind == "f"),
    )


def derivative(n: Any, x: Any) -> Any:
    """(-1)^(n + 1) n! zeta(n + 1, x), and digamma(x) where n is 0."""
    special = special_operations()
    factor = ((-1.0) ** (n + 1) * special.gamma(n + 1.0)).astype(x.dtype)
    return np.where(n == 0, special.digamma(x), factor * special.zeta(np.maximum(n, 1).astype(x.dtype) + 1, x))


PolyGamma = function_class("PolyGamma", polygamma, label="polygamma")
