"""The full convolution of vectors, and its transpose, which slides one vector over another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.trace.facts import Facts
from autodiff.trace.parameters import require
from autodiff.trace.primitive import Primitive, multilinear
from autodiff.trace.spec import Spec, broadcast_shapes, spec


def _by_rows(function: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """A function of two vectors on the rows of stacks of vectors."""
    if x.ndim == y.ndim == 1:
        return function(x, y)
    lead = broadcast_shapes(x.shape[:-1], y.shape[:-1])
    rows = zip(
        np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]),
        np.broadcast_to(y, (*lead, y.shape[-1])).reshape(-1, y.shape[-1]),
    )
    found = [function(a, b) for a, b in rows]
    return np.stack(found).reshape(*lead, -1) if found else _by_rows_empty(x, y, lead)


def _by_rows_empty(x: Any, y: Any, lead: tuple[int, ...]) -> Any:
    return np.zeros((*lead, x.shape[-1] + y.shape[-1] - 1), np.result_type(x, y))


def of_sliding(given: Sequence[Spec], out: Spec, params: dict[str, Any]) -> float:
    """Multiplications of a row that slides along another one."""
    return prod(given[0].shape[:-1]) * given[0].shape[-1] * given[1].shape[-1]


def _convolve_spec(x: Spec, y: Spec) -> Spec:
    length = x.shape[-1] + y.shape[-1] - 1
    return spec((*broadcast_shapes(x.shape[:-1], y.shape[:-1]), length), np.result_type(x.dtype, y.dtype))


def _check_convolve(x: Spec, y: Spec) -> None:
    require(x.ndim > 0 and y.ndim > 0, "numbers are no vectors")
    require(x.shape[-1] > 0 and y.shape[-1] > 0, "a vector without elements cannot be convolved")


convolve: Primitive = multilinear(
    "convolve",
    ("x", "y"),
    lambda x, y: _by_rows(np.convolve, x, y),
    _convolve_spec,
    {"x": lambda g, y: slide(g, y), "y": lambda g, x: slide(g, x)},
    check=_check_convolve,
    facts=Facts(multiplications=of_sliding),
)
"""out[n] = sum of x[k] y[n-k] over all k, along the last axis."""


def _slide_spec(g: Spec, y: Spec) -> Spec:
    length = g.shape[-1] - y.shape[-1] + 1
    return spec((*broadcast_shapes(g.shape[:-1], y.shape[:-1]), length), np.result_type(g.dtype, y.dtype))


def _check_slide(g: Spec, y: Spec) -> None:
    _check_convolve(g, y)
    require(g.shape[-1] >= y.shape[-1], "the first vector must not be shorter than the second")


slide: Primitive = multilinear(
    "slide",
    ("g", "y"),
    lambda g, y: _by_rows(lambda a, b: np.correlate(a, np.conj(b) if b.dtype.kind == "c" else b, "valid"), g, y),
    _slide_spec,
    {"g": lambda g, y: convolve(g, y), "y": lambda g_out, g: slide(g, g_out)},
    check=_check_slide,
    facts=Facts(multiplications=of_sliding),
)
"""out[k] = sum of g[k+n] y[n] over all n, along the last axis; ``g`` is the longer one."""
