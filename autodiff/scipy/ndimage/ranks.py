"""Filters of images that take an element of each neighbourhood by its rank, and the morphology of grey images."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.ndimage

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.scipy.mirror import counterpart, holds_traced
from autodiff.scipy.ndimage.filters import PADDING, axes_of, each_axis, no_output
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line


def neighbourhood(name: str, x: Any, size: Any, footprint: Any, structure: Any, axes: Any) -> Any:
    """Which elements around one count: an array of truths with as many axes as the image.

    Raises:
        DifferentiationError: if this is traced.
        RuntimeError: if nothing says so, as in SciPy.
    """
    if holds_traced((size, footprint)):
        raise DifferentiationError(f"{name} takes a constant size= and footprint={at_user_line()}")
    places = axes_of(x, axes)
    if footprint is None and structure is not None:
        footprint = np.ones(np.shape(structure), bool)
    if footprint is None:
        if size is None:
            raise RuntimeError("no footprint or filter size provided")
        footprint = np.ones([int(length) for length in each_axis(size, len(places))], bool)
    footprint = np.asarray(footprint, bool)
    if footprint.ndim != len(places):
        raise RuntimeError(f"footprint has {footprint.ndim} axes, and the filter {len(places)}")
    return footprint.reshape(shape_along(places, footprint.shape, len(x.shape)))


def shape_along(places: list[int], lengths: Any, ndim: int) -> list[int]:
    """Lengths at some axes, and ones at others."""
    shape = [1] * ndim
    for axis, length in zip(places, lengths, strict=True):
        shape[axis] = length
    return shape


def shifted(x: Any, footprint: Any, mode: Any, cval: Any, origins: list[int]) -> Iterator[tuple[tuple[int, ...], Any]]:
    """For each element of a neighbourhood its place there, and the image, moved so that it stands in the middle."""
    modes = each_axis(mode, len(x.shape)) if not isinstance(mode, str) else [mode] * len(x.shape)
    whole = x
    for axis, (length, origin, way) in enumerate(zip(footprint.shape, origins, modes, strict=True)):
        before = length // 2 + origin
        around = [(0, 0)] * len(x.shape)
        around[axis] = (before, length - 1 - before)
        options = {"constant_values": cval} if PADDING[way] == "constant" else {}
        whole = FUNCTIONS[np.pad](whole, around, PADDING[way], **options) if length > 1 else whole
    for place in zip(*np.nonzero(footprint), strict=True):
        start = tuple(map(int, place))
        yield start, whole[tuple(slice(k, k + length) for k, length in zip(start, x.shape, strict=True))]


def origins_of(x: Any, axes: Any, origin: Any) -> list[int]:
    """How far a neighbourhood is moved, for each axis of an image."""
    places = axes_of(x, axes)
    found = [0] * len(x.shape)
    for axis, own in zip(places, each_axis(origin, len(places)), strict=True):
        found[axis] = int(own)
    return found


def along_axes(x: Any, axes: Any, mode: Any) -> Any:
    """The ways to go on beyond the edges, for each axis of an image."""
    if isinstance(mode, str):
        return mode
    found = ["reflect"] * len(x.shape)
    for axis, own in zip(axes_of(x, axes), mode, strict=True):
        found[axis] = own
    return found


def extreme(
    x: Any, footprint: Any, structure: Any, mode: Any, cval: Any, origins: list[int], choose: Callable[..., Any]
) -> Any:
    """The largest or smallest element of each neighbourhood; equal ones share the derivative."""
    parts = [
        part if structure is None else part + structure[place]
        for place, part in shifted(x, footprint, mode, cval, origins)
    ]
    return FUNCTIONS[choose](FUNCTIONS[np.stack](parts), 0)


def extreme_filter(name: str, choose: Callable[..., Any]) -> Callable[..., Any]:
    """``maximum_filter`` or ``minimum_filter``."""

    def call(
        input: Any,
        size: Any = None,
        footprint: Any = None,
        output: Any = None,
        mode: Any = "reflect",
        cval: Any = 0.0,
        origin: Any = 0,
        *,
        axes: Any = None,
    ) -> Any:
        no_output(name, output)
        x = as_operand(input)
        own = neighbourhood(name, x, size, footprint, None, axes)
        return extreme(x, own, None, along_axes(x, axes, mode), cval, origins_of(x, axes, origin), choose)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The {name[:7]} of the elements around each one."
    return counterpart(getattr(scipy.ndimage, name))(call)


def extreme_along(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """The same along one axis."""

    def call(
        input: Any,
        size: int,
        axis: int = -1,
        output: Any = None,
        mode: Any = "reflect",
        cval: Any = 0.0,
        origin: int = 0,
    ) -> Any:
        return own(input, size, None, output, mode, cval, origin, axes=(axis,))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The {name[:7]} of the elements around each one along an axis."
    return counterpart(getattr(scipy.ndimage, name))(call)


maximum_filter = extreme_filter("maximum_filter", np.max)
minimum_filter = extreme_filter("minimum_filter", np.min)
maximum_filter1d = extreme_along("maximum_filter1d", maximum_filter)
minimum_filter1d = extreme_along("minimum_filter1d", minimum_filter)


def morphology(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """A function of morphology, by ``own(x, grown, shrunken)`` with what dilates and erodes images."""

    def call(
        input: Any,
        size: Any = None,
        footprint: Any = None,
        structure: Any = None,
        output: Any = None,
        mode: Any = "reflect",
        cval: Any = 0.0,
        origin: Any = 0,
        *,
        axes: Any = None,
    ) -> Any:
        no_output(name, output)
        x = as_operand(input)
        around = neighbourhood(name, x, size, footprint, structure, axes)
        heights = None if structure is None else FUNCTIONS[np.reshape](as_operand(structure), around.shape)
        ways, origins = along_axes(x, axes, mode), origins_of(x, axes, origin)
        opposite = [-start - (length % 2 == 0) for start, length in zip(origins, around.shape, strict=True)]
        flipped = np.flip(around)

        def shrunken(x: Any) -> Any:
            return extreme(x, around, None if heights is None else -heights, ways, cval, origins, np.min)

        def grown(x: Any) -> Any:
            return extreme(x, flipped, None if heights is None else np.flip(heights), ways, cval, opposite, np.max)

        return own(x, grown, shrunken)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The {name.replace('_', ' ')} of an image; equal elements share the derivative."
    return counterpart(getattr(scipy.ndimage, name))(call)


grey_dilation = morphology("grey_dilation", lambda x, grown, shrunken: grown(x))
grey_erosion = morphology("grey_erosion", lambda x, grown, shrunken: shrunken(x))
grey_opening = morphology("grey_opening", lambda x, grown, shrunken: grown(shrunken(x)))
grey_closing = morphology("grey_closing", lambda x, grown, shrunken: shrunken(grown(x)))
morphological_gradient = morphology("morphological_gradient", lambda x, grown, shrunken: grown(x) - shrunken(x))
white_tophat = morphology("white_tophat", lambda x, grown, shrunken: x - grown(shrunken(x)))
black_tophat = morphology("black_tophat", lambda x, grown, shrunken: shrunken(grown(x)) - x)
morphological_laplace = morphology("morphological_laplace", lambda x, grown, shrunken: grown(x) + shrunken(x) - x - x)


def ranked(name: str, rank_of: Callable[[Any, int], int], takes: bool = True) -> Callable[..., Any]:
    """A filter that takes the element with a rank, which ``rank_of`` finds by an option and the number of elements."""

    def find(
        x: Any, option: Any, size: Any, footprint: Any, output: Any, mode: Any, cval: Any, origin: Any, axes: Any
    ) -> Any:
        no_output(name, output)
        x = as_operand(x)
        around = neighbourhood(name, x, size, footprint, None, axes)
        moved = shifted(x, around, along_axes(x, axes, mode), cval, origins_of(x, axes, origin))
        parts = FUNCTIONS[np.stack]([part for _, part in moved])
        rank = rank_of(option, int(around.sum()))
        if not 0 <= rank < around.sum():
            raise RuntimeError("rank not within filter footprint size")
        return FUNCTIONS[np.sort](parts, 0)[rank]

    def with_option(
        input: Any, option: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect",
        cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
    ) -> Any:  # fmt: skip
        return find(input, option, size, footprint, output, mode, cval, origin, axes)

    def without(
        input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect",
        cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
    ) -> Any:  # fmt: skip
        return find(input, None, size, footprint, output, mode, cval, origin, axes)

    call = with_option if takes else without
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "The element around each one that has a rank there."
    return counterpart(getattr(scipy.ndimage, name))(call)


median_filter = ranked("median_filter", lambda _, count: count // 2, takes=False)
rank_filter = ranked("rank_filter", lambda rank, count: int(rank) + (count if rank < 0 else 0))
percentile_filter = ranked(
    "percentile_filter",
    lambda share, count: min(int(count * (share + (100 if share < 0 else 0)) / 100.0), count - 1),
)
