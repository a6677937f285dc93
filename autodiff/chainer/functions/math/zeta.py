"""The Hurwitz zeta function."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.beside import beside
from autodiff.chainer.functions.direct import special_operations
from autodiff.chainer.functions.function_class import function_class
from autodiff.chainer.functions.half import in_single
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


def zeta(x: Any, q: Any) -> Variable:
    """The sum of 1 / (k + q)^x over k = 0, 1, 2, ...

    Args:
        x: exponents above 1, a number or an array; no gradient flows to them.
        q: positive floating-point numbers, of a shape that broadcasts with that of ``x``.

    Raises:
        InvalidType: if ``q`` holds no floating-point numbers.

    >>> import numpy as np
    >>> zeta(2.0, np.array([1.0]))
    variable([1.64493407])
    """
    exponents = beside(q, as_array(x))
    return apply("zeta", lambda q: in_single(lambda q: series(exponents, q), q), (q,), lambda q: q.dtype.kind == "f")


def series(x: Any, q: Any) -> Any:
    """The zeta function in the precision of ``q``."""
    special = special_operations()
    return special.zeta(x.astype(q.dtype), q)


Zeta = function_class("Zeta", lambda q, x: zeta(x, q), "x", label="zeta")
