"""Convolution and correlation of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.dispatch import as_operand, implements
from autodiff.ops.elementwise import cast, conjugate
from autodiff.ops.images.correlate import convolve as full
from autodiff.ops.shape import reshape
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

MODES = ("full", "same", "valid")


def vector(name: str, x: Any) -> Any:
    """An operand with one axis; a number counts as one element."""
    x = as_operand(x)
    own = spec_of(x)
    if len(own.shape) > 1 or not own.size:
        raise ValueError(f"{name} needs vectors with at least one element, got {own!r}{at_user_line()}")
    return x if own.shape else reshape(x, shape=(1,))


def middle(name: str, whole: Any, longer: int, shorter: int, mode: str) -> Any:
    """The part of a full convolution that a mode asks for."""
    if mode not in MODES:
        raise ValueError(f"{name} has no mode {mode!r}{at_user_line()}; the modes are {', '.join(MODES)}")
    if mode == "full":
        return whole
    start = shorter - 1 if mode == "valid" else (shorter - 1) // 2
    length = longer - shorter + 1 if mode == "valid" else longer
    return whole[start : start + length]


@implements(np.convolve)
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """out[n] = the sum of a[k] v[n-k] over k; differentiable by both."""
    a, v = vector("convolve", a), vector("convolve", v)
    if spec_of(v).size > spec_of(a).size:
        a, v = v, a
    return middle("convolve", sliding(a, v), spec_of(a).size, spec_of(v).size, mode)


def sliding(a: Any, v: Any) -> Any:
    """The full convolution, in the dtype that NumPy computes it in."""
    dtype = np.result_type(spec_of(a).dtype, spec_of(v).dtype)
    return full(cast(a, dtype=dtype), cast(v, dtype=dtype))


@implements(np.correlate)
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """out[k] = the sum of a[n+k] conj(v[n]) over n; differentiable by both."""
    a, v = vector("correlate", a), vector("correlate", v)
    n, m = spec_of(a).size, spec_of(v).size
    v = conjugate(v) if spec_of(v).dtype.kind == "c" else v
    if m <= n:
        return middle("correlate", sliding(a, v[::-1]), n, m, mode)
    return middle("correlate", sliding(v, a[::-1]), m, n, mode)[::-1]
