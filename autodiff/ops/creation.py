"""New arrays on somebody else's tape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.ops.elementwise import multiply
from autodiff.ops.on_chunks import shapes as in_chunks
from autodiff.ops.on_gpu import making
from autodiff.ops.shape import check_stretches, reshape, sum_axes, sum_to
from autodiff.trace.facts import FIRST, Facts, numeric
from autodiff.trace.link import passing
from autodiff.trace.parameters import DTYPE, FLAG, LENGTH, SHAPE, require, same
from autodiff.trace.primitive import Primitive, linear
from autodiff.trace.spec import Spec, native, spec, spec_of
from autodiff.trace.values.arrays import module_of


def nothing(g: Any) -> None:
    """The rule of an operand that only says where the operation is recorded."""


def _batch_full(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    prototype, value = values
    size = values[0 if batched[0] else 1].shape[0]
    if batched[1]:
        own = value.shape[1:]
        value = reshape(value, shape=(size, *(1,) * (len(params["shape"]) - len(own)), *own))
    return full(prototype, value, shape=(size, *params["shape"]), dtype=params["dtype"])


def _check_full(prototype: Spec, value: Spec, *, shape: tuple[int, ...], dtype: Any) -> None:
    check_stretches(value, shape)
    require(value.dtype.kind != "c" or dtype.kind == "c", f"a complex number cannot fill an array of {dtype}")


full: Primitive = linear(
    "full",
    ("prototype", "value"),
    lambda prototype, value, *, shape, dtype: np.full(shape, value, dtype),
    lambda prototype, value, *, shape, dtype: spec(shape, dtype),
    {"prototype": nothing, "value": lambda g, value_spec: sum_to(g, value_spec.shape)},
    params={"shape": SHAPE, "dtype": DTYPE},
    check=_check_full,
    batch=_batch_full,
    on_gpu=making.full,
    adds=True,
    on_chunks=in_chunks.full,
    facts=Facts(exact=True, new=True),
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
    on_gpu=making.copy,
    on_chunks=in_chunks.copy,
    facts=numeric("x", copies=FIRST, new=True),
)
"""The same elements in memory of their own."""


in_c_order: Primitive = linear(
    "in_c_order",
    ("x",),
    lambda x: x if not isinstance(x, np.ndarray) or x.flags.c_contiguous else x.copy(),
    lambda x: x,
    {"x": passing},
    view=True,
    moves=True,
    on_gpu=lambda x: x if x.flags.c_contiguous else x.copy(),
    on_chunks=in_chunks.copy,
)
"""The same elements one after another in C order: a copy, unless they are."""


def _weights(count: int, endpoint: bool, g: Any) -> Any:
    """How much of ``stop`` there is in each sample."""
    steps = count - 1 if endpoint else count
    return module_of(g).arange(count, dtype=np.empty(0, spec_of(g).dtype).real.dtype) / max(steps, 1)


def _from_start(g: Any, count: int, endpoint: bool) -> Any:
    return sum_axes(multiply(g, 1 - _weights(count, endpoint, g)), axes=(-1,))


def _from_stop(g: Any, count: int, endpoint: bool) -> Any:
    return sum_axes(multiply(g, _weights(count, endpoint, g)), axes=(-1,))


def _check_samples(start: Spec, stop: Spec, *, count: int, endpoint: bool) -> None:
    same("the shapes of start and stop", start.shape, stop.shape)
    same("the dtypes of start and stop", start.dtype, stop.dtype)
    require(start.inexact, f"samples lie between floating-point numbers, and not between numbers of {start.dtype}")


samples: Primitive = linear(
    "samples",
    ("start", "stop"),
    lambda start, stop, *, count, endpoint: np.linspace(start, stop, count, endpoint, axis=-1),
    lambda start, stop, *, count, endpoint: spec((*start.shape, count), native(start.dtype)),
    {"start": _from_start, "stop": _from_stop},
    params={"count": LENGTH, "endpoint": FLAG},
    check=_check_samples,
    on_gpu=making.samples,
)
"""Numbers at equal distances, along a new last axis, between operands of one shape and floating dtype.

NumPy's arithmetic depends on whether a step is zero. A composition could not repeat that to the last bit where only
shapes are known, and would be seven entries instead of one.
"""
