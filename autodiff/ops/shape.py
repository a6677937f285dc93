"""Rearranging, repeating and summing: linear operations that are each other's transposes.

Axes are negative numbers, counted from the end, and shapes are complete: then a leading batch axis changes nothing
but the shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff.ops.elementwise import cast, real
from autodiff.ops.on_chunks import shapes as in_chunks
from autodiff.ops.on_chunks.itself import itself
from autodiff.ops.on_chunks.reductions import reduction
from autodiff.trace.facts import ADDED, FIRST, Facts
from autodiff.trace.parameters import AXES, SHAPE, Domain, are_axes, require, same
from autodiff.trace.primitive import Primitive, linear
from autodiff.trace.spec import Spec, native, result_spec, spec, spec_of

Shape = tuple[int, ...]
Axes = tuple[int, ...]

PLAIN, FEW = frozenset({np.ndarray, np.float64, np.float32}), 512
"""Values of so few elements are repeated at once, where nobody traces: that takes less than making a view."""


def without(shape: Shape, axes: Axes) -> Shape:
    """The shape without the given negative axes."""
    return tuple(length for k, length in enumerate(shape, -len(shape)) if k not in axes)


def with_ones(shape: Shape, axes: Axes) -> Shape:
    """The shape with length 1 at the given negative axes."""
    return tuple(1 if k in axes else length for k, length in enumerate(shape, -len(shape)))


def inverse_permutation(axes: Axes) -> Axes:
    """The permutation of negative axes that undoes another one."""
    inverse = [0] * len(axes)
    for position, axis in enumerate(axes, -len(axes)):
        inverse[axis] = position
    return tuple(inverse)


def _rearranged(x: Spec, shape: Shape) -> Spec:
    """The spec of the same elements in another shape; a scalar stays one."""
    return spec(shape, x.dtype, "scalar" if x.kind == "scalar" and not shape else "array")


def _batch_reshape(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    (x,) = values
    return reshape(x, shape=(x.shape[0], *params["shape"]))


def _evaluate_reshape(x: Any, *, shape: Shape) -> Any:
    return x.reshape(shape) if isinstance(x, np.ndarray) else np.reshape(x, shape)


reshape: Primitive = linear(
    "reshape",
    ("x",),
    _evaluate_reshape,
    lambda x, *, shape: _rearranged(x, shape),
    {"x": lambda g, x_spec: reshape(g, shape=x_spec.shape)},
    params={"shape": SHAPE},
    check=lambda x, *, shape: same("the numbers of elements", x.size, prod(shape)),
    batch=_batch_reshape,
    view=True,
    moves=True,
    on_chunks=in_chunks.reshape,
    facts=Facts(copies=FIRST, label="Reshape"),
)
"""The same elements in another shape, in C order."""


def _evaluate_transpose(x: Any, *, axes: Axes) -> Any:
    if not isinstance(x, np.ndarray):
        lead = np.ndim(x) - len(axes)
        return np.transpose(x, (*range(lead), *axes) if lead else axes)
    lead = x.ndim - len(axes)
    return x.transpose((*range(lead), *axes) if lead else axes)


ORDER = Domain(
    "a permutation of the last axes",
    lambda value, operands: are_axes(value, operands[0].ndim) and sorted(value) == list(range(-len(value), 0)),
)

transpose: Primitive = linear(
    "transpose",
    ("x",),
    _evaluate_transpose,
    lambda x, *, axes: _rearranged(x, tuple(x.shape[k] for k in (*range(x.ndim - len(axes)), *axes))),
    {"x": lambda g, axes: transpose(g, axes=inverse_permutation(axes))},
    params={"axes": ORDER},
    view=True,
    moves=True,
    on_chunks=itself,
    facts=Facts(copies=FIRST, label="Transpose"),
)
"""The last axes in another order."""


def _batch_broadcast_to(values: Sequence[Any], batched: Sequence[bool], params: Mapping[str, Any]) -> Any:
    (x,) = values
    shape = params["shape"]
    size, own = x.shape[0], x.shape[1:]
    aligned = reshape(x, shape=(size, *(1,) * (len(shape) - len(own)), *own))
    return broadcast_to(aligned, shape=(size, *shape))


def _evaluate_broadcast_to(x: Any, *, shape: Shape) -> Any:
    """NumPy's view, for an array in C order at once: ``np.broadcast_to`` takes several times as long."""
    if type(x) is not np.ndarray or not x.size or not x.flags.c_contiguous:
        return np.broadcast_to(x, shape)
    strides = [0] * (len(shape) - x.ndim)
    for length, wanted, step in zip(x.shape, shape[len(strides) :], x.strides, strict=True):
        if length != wanted and length != 1:
            return np.broadcast_to(x, shape)  # says what is wrong
        strides.append(step if length == wanted else 0)
    out: Any = np.ndarray(shape, x.dtype, x, 0, strides)
    out.flags.writeable = False
    return out


