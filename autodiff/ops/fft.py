"""Discrete Fourier transforms along one axis.

Each transform is linear and its matrix symmetric, so that transposing one gives a transform again. Axes are negative.
Lengths are changed beforehand, by :data:`resize`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.ops.linalg import conj
from autodiff.trace.primitive import Primitive, linear
from autodiff.trace.spec import Spec, spec

Norm = str | None
REVERSED: dict[Norm, Norm] = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The normalisation of the transform in the other direction that has the same factor."""


def with_length(shape: tuple[int, ...], axis: int, length: int) -> tuple[int, ...]:
    """The shape with another length at one axis."""
    axis %= len(shape)
    return (*shape[:axis], length, *shape[axis + 1 :])


def along(axis: int, part: Any) -> tuple[Any, ...]:
    """The key that takes a part of one negative axis."""
    return (..., part, *(slice(None),) * (-axis - 1))


def _evaluate_resize(x: Any, *, axis: int, length: int) -> Any:
    own = x.shape[axis]
    if length <= own:
        return x[along(axis, slice(length))].copy()
    out = np.zeros_like(x, shape=with_length(x.shape, axis, length))
    out[along(axis, slice(own))] = x
    return out


resize: Primitive = linear(
    "resize",
    ("x",),
    _evaluate_resize,
    lambda x, *, axis, length: spec(with_length(x.shape, axis, length), x.dtype),
    {"x": lambda g, x_spec, axis: resize(g, axis=axis, length=x_spec.shape[axis])},
    moves=True,
)
"""The first elements along one axis, followed by zeros where there are not enough."""


def resized(x: Any, axis: int, length: int) -> Any:
    """``x`` of another length, where it does not have it already."""
    return x if x.shape[axis] == length else resize(x, axis=axis, length=length)


# The complex transform.


def transformed_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype of the transform of values of a dtype, as NumPy has it."""
    return np.fft.fft(np.empty(1, dtype)).dtype


def _evaluate_fft(x: Any, *, axis: int, norm: Norm, inverse: bool) -> Any:
    return (np.fft.ifft if inverse else np.fft.fft)(x, axis=axis, norm=norm)


fft: Primitive = linear(
    "fft",
    ("x",),
    _evaluate_fft,
    lambda x, *, axis, norm, inverse: spec(x.shape, transformed_dtype(x.dtype)),
    {"x": lambda g, axis, norm, inverse: fft(g, axis=axis, norm=norm, inverse=inverse)},
)
"""The sum over j of x[j] exp(-2 pi i j k / n); with a plus sign for the inverse."""


# Real values and half of their symmetric transform.


def _rfft_rule(g: Any, x_spec: Spec, axis: int, norm: Norm) -> Any:
    return fft(resized(g, axis, x_spec.shape[axis]), axis=axis, norm=norm, inverse=False)


def _rfft_spec(x: Spec, *, axis: int, norm: Norm) -> Spec:
    return spec(with_length(x.shape, axis, x.shape[axis] // 2 + 1), transformed_dtype(x.dtype))


rfft: Primitive = linear(
    "rfft",
    ("x",),
    lambda x, *, axis, norm: np.fft.rfft(x, axis=axis, norm=norm),
    _rfft_spec,
    {"x": _rfft_rule},
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
    return half * _mirrored(length, axis, half.dtype)


def _irfft_spec(x: Spec, *, axis: int, length: int, norm: Norm) -> Spec:
    real = np.empty(0, transformed_dtype(x.dtype)).real.dtype
    dtype = x.dtype if x.dtype == np.float16 else real
    return spec(with_length(x.shape, axis, length), dtype)


irfft: Primitive = linear(
    "irfft",
    ("x",),
    lambda x, *, axis, length, norm: np.fft.irfft(x, length, axis=axis, norm=norm),
    _irfft_spec,
    {"x": _irfft_rule},
)
"""The real values of a given length whose half transform is ``x``, which has length // 2 + 1 elements."""


# Moving the zero frequency.


def _evaluate_shift(x: Any, *, axes: Sequence[int], inverse: bool) -> Any:
    return (np.fft.ifftshift if inverse else np.fft.fftshift)(x, axes=axes)


fft_shift: Primitive = linear(
    "fft_shift",
    ("x",),
    _evaluate_shift,
    lambda x, *, axes, inverse: spec(x.shape, x.dtype),
    {"x": lambda g, axes, inverse: fft_shift(g, axes=axes, inverse=not inverse)},
    moves=True,
)
"""The zero frequency in the middle of the axes; the inverse takes it back to their begin."""
