"""Signals at another rate."""

from __future__ import annotations

from math import gcd
from typing import Any

import numpy as np
import scipy.signal

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.scipy.linear import linear_counterpart
from autodiff.scipy.mirror import counterpart, holds_traced
from autodiff.scipy.signal.filters import inexact
from autodiff.scipy.signal.recursive import filtfilt, lfilter, sosfilt, sosfiltfilt
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

resample = linear_counterpart(scipy.signal.resample, "scipy.signal.resample")
_linear_resample_poly = linear_counterpart(scipy.signal.resample_poly, "scipy.signal.resample_poly")


def exchanged(g: Any, length: int, options: Any) -> Any:
    """The transpose of :func:`upfirdn`: the filter is reversed, and the rates are exchanged."""
    h, up, down = np.atleast_1d(options["h"]), options.get("up", 1), options.get("down", 1)
    if options.get("mode", "constant") != "constant":
        matrix = scipy.signal.upfirdn(x=np.eye(length), axis=-1, **{**options, "cval": 0})
        return g @ matrix.T
    late = -(h.size - 1) % up
    found = scipy.signal.upfirdn(np.concatenate([np.zeros(late, h.dtype), h[::-1]]), g, down, up, axis=-1)
    found = found[..., (h.size - 1 + late) // up :][..., :length]
    return np.concatenate([found, np.zeros((*g.shape[:-1], length - found.shape[-1]), found.dtype)], -1)


upfirdn = linear_counterpart(scipy.signal.upfirdn, "scipy.signal.upfirdn", 1, exchanged)

LEVELS: dict[str, Any] = {"median": np.median, "minimum": np.min, "maximum": np.max, "mean": np.mean}
"""Levels of a signal that are taken away first, and added afterwards."""


@counterpart(scipy.signal.resample_poly)
def resample_poly(
    x: Any,
    up: int,
    down: int,
    axis: int = 0,
    window: Any = ("kaiser", 5.0),
    padtype: Any = "constant",
    cval: Any = None,
) -> Any:
    """The signal at another rate; beyond its ends stand zeros, or a level of it."""
    if padtype in LEVELS:
        x = as_operand(x)
        level = FUNCTIONS[LEVELS[padtype]](x, axis, keepdims=True)
        return resample_poly(x - level, up, down, axis, window) + level
    if padtype != "constant" or cval or holds_traced((up, down, window, cval)):
        return _linear_resample_poly(x, up, down, axis, window, padtype, cval)
    x, common = as_operand(x), gcd(int(up), int(down))
    up, down = int(up) // common, int(down) // common
    if up == down == 1 or min(up, down) < 1:
        return _linear_resample_poly(x, up, down, axis, window, padtype, cval)
    h, half = interpolating(window, max(up, down), spec_of(x).dtype)
    count = -(-x.shape[axis] * up // down)
    before = down - half % down
    skipped = (half + before) // down
    h = np.concatenate([np.zeros(before, h.dtype), h * up])
    missing = (skipped + count - 1) * down + 1 - h.size - (x.shape[axis] - 1) * up
    h = np.concatenate([h, np.zeros(max(missing, 0), h.dtype)])
    found = FUNCTIONS[np.moveaxis](upfirdn(h, x, up, down, axis), axis, -1)[..., skipped : skipped + count]
    return FUNCTIONS[np.moveaxis](found, -1, axis)


def interpolating(window: Any, rate: int, dtype: Any) -> tuple[Any, int]:
    """The filter between two rates, of which half the length is given or follows from the larger one."""
    if isinstance(window, (list, np.ndarray)):
        h = np.asarray(window)
        return h, (h.size - 1) // 2
    h = scipy.signal.firwin(20 * rate + 1, 1.0 / rate, window=window)
    return h.astype(dtype) if dtype.kind in "fc" else h, 10 * rate


@counterpart(scipy.signal.decimate)
def decimate(x: Any, q: int, n: Any = None, ftype: Any = "iir", axis: int = -1, zero_phase: bool = True) -> Any:
    """Each q-th element of a signal, after a filter that keeps lower frequencies."""
    if holds_traced((q, n, ftype)):
        raise DifferentiationError(
            f"scipy.signal.decimate has a derivative by its array alone{at_user_line()}; keep its other arguments "
            "constant"
        )
    x = as_operand(x)
    dtype = spec_of(x).dtype if spec_of(x).dtype.kind in "fc" and spec_of(x).dtype != np.float16 else np.dtype(float)
    x = inexact(x)
    if isinstance(ftype, str):
        if ftype not in ("iir", "fir"):
            raise ValueError(f"ftype is 'iir', 'fir' or a system, and not {ftype!r}")
        if ftype == "fir":
            b = scipy.signal.firwin((20 * q if n is None else n) + 1, 1.0 / q, window="hamming").astype(dtype)
            return with_less(b, x, q, axis, zero_phase)
        sos = scipy.signal.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos").astype(dtype)
        return every(sosfiltfilt(sos, x, axis) if zero_phase else sosfilt(sos, x, axis), q, axis)
    system, roots = ftype.to_tf(), ftype.to_zpk()
    if not roots.poles.size:
        return with_less(system.num / system.den[0], x, q, axis, zero_phase)
    if not np.iscomplexobj(system.num) and not np.iscomplexobj(system.den):
        sos = scipy.signal.zpk2sos(roots.zeros, roots.poles, roots.gain)
        return every(sosfiltfilt(sos, x, axis) if zero_phase else sosfilt(sos, x, axis), q, axis)
    whole = filtfilt if zero_phase else lfilter
    return every(whole(system.num, system.den, x, axis), q, axis)


def every(y: Any, q: int, axis: int) -> Any:
    """Each q-th element along an axis."""
    return FUNCTIONS[np.moveaxis](FUNCTIONS[np.moveaxis](y, axis, -1)[..., ::q], -1, axis)


def with_less(b: Any, x: Any, q: int, axis: int, zero_phase: bool) -> Any:
    """Each q-th element of a convolution."""
    if zero_phase:
        return resample_poly(x, 1, q, axis, window=b)
    found = FUNCTIONS[np.moveaxis](upfirdn(b, x, 1, q, axis), axis, -1)
    return FUNCTIONS[np.moveaxis](found[..., : -(-x.shape[axis] // q)], -1, axis)
