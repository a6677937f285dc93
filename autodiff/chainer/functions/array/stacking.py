"""What arrays must have in common to be put one after the other."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.conditions import numbered


def hstack(*xs: Any) -> tuple[Any, ...]:
    """All axes but the second; of vectors nothing."""
    return pairs(numbered(xs), lambda ndim: 1 if ndim > 1 else 0, whole=False)


def dstack(*xs: Any) -> tuple[Any, ...]:
    """All axes but the third."""
    return pairs(numbered(xs), lambda ndim: 2, whole=True)


def vstack(*in_types: Any) -> tuple[Any, ...]:
    """All axes but the first; of vectors all."""
    return pairs(in_types, lambda ndim: 0 if ndim > 1 else 1, whole=True)


def pairs(operands: Any, free: Any, whole: bool) -> tuple[Any, ...]:
    """Dtypes, numbers of axes, and lengths but for the free axis.

    With ``whole`` arrays that have no free axis are compared as ``shape == shape``.
    """
    first, *others = operands
    ndim = getattr(first, "value", first).ndim
    conditions = []
    for other in others:
        conditions += [first.dtype == other.dtype, first.ndim == other.ndim]
        if whole and ndim <= free(ndim):
            conditions.append(first.shape == other.shape)
        else:
            conditions += [first.shape[k] == other.shape[k] for k in range(ndim) if k != free(ndim)]
    return tuple(conditions)
