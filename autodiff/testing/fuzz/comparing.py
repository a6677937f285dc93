"""Whether compiled results are right: dtype, shape, kind, NaN, infinities, and values by the oracle."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.testing.fuzz.oracle import Oracle
from autodiff.testing.lawbook.values import described

STATED = 4.0
"""Units in the last place by which a result may differ in any case: the largest error stated for an operation."""

EAGER = 4.0
"""How many times eager's own error a result may have."""

SAMPLED = 1.1
"""How many times the largest error that was drawn a result may have: of two branches each has errors of its own."""

CHAOTIC, DIGITS, STEPS = 8.0, 64.0, 3
"""The same where errors leave hardly a digit of a result, a part of so many of it: the largest of a few draws says
little of where it may lie. What has so many values in all draws goes in steps, of which the largest is known."""

WILD = 2.0**20
"""How many times further than rounding errors go a program's result is from that of its recording, if an operation of a
user computes something else there."""

RUNS = (4, 32)
"""How often rounding errors are drawn: a few times at first, and many times before anything is called wrong."""


@dataclass(frozen=True)
class Finding:
    """What is wrong.

    Attributes:
        kind: "value", "pattern", "dtype", "shape", "kind", "structure", "input", "repeat", "raises" or "crash".
        detail: lines that say where, and what arrived.
    """

    kind: str
    detail: str


def compare(
    eager: list[Any], compiled: list[Any], oracle: Oracle, places: Collection[int] | None = None
) -> tuple[Finding | None, bool]:
    """The first thing wrong in a list of results, perhaps of some only, and whether any element was left undecided."""
    undecided = False
    for place, (e, c) in enumerate(zip(eager, compiled, strict=True)):
        if places is not None and place not in places:
            continue
        found = form(e, c, place)
        if found is not None and oracle.mode.derivative and type(e) in (float, complex) and isinstance(c, np.generic):
            found = None  # a derivative by a Python number, which a program returns as NumPy's
        if found is not None and oracle.mode.of_variables and found.kind == "kind":
            found = None  # Variables hold arrays without axes
        if found is not None:
            return found, undecided
        a, b = np.asarray(e), np.asarray(c)
        if a.tobytes() == b.tobytes():
            continue
        for count in RUNS:
            wrong, open_, allowed = judged(a, b, place, oracle, count)
            if not wrong.any():
                break
        undecided |= bool(open_.any())
        if wrong.any():
            return worst(a, b, wrong, allowed, place, oracle), undecided
    return None, undecided


def form(e: Any, c: Any, place: int) -> Finding | None:
    """What is wrong with the type, dtype and shape of a result."""
    if described(e) == described(c):
        return None
    kind = "dtype" if np.asarray(e).dtype != np.asarray(c).dtype else "shape" if np.shape(e) != np.shape(c) else "kind"
    return Finding(kind, f"result {place}: arrived {described(c)}, eager {described(e)}")


