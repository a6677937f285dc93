"""Peaks of signals: where they are is constant; how high, prominent and wide they are depends on the signal."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.ops.elementwise import maximum
from autodiff.scipy.mirror import counterpart


@counterpart(scipy.signal.find_peaks)
def find_peaks(x: Any, **options: Any) -> tuple[Any, dict[str, Any]]:
    """The places of peaks, and what was asked for of them as functions of the signal.

    >>> import numpy as np, autodiff
    >>> autodiff.grad(lambda x: np.sum(find_peaks(x, height=0.0)[1]["peak_heights"]))(np.array([0.0, 2.0, 1.0]))
    array([0., 1., 0.])
    """
    x = as_operand(x)
    plain = {name: peeled(option, "find_peaks") for name, option in options.items()}
    peaks, found = scipy.signal.find_peaks(peeled(x, "find_peaks"), **plain)
    heights = x[peaks]
    own: dict[str, Any] = {"peak_heights": heights}
    if "left_thresholds" in found:
        own |= {"left_thresholds": heights - x[peaks - 1], "right_thresholds": heights - x[peaks + 1]}
    if "prominences" in found:
        own["prominences"] = above_bases(x, peaks, found["left_bases"], found["right_bases"])
    if "widths" in found:
        ends = found["left_ips"], found["right_ips"]
        named = at_heights(x, peaks, own["prominences"], options.get("rel_height", 0.5), ends)
        own |= dict(zip(("widths", "width_heights", "left_ips", "right_ips"), named, strict=True))
    return peaks, {name: own.get(name, value) for name, value in found.items()}


def above_bases(x: Any, peaks: Any, left: Any, right: Any) -> Any:
    """How far peaks rise above the higher one of their bases."""
    return x[peaks] - maximum(x[left], x[right])


def at_heights(x: Any, peaks: Any, prominences: Any, share: Any, ends: tuple[Any, Any]) -> tuple[Any, Any, Any, Any]:
    """The widths of peaks at a share of their prominence, the heights there, and where the signal crosses these.

    Args:
        x: the signal.
        peaks: places.
        prominences: of the peaks.
        share: of the prominence, from the top.
        ends: where the signal crosses the heights, as plain numbers.
    """
    heights = x[peaks] - prominences * share
    low = [np.clip(np.floor(end).astype(int), 0, x.shape[0] - 2) for end in ends]
    crossed = []
    for start, end in zip(low, ends, strict=True):
        rise = x[start + 1] - x[start]
        between = (end != np.round(end)) & (peeled(rise, "peak_widths") != 0)
        way = (heights - x[start]) / FUNCTIONS[np.where](between, rise, 1.0)
        crossed.append(FUNCTIONS[np.where](between, start + way, end))
    return crossed[1] - crossed[0], heights, crossed[0], crossed[1]


@counterpart(scipy.signal.peak_prominences)
def peak_prominences(x: Any, peaks: Any, wlen: Any = None) -> tuple[Any, Any, Any]:
    """How far peaks rise above their bases, and the places of these."""
    x, peaks = as_operand(x), np.asarray(peeled(peaks, "peak_prominences"))
    _, left, right = scipy.signal.peak_prominences(peeled(x, "peak_prominences"), peaks, wlen)
    return above_bases(x, peaks, left, right), left, right


@counterpart(scipy.signal.peak_widths)
def peak_widths(
    x: Any, peaks: Any, rel_height: Any = 0.5, prominence_data: Any = None, wlen: Any = None
) -> tuple[Any, Any, Any, Any]:
    """The widths of peaks at a share of their prominence, the heights there, and where the signal crosses these."""
    x, peaks = as_operand(x), np.asarray(peeled(peaks, "peak_widths"))
    if prominence_data is None:
        prominence_data = peak_prominences(x, peaks, wlen)
    heights, *bases = (np.asarray(peeled(part, "peak_widths")) for part in prominence_data)
    plain = heights.astype(float), *bases  # SciPy computes in double precision
    ends = scipy.signal.peak_widths(peeled(x, "peak_widths"), peaks, peeled(rel_height, "peak_widths"), plain, wlen)[2:]
    return at_heights(x, peaks, prominence_data[0], rel_height, ends)
