"""Feedback: each element of a signal is what comes in, less a few multiples of the elements that went out before."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import scipy.signal

from autodiff.ops.index import slice_of
from autodiff.ops.join import stack
from autodiff.ops.matrices.products import batch_of, check_ndim
from autodiff.ops.matrices.solve import linalg_dtype
from autodiff.ops.on_gpu.special import refused
from autodiff.ops.shape import sum_axes, sum_to
from autodiff.trace.facts import Facts
from autodiff.trace.primitive import Primitive, general
from autodiff.trace.spec import Spec, broadcast_shapes, spec, spec_of


def _evaluate(a: Any, w: Any) -> Any:
    dtype = linalg_dtype(a.dtype, w.dtype)
    a, w = np.asarray(a, dtype), np.asarray(w, dtype)
    if not w.size:
        return np.zeros((*broadcast_shapes(a.shape[:-1], w.shape[:-1]), w.shape[-1]), dtype)
    whole = np.concatenate([np.ones((*a.shape[:-1], 1), dtype), a], -1)
    if a.ndim == 1:
        return scipy.signal.lfilter(whole[:1], whole, w)
    lead = broadcast_shapes(a.shape[:-1], w.shape[:-1])
    rows = np.broadcast_to(whole, (*lead, whole.shape[-1])).reshape(prod(lead), -1)
    signals = np.broadcast_to(w, (*lead, w.shape[-1])).reshape(prod(lead), -1)
    found = [scipy.signal.lfilter(row[:1], row, signal) for row, signal in zip(rows, signals, strict=True)]
    return np.reshape(found, (*lead, w.shape[-1]))


def _check(a: Spec, w: Spec) -> None:
    check_ndim(a, 1)
    check_ndim(w, 1)


def _spec(a: Spec, w: Spec) -> Spec:
    lead = broadcast_shapes(a.shape[:-1], w.shape[:-1])
    return spec((*lead, w.shape[-1]), linalg_dtype(a.dtype, w.dtype))


def backwards(x: Any) -> Any:
    """The last axis from its end."""
    return slice_of(x, key=((None, None, -1),))


def part(x: Any, start: int | None, stop: int | None) -> Any:
    """Some of the last axis."""
    return slice_of(x, key=((start, stop, None),))


def _through(g: Any, a: Any) -> Any:
    """The cotangent of what comes in: the same filter, from the end of the signal to its beginning."""
    return backwards(recursive_filter(a, backwards(g)))


def _of_coefficients(g: Any, a: Any, out: Any, a_spec: Spec) -> Any:
    """Each coefficient takes the signal that many steps before away from what comes in."""
    length = spec_of(out).shape[-1]
    before = _through(g, a)
    whole = [
        sum_axes(part(before, min(k, length), None) * part(out, None, max(length - k, 0)), axes=(-1,))
        for k in range(1, a_spec.shape[-1] + 1)
    ]
    return sum_to(-stack(*whole, axis=-1), a_spec.shape)


recursive_filter: Primitive = general(
    "recursive_filter",
    ("a", "w"),
    _evaluate,
    _spec,
    {"a": _of_coefficients, "w": lambda g, a, w_spec: sum_to(_through(g, a), w_spec.shape)},
    params={},
    check=_check,
    batch=batch_of(lambda: recursive_filter, 1, 1),
    on_gpu=refused("recursive_filter"),
    facts=Facts(new=True),
)
"""The signal y with y[n] = w[n] - a[0] y[n - 1] - a[1] y[n - 2] - ... along the last axis."""
