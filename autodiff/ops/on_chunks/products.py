"""Products of arrays in chunks."""

from __future__ import annotations

from typing import Any

from autodiff.trace.primitive import Primitive
from autodiff.trace.values.chunked import library


def einsum(primitive: Primitive, *xs: Any, subscripts: str, optimize: Any = False) -> Any:
    """An Einstein sum; the path of the contraction is Dask's."""
    return library().einsum(subscripts, *xs)


def linear_map(primitive: Primitive, x: Any, w: Any) -> Any:
    """The rows of a matrix multiplied by another one: x w^T."""
    return library().matmul(x, w.T)