broadcast_to: Primitive = linear(
    "broadcast_to",
    ("x",),
    _evaluate_broadcast_to,
    lambda x, *, shape: spec(shape, x.dtype),
    {"x": lambda g, x_spec: sum_to(g, x_spec.shape)},
    params={"shape": SHAPE},
    check=lambda x, *, shape: check_stretches(x, shape),
    batch=_batch_broadcast_to,
    view=True,
    adds="selected",
    on_chunks=in_chunks.repeat,
    facts=Facts(copies=FIRST, label="BroadcastTo"),
)
"""The elements repeated along new axes and along axes of length one."""


def _sum_spec(x: Spec, *, axes: Axes) -> Spec:
    dtype = np.add.reduce(np.empty(0, x.dtype)).dtype if x.dtype.kind in "biu" else native(x.dtype)
    return result_spec(without(x.shape, axes), dtype)


sum_axes: Primitive = linear(
    "sum",
    ("x",),
    lambda x, *, axes: np.add.reduce(x, axis=axes),
    _sum_spec,
    {"x": lambda g, x_spec, axes: spread(g, x_spec.shape, axes)},
    adds="selected",
    params={"axes": AXES},
    on_chunks=reduction("sum"),
    facts=Facts(fold=ADDED, label="Sum"),
)
"""The sum along axes, which disappear."""


def spread(g: Any, shape: Shape, axes: Axes) -> Any:
    """What belongs to a reduction along ``axes``, repeated along them."""
    if type(g) in PLAIN and prod(shape) <= FEW:  # an array of its own, at once
        out = np.empty(shape, g.dtype)
        out[...] = g if len(axes) == len(shape) else g.reshape(with_ones(shape, axes))
        return out
    return broadcast_to(reshape(g, shape=with_ones(shape, axes)), shape=shape)


def sum_to(g: Any, shape: Shape) -> Any:
    """What was broadcast from ``shape``, summed back to it."""
    own = spec_of(g).shape
    if own == shape:
        return g
    axes = tuple(k for k, length in enumerate(own, -len(own)) if k < -len(shape) or (length != 1 and shape[k] == 1))
    summed = sum_axes(g, axes=axes) if axes else g
    return summed if spec_of(summed).shape == shape else reshape(summed, shape=shape)


def stretches(own: Shape, shape: Shape) -> bool:
    """Whether a value of one shape can be repeated to another one: a tangent can, a cotangent must be summed."""
    return len(own) <= len(shape) and all(a in (1, b) for a, b in zip(reversed(own), reversed(shape)))


def check_stretches(x: Spec, shape: Shape) -> None:
    """Refuse a shape to which a value cannot be repeated."""
    require(stretches(x.shape, shape), f"an operand of shape {x.shape} cannot be repeated to the shape {shape}")


def project(g: Any, slot: Spec) -> Any:
    """A cotangent or tangent brought to the shape and dtype of the slot that it belongs to.

    It is summed over the axes that were broadcast, loses its imaginary part where the slot is real (it would
    multiply nothing), and is rounded to the slot's dtype.
    """
    own = spec_of(g)
    if own.shape != slot.shape:
        g = broadcast_to(g, shape=slot.shape) if stretches(own.shape, slot.shape) else sum_to(g, slot.shape)
    if own.dtype != slot.dtype:
        if own.dtype.kind == "c" and slot.dtype.kind != "c":
            g = real(g)
        if spec_of(g).dtype != slot.dtype:
            g = cast(g, dtype=slot.dtype)
    return g
