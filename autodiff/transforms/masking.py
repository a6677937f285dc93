"""Adding, restricting and filling in masked cotangents and tangents: the same in both modes."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

import numpy as np
from numpy import ndarray

from autodiff.ops.elementwise import cast, logical_and, logical_or, not_equal, straight_where, where
from autodiff.ops.masked import DIRECTION, SELECTION, TRACED, Later, Masked
from autodiff.ops.relative import Product, Quotient, absolute
from autodiff.ops.shape import Shape, broadcast_to, project, stretches, sum_to
from autodiff.trace.spec import Spec, is_chunked, spec_of
from autodiff.trace.tracer import concrete
from autodiff.trace.values.arrays import is_array, placed_number

PARTIAL = frozenset({Masked, Quotient, Product})
"""Cotangents and tangents that are no arrays: masked, or relative to a value."""


def unmasked(g: Any) -> Any:
    """The cotangent as an array, with zeros where it is masked out."""
    if type(g) is not Masked:
        return unmasked(absolute(g)) if type(g) in PARTIAL else g
    if g.clean:
        return g.value
    found = straight_where(g.mask, g.value) if g.origin == TRACED else where(g.mask, g.value, 0)
    return found[()] if type(found) is ndarray and not isinstance(g.value, ndarray) and not found.shape else found


def plus(a: Any, b: Any) -> Any:
    """The sum of two cotangents of one value: masked where both are, so that no order of adding says what is masked."""
    if type(a) is Masked and type(b) is Masked:
        if a.source is b.source and a.origin == b.origin:
            return Masked(a.value + b.value, a.source, a.clean and b.clean, a.origin)
        return Masked(unmasked(a) + unmasked(b), Later(logical_or, a.source, b.source), True, max(a.origin, b.origin))
    if type(a) in PARTIAL or type(b) in PARTIAL:
        return unmasked(a) + unmasked(b)
    return a + b


def restrict(ct: Any, by: Masked, residuals: Any) -> Any:
    """What a rule of an elementwise operation made of a masked cotangent: it counts only where that one did.

    Zeros stay zeros where the rule needs nothing but the cotangent, or a number that is neither zero nor infinite:
    otherwise they may have met an infinity.
    """
    if ct is None:
        return None
    if type(ct) is not Masked:
        if type(ct) is Quotient:
            return Quotient(restrict(ct.value, by, residuals), ct.divisor, ct.defined)
        finite = residuals is None or (isinstance(residuals, (int, float)) and 0 < abs(residuals) < inf)
        finite = finite or (by.clean and met_no_infinity(ct, by))
        return Masked(ct, by.source, by.clean and (finite or ct is by.value), by.origin)
    both = Later(logical_and, ct.source, by.source)
    if by.origin != TRACED:
        if by.clean and sums_many(by):  # one selection is cheaper than the sum of a mask
            found = unmasked(ct)
            if ct.value is by.value or met_no_infinity(found, by):
                return Masked(found, both, True, by.origin)
        return Masked(ct.value, both, False, by.origin)
    return Masked(unmasked(ct), both, by.clean and ct.value is by.value, TRACED)


def met_no_infinity(ct: Any, by: Masked) -> bool:
    """Whether the zeros of a cotangent that was summed are still zeros: to look takes less than to sum its mask."""
    plain = concrete(ct) if sums_many(by) else None
    return isinstance(plain, (np.ndarray, np.generic)) and bool(np.isfinite(plain).all())


def sums_many(g: Masked) -> bool:
    """Whether what an operation selected was added up since then, so that the mask would be a sum as well."""
    return g.origin == SELECTION and isinstance(g.source, Later) and g.source.reduces


def in_slot(g: Masked, slot: Spec, like: Any = None) -> Masked:
    """A masked tangent, or a cotangent of the slot's shape, brought to the shape and dtype of its slot.

    One of a number comes to lie where ``like`` does.
    """
    if g.shape == slot.shape and g.dtype == slot.dtype:
        return g
    return Masked(project(placed_number(g.value, like), slot), g.source, g.clean, g.origin)


def summed(g: Masked, slot: Spec) -> Any:
    """A masked cotangent summed over the axes along which its slot was repeated."""
    if not isinstance(g.source, Later) and stretches(spec_of(g.source).shape, slot.shape):  # the same along these axes
        return Masked(project(g.value, slot), g.source, g.clean, g.origin)
    total = project(unmasked(g), slot)
    if g.origin == SELECTION:
        return total
    shape, dtype = g.shape, g.dtype

    def reached(mask: Any) -> Any:
        return not_equal(sum_to(ones_where(mask, shape, dtype), slot.shape), 0)

    return Masked(total, Later(reached, g.source, reduces=True), True, g.origin)


def ones_where(mask: Any, shape: Shape, dtype: np.dtype[Any]) -> Any:
    """Ones where a mask is true and zeros elsewhere, of a shape and dtype."""
    return cast(broadcast_to(mask, shape=shape) if spec_of(mask).shape != shape else mask, dtype=dtype)


def seeded(direction: Any) -> Any:
    """A direction that is there where it is not zero: what does not move brings nothing with it."""
    if not is_plain(direction):
        return Masked(direction, Nonzero(direction), True, TRACED)
    return direction if direction.all() else Masked(direction, Nonzero(direction), True, DIRECTION)


class Nonzero(Later):
    """Where a direction is not zero, or what was made by moving its elements."""

    __slots__ = ("direction",)

    def __init__(self, direction: Any) -> None:
        super().__init__(not_equal, direction, 0)
        self.direction = direction


def is_seed(tangent: Masked) -> bool:
    """Whether a tangent is a direction, or was made by moving its elements: it is there where it is not zero."""
    return type(tangent.source) is Nonzero and tangent.source.direction is tangent.value


def is_plain(value: Any) -> bool:
    """Whether it is an array or NumPy scalar that nobody records."""
    return isinstance(value, np.generic) or is_array(value)


def has_nan(leaves: Iterable[Any]) -> bool:
    """Whether an element of plain arrays is NaN; of those in chunks nobody knows. None has no elements."""
    return any(leaf is not None and (is_chunked(leaf) or bool(np.isnan(leaf).any())) for leaf in leaves)