def judged(
    e: NDArray[Any], c: NDArray[Any], place: int, oracle: Oracle, count: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[Any]]:
    """Which elements are wrong, which cannot be decided, and the errors that are allowed."""
    suspicious, nothing = ~alike(e, c), np.zeros(e.shape, bool)
    if not suspicious.any():
        return nothing, nothing, nothing
    reference = oracle.reference
    if reference is None or np.shape(reference[place]) != e.shape:
        return nothing, suspicious, nothing
    r = np.asarray(reference[place])
    runs = [
        np.asarray(run[place]) for run in oracle.moved(count) if run is not None and np.shape(run[place]) == e.shape
    ]
    with np.errstate(all="ignore"):
        if e.dtype.kind not in "fc":
            steady = np.all([r == e, *(run == r for run in runs)], axis=0)
            return suspicious & steady, suspicious & ~steady, nothing
        steady = np.all([same_pattern(run, r) for run in (r, *runs)], axis=0) & ~near_overflow(r, e.dtype)
        differs = ~same_pattern(e, c)
        if oracle.mode.derivative:  # of a derivative that overflows, the order of its products and sums says how
            steady &= np.isfinite(e) | ~np.isfinite(r)
            if oracle.finite:
                steady &= np.isfinite(e) | np.isfinite(c)
            elif oracle.lost:
                steady &= ~(np.isnan(e) | np.isnan(c))
        finite = np.isfinite(e) & np.isfinite(r)
        spread = np.max([np.where(np.isfinite(run), abs(run - r), 0.0) for run in (r, *runs)], axis=0)
        own = np.where(finite, abs(e - r), 0.0)
        sampled = np.where((spread > abs(r)) | (gradual(runs) & (DIGITS * spread > abs(r))), CHAOTIC, SAMPLED)
        smallest = float(np.finfo(e.dtype).tiny)  # functions may give zero in place of what is no normal number
        allowed = EAGER * own + np.maximum(sampled * spread, np.maximum(STATED * unit(r, e.dtype), smallest))
        far = finite & np.isfinite(c) & ~(abs(c - r) <= allowed)
        if oracle.program.operations:
            far |= own > WILD * np.maximum(spread, STATED * unit(r, e.dtype))
        wrong = suspicious & steady & (differs | far)
        return wrong, suspicious & ~steady | suspicious & ~differs & ~finite & np.isfinite(e), allowed


def gradual(runs: list[NDArray[Any]]) -> NDArray[np.bool_]:
    """Where errors lead to many different results, not to a few."""
    if not runs:
        return np.asarray(False)
    ordered = np.sort(np.stack(runs), axis=0)
    return np.asarray(np.sum(ordered[1:] != ordered[:-1], axis=0) >= STEPS)


def alike(e: NDArray[Any], c: NDArray[Any]) -> NDArray[np.bool_]:
    """Where elements are equal, both NaN, or within the stated units in the last place."""
    with np.errstate(all="ignore"):
        same = (e == c) | ((e != e) & (c != c))
        if e.dtype.kind in "fc":
            same |= abs(c - e) <= STATED * unit(e, e.dtype)
    return np.asarray(same)


def same_pattern(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    """Where both are finite, both NaN, or the same infinity."""
    both = np.isfinite(a) & np.isfinite(b)
    return np.asarray(both | (np.isnan(a) & np.isnan(b)) | (np.isinf(a) & np.isinf(b) & (a == b)))


def near_overflow(r: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[np.bool_]:
    """Where the next rounding error may or may not overflow."""
    return np.asarray(abs(abs(r) / float(np.finfo(dtype).max) - 1) < 1e-5)


def unit(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The distance to the next number of the dtype, for each magnitude."""
    real = np.finfo(dtype).dtype
    sizes = np.minimum(abs(values), float(np.finfo(real).max)).astype(real)
    return np.asarray(np.where(np.isfinite(sizes), np.spacing(sizes), 0.0), dtype=np.float64)


def worst(
    e: NDArray[Any], c: NDArray[Any], wrong: NDArray[np.bool_], allowed: NDArray[Any], place: int, oracle: Oracle
) -> Finding:
    """The element that is furthest from right, in words."""
    found = oracle.reference
    r = np.asarray(found[place] if found is not None else e)
    if e.dtype.kind not in "fc":
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        return Finding("value", f"result {place}{list(index)}: arrived {c[index]!r}, eager {e[index]!r}")
    with np.errstate(all="ignore"):
        excess = np.where(same_pattern(e, c), abs(c - r) / (allowed + np.finfo(np.float64).tiny), np.inf)
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(np.where(wrong, excess, -1.0))), e.shape))
    kind = "value" if np.isfinite(excess[index]) else "pattern"
    one = float(unit(r, e.dtype)[index]) or float(np.finfo(e.dtype).tiny)
    return Finding(
        kind,
        f"result {place}{list(index)}: arrived {c[index]!r}, eager {e[index]!r}, float64 {r[index]!r}\n"
        f"  error {abs(c[index] - r[index]) / one:.3g} ulps, eager's own {abs(e[index] - r[index]) / one:.3g}, "
        f"allowed {allowed[index] / one:.3g}; {int(wrong.sum())} of {wrong.size} elements are wrong",
    )
