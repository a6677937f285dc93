"""NumPy's functions that take arrays apart."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.numpy.axes import negative_axis
from autodiff.numpy.dispatch import as_operand, implements, peeled
from autodiff.ops import join
from autodiff.ops.index import slice_of
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


@implements(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Pieces along an axis: so many, of lengths as equal as can be, or cut at the given places."""
    x = as_operand(ary)
    axis = negative_axis(axis, spec_of(x).ndim)
    length = spec_of(x).shape[axis]
    places = peeled(indices_or_sections, "np.array_split")
    if np.ndim(places):
        return cut_at(x, [operator.index(place) for place in places], axis)
    sections = int(places)
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, more = divmod(length, sections)
    return cut_at(x, np.cumsum([each + 1] * more + [each] * (sections - more))[:-1].tolist(), axis)


def cut_at(x: Any, places: Sequence[int], axis: int) -> list[Any]:
    """The pieces between the given places of an axis; where they do not ascend, slices as Python makes them."""
    length = spec_of(x).shape[axis]
    if list(places) == sorted(places) and all(0 <= place <= length for place in places):
        return list(join.split(x, axis=axis, ends=(*places, length)))
    rest = (join.WHOLE,) * (-axis - 1)
    return [slice_of(x, key=((a, b, None), *rest)) for a, b in zip((0, *places), (*places, length))]


@implements(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Pieces along an axis: so many of equal length, or cut at the given places."""
    x = as_operand(ary)
    if np.ndim(indices_or_sections) == 0:
        length = spec_of(x).shape[negative_axis(axis, spec_of(x).ndim)]
        if length % int(indices_or_sections):
            raise ValueError(
                f"array split does not result in an equal division: {length} elements in "
                f"{int(indices_or_sections)} sections{at_user_line()}; use np.array_split"
            )
    return array_split(x, indices_or_sections, axis)


@implements(np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Pieces along the second axis, or the only one."""
    ndim = _at_least("hsplit", ary, 1)
    return split(ary, indices_or_sections, 1 if ndim > 1 else 0)


@implements(np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Pieces along the first axis."""
    _at_least("vsplit", ary, 2)
    return split(ary, indices_or_sections, 0)


@implements(np.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Pieces along the third axis."""
    _at_least("dsplit", ary, 3)
    return split(ary, indices_or_sections, 2)


def _at_least(name: str, ary: Any, count: int) -> int:
    ndim = spec_of(as_operand(ary)).ndim
    if ndim < count:
        raise ValueError(f"{name} only works on arrays of {count} or more dimensions")
    return ndim


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """The slices along an axis."""
    x = as_operand(x)
    if not spec_of(x).ndim:
        raise ValueError("Input array must be at least 1-d.")
    axis = negative_axis(axis, spec_of(x).ndim)
    return join.unstack(x, axis=axis) if spec_of(x).shape[axis] else ()


if hasattr(np, "unstack"):  # since NumPy 2.1
    implements(np.unstack)(unstack)
