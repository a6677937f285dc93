"""Whether derivatives agree with numerical ones, given how far the numerical ones can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.testing.closeness import difference
from autodiff.testing.mismatch import Undecided, Violation

RELATIVE = 1e-7
"""How closely derivatives in double precision agree with numerical ones, relative to value and derivative."""

OTHERS = 1e-2
"""What the largest element adds to the scale of the others: they may have met in a sum."""

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
    limits: Sequence[Any],
    errors: Sequence[Any],
    sizes: Sequence[Any],
    names: Sequence[str],
    *,
    rtol: float = RELATIVE,
    atol: float = 0.0,
) -> None:
    """Check derivatives against numerical ones, leaf by leaf; elements that cannot be judged are left out.

    Args:
        actual: the derivatives to judge.
        limits: the numerical derivatives.
        errors: their estimated errors.
        sizes: how large the values of the function are nearby; with the derivatives they set the scale.
        names: what to call each leaf.
        rtol: allowed error relative to that scale, element by element.
        atol: allowed absolute error.

    Raises:
        Violation: an element differs by more.
        Undecided: there are elements, and not one could be judged.
    """
    judged, total = 0, 0
    for a, limit, error, size, name in zip(actual, limits, errors, sizes, names, strict=True):
        same_shape(a, limit, name)
        certain = trusted(limit, error, size)
        judged, total = judged + int(certain.sum()), total + certain.size
        limit, size = np.where(certain, limit, 0.0), np.where(certain, size, 0.0)
        scale = np.maximum(np.maximum(abs(limit), size), OTHERS * scale_of(limit, size))
        allowed = atol + rtol * scale + np.where(certain, error, 0.0)
        found = difference(np.where(certain, a, 0.0), limit, allowed)
        if found is not None:
            raise Violation(f"  in         {name}\n{found}")
    if total and not judged:
        raise Undecided(
            f"none of {total} numerical derivatives is accurate to {TRUSTED:g} of its scale; move the "
            "arguments away from kinks, poles and ties, and let the function keep double precision"
        )


def same_shape(actual: Any, desired: Any, name: str) -> None:
    """Check that two arrays have one shape."""
    if np.shape(actual) != np.shape(desired):
        raise Violation(
            f"  in         {name}\n  arrived    shape {np.shape(actual)}\n  expected   shape {np.shape(desired)}"
        )
