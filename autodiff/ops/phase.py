"""The direction of complex numbers, and phases that run on past a full turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.elementwise import absolute, conjugate, equal, logical_not, where
from autodiff.ops.masked import masked
from autodiff.ops.on_gpu import elementwise as gpu
from autodiff.trace.parameters import AXIS, FINITE, optional, require
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import result_spec, spec
from autodiff.trace.values.chunked import by_elements


def _turned(t: Any, mirrored: Any, x: Any) -> Any:
    """What of a change does not point along x, divided by its length; at 0 it is 0."""
    length = absolute(x)
    return masked((t - mirrored) / (2 * where(equal(length, 0), 1, length)), logical_not(equal(length, 0)))


complex_sign: Primitive = general(
    "complex_sign",
    ("x",),
    np.sign,
    lambda x: result_spec(x.shape, x.dtype),
    {"x": lambda g, x, out: _turned(g, conjugate(out * out * g), x)},
    check=lambda x: require(x.dtype.kind == "c", f"it takes complex numbers, and not {x.dtype}"),
    forward=lambda tangents, values, out, params: _turned(tangents[0], out * out * conjugate(tangents[0]), values[0]),
    on_gpu=gpu.complex_sign,
    on_chunks=by_elements,
)
"""x / abs(x) of complex numbers: it depends on the angle alone, so it has no complex derivative."""


def _evaluate_unwrap(x: Any, *, axis: int, discont: float | None, period: float) -> Any:
    return np.unwrap(x, discont=discont, axis=axis, period=period)


unwrap: Primitive = general(
    "unwrap",
    ("x",),
    _evaluate_unwrap,
    lambda x, *, axis, discont, period: spec(x.shape, np.result_type(x.dtype, period)),
    {"x": lambda g: g},
    params={"axis": AXIS, "discont": optional(FINITE), "period": FINITE},
    forward=lambda tangents, values, out, params: tangents[0],
)
"""Phases with whole periods added, so that neighbours along an axis differ by less than half a period."""
