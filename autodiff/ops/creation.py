"""New arrays on somebody else's tape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.ops.shape import reshape, sum_to
from autodiff.trace.link import passing
from autodiff.trace.primitive import Primitive, linear
from autodiff.trace.spec import spec


def _nothing(g: Any) -> None:
    """The rule of an operand that only says where the operation is recorded."""


def _batch_full(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    prototype, value = values
    size = values[0 if batched[0] else 1].shape[0]
    if batched[1]:
        own = value.shape[1:]
        value = reshape(value, shape=(size, *(1,) * (len(params["shape"]) - len(own)), *own))
    return full(prototype, value, shape=(size, *params["shape"]), dtype=params["dtype"])


full: Primitive = linear(
    "full",
    ("prototype", "value"),
    lambda prototype, value, *, shape, dtype: np.full_like(prototype, value, dtype, shape=shape),
    lambda prototype, value, *, shape, dtype: spec(shape, dtype),
    {"prototype": _nothing, "value": lambda g, value_spec: sum_to(g, value_spec.shape)},
    batch=_batch_full,
)
"""A new array of a shape and dtype, filled with a value that broadcasts to it.

It does not depend on the prototype, but it is traced where that is: what is assigned into it later, is recorded.
"""

copy: Primitive = linear(
    "copy",
    ("x",),
    lambda x: np.array(x, copy=True, order="K"),
    lambda x: spec(x.shape, x.dtype),
    {"x": passing},
    moves=True,
)
"""The same elements in memory of their own."""
