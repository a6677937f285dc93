"""Products of matrices, and the linear algebra of stacks of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.ops.shape import transpose
from autodiff.trace.primitive import Primitive, multilinear
from autodiff.trace.spec import Spec, result_spec


def swap(x: Any) -> Any:
    """The matrices transposed."""
    return transpose(x, axes=(-1, -2))


def _matmul_spec(x: Spec, y: Spec) -> Spec:
    lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    if x.shape[-1] != y.shape[-2]:
        raise ValueError(f"the inner lengths {x.shape[-1]} and {y.shape[-2]} differ; they must be equal")
    return result_spec((*lead, x.shape[-2], y.shape[-1]), np.result_type(x.dtype, y.dtype))


matmul: Primitive = multilinear(
    "matmul",
    ("x", "y"),
    np.matmul,
    _matmul_spec,
    {"x": lambda g, y: matmul(g, swap(y)), "y": lambda g, x: matmul(swap(x), g)},
)
"""Matrix product of operands with at least two axes each; leading axes broadcast."""
