"""The cross product of vectors of three elements."""

from __future__ import annotations

import numpy as np

from autodiff.ops.matrices.products import batch_of
from autodiff.ops.shape import sum_to
from autodiff.trace.parameters import same
from autodiff.trace.primitive import Primitive, multilinear
from autodiff.trace.spec import Spec, broadcast_shapes, result_spec


def _cross_spec(x: Spec, y: Spec) -> Spec:
    return result_spec(broadcast_shapes(x.shape, y.shape), np.result_type(x.dtype, y.dtype))


def _check(x: Spec, y: Spec) -> None:
    same("the lengths of the last axes and three", (x.shape[-1:], y.shape[-1:]), ((3,), (3,)))


cross: Primitive = multilinear(
    "cross",
    ("x", "y"),
    np.cross,
    _cross_spec,
    {
        "x": lambda g, y, x_spec: sum_to(cross(y, g), x_spec.shape),
        "y": lambda g, x, y_spec: sum_to(cross(g, x), y_spec.shape),
    },
    check=_check,
    batch=batch_of(lambda: cross, 1, 1),
)
"""The cross products along the last axis, of length three; leading axes broadcast."""
