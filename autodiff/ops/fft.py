"""Discrete Fourier transforms along one axis.

Each transform is linear and its matrix symmetric, so that transposing one gives a transform again. Axes are negative.
Lengths are changed beforehand, by :func:`resized`.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from autodiff.ops.index import slice_into, slice_of
from autodiff.ops.join import WHOLE
from autodiff.ops.matrices.products import conj
from autodiff.ops.on_chunks.axes import along_axes
from autodiff.trace.parameters import AXIS, COUNT, FLAG, one_of, require, same
from autodiff.trace.primitive import Primitive, linear
from autodiff.trace.spec import Spec, spec, spec_of
from autodiff.trace.values.arrays import placed

Norm = Literal["backward", "ortho", "forward"] | None
REVERSED: dict[Norm, Norm] = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The normalisation of the transform in the other direction that has the same factor."""


NORM = one_of(*REVERSED)


def with_length(shape: tuple[int, ...], axis: int, length: int) -> tuple[int, ...]:
    """The shape with another length at one axis."""
    axis %= len(shape)
    return (*shape[:axis], length, *shape[axis + 1 :])


def resized(x: Any, axis: int, length: int) -> Any:
    """The first elements along one axis, followed by zeros where there are not enough."""
    shape = spec_of(x).shape
    if shape[axis] == length:
        return x
    key = ((None, min(length, shape[axis]), None), *(WHOLE,) * (-axis - 1))
    if length < shape[axis]:
        return slice_of(x, key=key)
    return slice_into(x, key=key, shape=with_length(shape, axis, length))


# The complex transform.


def transformed_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype of the transform of values of a dtype, as NumPy has it."""
    return np.fft.fft(np.empty(1, dtype)).dtype


def _check_points(x: Spec, axis: int) -> None:
    require(x.shape[axis] > 0, "the transform of no points is not defined")


def _evaluate_fft(x: Any, *, axis: int, norm: Norm, inverse: bool) -> Any:
    return (np.fft.ifft if inverse else np.fft.fft)(x, axis=axis, norm=norm)


fft: Primitive = linear(
    "fft",
    ("x",),
    _evaluate_fft,
    lambda x, *, axis, norm, inverse: spec(x.shape, transformed_dtype(x.dtype)),
    {"x": lambda g, axis, norm, inverse: fft(g, axis=axis, norm=norm, inverse=inverse)},
    params={"axis": AXIS, "norm": NORM, "inverse": FLAG},
    check=lambda x, *, axis, norm, inverse: _check_points(x, axis),
    on_chunks=along_axes,
)
"""The sum over j of x[j] exp(-2 pi i j k / n); with a plus sign for the inverse."""


# Real values and half of their symmetric transform.


def _rfft_rule(g: Any, x_spec: Spec, axis: int, norm: Norm) -> Any:
    return fft(resized(g, axis, x_spec.shape[axis]), axis=axis, norm=norm, inverse=False)


def _rfft_spec(x: Spec, *, axis: int, norm: Norm) -> Spec:
    return spec(with_length(x.shape, axis, x.shape[axis] // 2 + 1), transformed_dtype(x.dtype))


def _check_rfft(x: Spec, *, axis: int, norm: Norm) -> None:
    _check_points(x, axis)
    require(x.dtype.kind != "c", "this is the transform of real values")


rfft: Primitive = linear(
    "rfft",
    ("x",),
    lambda x, *, axis, norm: np.fft.rfft(x, axis=axis, norm=norm),
    _rfft_spec,
    {"x": _rfft_rule},
    params={"axis": AXIS, "norm": NORM},
    check=_check_rfft,
    on_chunks=along_axes,
)
"""The first half of the transform of real values; the other half is its mirror image, conjugated."""


def _mirrored(length: int, axis: int, dtype: Any) -> Any:
    """How often each element of a half transform counts in the whole: once at the ends, otherwise twice."""
    weights = np.full(length // 2 + 1, 2, np.empty(0, dtype).real.dtype)
    weights[0] = 1
    if length % 2 == 0:
        weights[-1] = 1
    return weights.reshape((-1, *(1,) * (-axis - 1)))


def _irfft_rule(g: Any, axis: int, length: int, norm: Norm) -> Any:
    half = conj(rfft(g, axis=axis, norm=REVERSED[norm]))
    return half * placed(_mirrored(length, axis, half.dtype), half)


def _irfft_spec(x: Spec, *, axis: int, length: int, norm: Norm) -> Spec:
    real = np.empty(0, transformed_dtype(x.dtype)).real.dtype
    dtype = x.dtype if x.dtype == np.float16 else real
    return spec(with_length(x.shape, axis, length), dtype)


def _check_irfft(x: Spec, *, axis: int, length: int, norm: Norm) -> None:
    same("the length of the axis and of half a transform", x.shape[axis], length // 2 + 1)


irfft: Primitive = linear(
    "irfft",
    ("x",),
    lambda x, *, axis, length, norm: np.fft.irfft(x, length, axis=axis, norm=norm),
    _irfft_spec,
    {"x": _irfft_rule},
    params={"axis": AXIS, "length": COUNT, "norm": NORM},
    check=_check_irfft,
    on_chunks=along_axes,
)
"""The real values of a given length whose half transform is ``x``, which has length // 2 + 1 elements."""
