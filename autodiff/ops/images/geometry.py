"""How a kernel moves over images: stride, padding, dilation, groups."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff.ops.images.counting import Lengths, window_counts
from autodiff.trace.parameters import COUNT, LENGTH, Domain, each
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec

Widths = tuple[tuple[int, int], ...]


class Geometry(NamedTuple):
    """How a kernel moves: one entry for each spatial axis, and the number of groups of channels."""

    stride: Lengths
    padding: Widths
    dilation: Lengths
    groups: int

    @property
    def rank(self) -> int:
        """The number of spatial axes."""
        return len(self.stride)

    def padded(self, lengths: Lengths) -> Lengths:
        """Lengths of the spatial axes with their padding."""
        return tuple(length + low + high for length, (low, high) in zip(lengths, self.padding))

    def counts(self, lengths: Lengths, kernel: Lengths) -> Lengths:
        """Spatial lengths of the result."""
        return window_counts(self.padded(lengths), kernel, self.stride, self.dilation)


def is_geometry(value: Any) -> bool:
    """Whether it is a geometry, all of whose numbers are possible."""
    if not isinstance(value, Geometry):
        return False
    rank = value.rank
    entries = each(COUNT, 1).holds(value.stride, ()) and each(COUNT, rank).holds(value.dilation, ())
    widths = each(each(LENGTH, 2), rank).holds(value.padding, ()) and all(len(pair) == 2 for pair in value.padding)
    return entries and widths and len(value.dilation) == len(value.padding) == rank and COUNT.holds(value.groups, ())


GEOMETRY = Domain("a geometry of convolutions", lambda value, operands: is_geometry(value))


def geometry_of(rank: int, stride: Any, padding: Any, dilation: Any, groups: int) -> Geometry:
    """The geometry that numbers, and tuples with one of them for each spatial axis, stand for.

    Raises:
        ValueError: if there are too few or too many of them, or one is too small.
    """
    if rank < 1:
        raise ValueError(f"images need axes for examples, channels and space, got {rank + 2} axes{at_user_line()}")
    pads = (padding,) * rank if isinstance(padding, (int, np.integer)) else tuple(padding)
    widths = tuple((pad, pad) if isinstance(pad, (int, np.integer)) else tuple(pad) for pad in pads)
    found = Geometry(
        _each("stride", stride, rank, 1),
        tuple((int(low), int(high)) for low, high in widths),
        _each("dilation", dilation, rank, 1),
        int(groups),
    )
    if len(widths) != rank or min(map(min, found.padding)) < 0:
        raise ValueError(f"padding={padding!r} must be one non-negative number or pair for {rank} axes{at_user_line()}")
    return found


def _each(name: str, given: Any, rank: int, least: int) -> Lengths:
    each = (given,) * rank if isinstance(given, (int, np.integer)) else tuple(given)
    if len(each) != rank or min(each) < least:
        raise ValueError(f"{name}={given!r} must be at least {least}, for each of {rank} axes{at_user_line()}")
    return tuple(int(one) for one in each)


def check_operands(x: Spec, w: Spec, side: int, geometry: Geometry) -> None:
    """Check that kernels fit to images.

    Args:
        x: the images.
        w: the kernels.
        side: the axis of the kernels that meets the channels of the images: 0 outputs, 1 inputs.
        geometry: how the kernels move.

    Raises:
        ValueError: if they do not.
    """
    groups = geometry.groups
    channels = w.shape[side] * (groups if side else 1) if w.ndim > side else None
    if w.ndim != x.ndim or x.shape[1] != channels or groups < 1 or w.shape[0] % groups:
        raise ValueError(
            f"kernels of shape {w.shape} do not fit to images of shape {x.shape} in {groups} groups"
            f"{at_user_line()}; needed are (outputs, channels / groups, kernel)"
        )
