"""Functions of SciPy that are linear along one axis: filters, transforms, interpolation at fixed places."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from autodiff.ops.matrices.products import matmul
from autodiff.ops.on_gpu.special import refused
from autodiff.trace.primitive import Primitive, linear
from autodiff.trace.spec import Spec, spec, spec_of


class LinearRule:
    """A linear function of the last axis.

    Args:
        function: takes arrays, and leaves all axes but the last one alone.
        transposed: ``transposed(g, length)`` is the transposed function of cotangents, for arguments of that length;
            None for the product with the transposed matrix, which has as many elements as the square of the length.
    """

    def __init__(self, function: Callable[[Any], Any], transposed: Callable[[Any, int], Any] | None = None) -> None:
        self.function = function
        self.transposed = transposed
        self.matrix = lru_cache(4)(self._matrix)

    def back(self, g: Any, length: int) -> Any:
        """The transposed function."""
        if self.transposed is None:
            return product_with(g, self.matrix(length).T)
        own = self.transposed
        rule = LinearRule(lambda g: own(g, length), lambda x, _: self.function(x))
        return linear_along_axis(g, rule=rule)

    def _matrix(self, length: int) -> Any:
        """Its values at unit vectors, one in each row: the function is a product with this matrix."""
        return np.ascontiguousarray(self.function(np.eye(length)))


def _evaluate(x: Any, *, rule: LinearRule) -> Any:
    if not x.size and x.shape[-1]:  # no rows, which some of SciPy's functions do not take
        found = _spec(spec_of(x), rule=rule)
        return np.zeros(found.shape, found.dtype)
    return np.asarray(rule.function(x))


def _spec(x: Spec, *, rule: LinearRule) -> Spec:
    found = rule.function(np.zeros(x.shape[-1:], x.dtype))
    return spec((*x.shape[:-1], found.shape[-1]), found.dtype)


linear_along_axis: Primitive = linear(
    "linear_along_axis",
    ("x",),
    _evaluate,
    _spec,
    {"x": lambda g, x_spec, rule: rule.back(g, x_spec.shape[-1])},
    params=None,
    on_gpu=refused("a linear filter"),
)
"""A linear function of the last axis, by SciPy."""


def product_with(x: Any, matrix: Any) -> Any:
    """The rows of an array times a matrix; a vector is one row."""
    return matmul(x[None], matrix)[0] if len(x.shape) == 1 else matmul(x, matrix)
