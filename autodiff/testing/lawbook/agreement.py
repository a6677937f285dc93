"""Whether derivatives agree with numerical ones, given how far the numerical ones can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.testing.differences.slope import Slope
from autodiff.testing.lawbook.closeness import difference
from autodiff.testing.mismatch import Undecided, Violation

RELATIVE = 1e-7
"""How closely derivatives in double precision agree with numerical ones, relative to the derivative itself."""

ROUNDING = 2.0**16 * np.finfo(np.float64).eps
"""The rounding errors that a derivative may have made of the values that met in it, relative to them."""

VANISHING = 1e-290
"""Smaller numbers lose digits, and rules that go through smaller ones all of them."""

SAFETY = 8.0
"""How many times its estimated error a numerical derivative may be off."""

TRUSTED = 1e-5
"""Estimated relative error up to which a numerical derivative can judge."""


def scale_of(*arrays: Any) -> float:
    """The largest finite magnitude in any of the arrays."""
    finite = [np.abs(array)[np.isfinite(array)] for array in map(np.asarray, arrays)]
    return max((float(np.max(part, initial=0.0)) for part in finite), default=0.0)


def trusted(limit: Any, error: Any, size: Any) -> NDArray[np.bool_]:
    """Where a numerical derivative is accurate enough to judge by.

    Accurate elements set the scale for the others; a wild one must not make itself or its neighbours look accurate.
    """
    scale = np.asarray(np.maximum(abs(limit), size))
    accurate = np.isfinite(limit) & (error <= TRUSTED * scale)
    return np.asarray(np.isfinite(limit) & (error <= TRUSTED * scale_of(scale[accurate])))


def agree(
    actual: Sequence[Any],
    slopes: Sequence[Slope],
    sizes: Sequence[Any],
    names: Sequence[str],
    *,
    elementwise: bool = False,
    rtol: float = RELATIVE,
    atol: float = 0.0,
) -> float:
    """Check derivatives against numerical ones, leaf by leaf; elements that cannot be judged are left out.

    At a kink a derivative may be anything between the one-sided ones.

    Args:
        actual: the derivatives to judge.
        slopes: the numerical derivatives.
        sizes: how large the values of the function are nearby; with the derivatives they set the scale of rounding.
        names: what to call each leaf.
        elementwise: whether no other elements meet in an element: their rounding errors do not, either.
        rtol: allowed error relative to the derivative, element by element.
        atol: allowed absolute error.

    Returns:
        The largest error as a part of what is allowed.

    Raises:
        Violation: an element differs by more.
        Undecided: there are elements, and not one could be judged.
    """
    judged, total, worst = 0, 0, 0.0
    for a, slope, size, name in zip(actual, slopes, sizes, names, strict=True):
        same_shape(a, slope.limit, name)
        certain = trusted(slope.limit, slope.error, np.maximum(size, slope.radius))
        judged, total = judged + int(certain.sum()), total + certain.size
        limit = np.where(certain, slope.limit, 0.0)
        allowance = allowed_for(slope, np.where(certain, size, 0.0), certain, rtol, atol, elementwise)
        found = difference(np.where(certain, a, 0.0), limit, allowance.total)
        if found is not None:
            raise Violation(f"  in         {name}\n{found}{allowance.reason(found.index)}")
        worst = max(worst, share(np.where(certain, a, 0.0) - limit, allowance.total))
    if total and not judged:
        raise Undecided(
            f"none of {total} numerical derivatives is accurate to {TRUSTED:g} of its scale; move the "
            "arguments away from kinks, poles and ties, and let the function keep double precision"
        )
    return worst


def share(error: Any, allowed: Any) -> float:
    """The largest error as a part of what is allowed, zero where nothing is."""
    parts = abs(np.asarray(error)) / np.where(np.asarray(allowed) > 0, allowed, np.inf)
    return float(np.max(parts, initial=0.0, where=np.isfinite(parts)))


@dataclass(frozen=True)
class Allowance:
    """The error allowed for every element, by its reasons."""

    parts: tuple[tuple[str, Any], ...]

    @property
    def total(self) -> Any:
        """All of it."""
        return sum(part for _, part in self.parts)

    def reason(self, index: tuple[int, ...]) -> str:
        """A line that says what it is for."""
        given = [(why, float(np.broadcast_to(part, np.shape(self.total))[index])) for why, part in self.parts]
        reasons = [f"{size:.2g} for {why}" for why, size in given if size > VANISHING]
        return "\n  because    " + (
            ", ".join(reasons) or "the numerical derivative and the values vanish: no digits are lost"
        )


def allowed_for(
    slope: Slope, size: Any, certain: NDArray[np.bool_], rtol: float, atol: float, elementwise: bool
) -> Allowance:
    """The error allowed between a derivative and the numerical one, where that is certain."""
    limit, error, radius = (np.where(certain, part, 0.0) for part in (slope.limit, slope.error, slope.radius))
    scale = np.maximum(abs(limit), size) if elementwise else scale_of(limit, size)
    return Allowance(
        (
            (f"{rtol:g} of the derivative", rtol * np.maximum(abs(limit), radius)),
            ("rounding of values and derivatives", ROUNDING * scale),
            ("steps of the numerical derivative", SAFETY * error),
            ("a kink: all slopes between those of its sides are right", radius),
            ("numbers that vanish", VANISHING),
            ("the caller's atol", atol),
        )
    )


def same_shape(actual: Any, desired: Any, name: str) -> None:
    """Check that two arrays have one shape."""
    if np.shape(actual) != np.shape(desired):
        raise Violation(
            f"  in         {name}\n  arrived    shape {np.shape(actual)}\n  expected   shape {np.shape(desired)}"
        )
