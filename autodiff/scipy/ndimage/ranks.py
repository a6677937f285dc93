"""Filters of images that take an element of each neighbourhood by its rank, and the morphology of grey images."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any, NamedTuple

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


class Neighbourhood(NamedTuple):
    """The elements around one: which of them count, how far they are moved, and what lies beyond the edges."""

    footprint: Any
    modes: Any
    cval: Any
    origins: list[int]

    def opposite(self) -> Neighbourhood:
        """The elements of whose neighbourhoods one is part."""
        lengths = zip(self.origins, self.footprint.shape, strict=True)
        origins = [-start - (length % 2 == 0) for start, length in lengths]
        return self._replace(footprint=np.flip(self.footprint), origins=origins)


def shifted(x: Any, around: Neighbourhood) -> Iterator[tuple[tuple[int, ...], Any]]:
    """For each element of a neighbourhood its place there, and the image, moved so that it stands in the middle."""
    modes = (
        each_axis(around.modes, len(x.shape)) if not isinstance(around.modes, str) else [around.modes] * len(x.shape)
    )
    whole = x
    for axis, (length, origin, way) in enumerate(zip(around.footprint.shape, around.origins, modes, strict=True)):
        before = length // 2 + origin
        beyond = [(0, 0)] * len(x.shape)
        beyond[axis] = (before, length - 1 - before)
        options = {"constant_values": around.cval} if PADDING[way] == "constant" else {}
        whole = FUNCTIONS[np.pad](whole, beyond, PADDING[way], **options) if length > 1 else whole
    for place in zip(*np.nonzero(around.footprint), strict=True):
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


def image_filter(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """A filter of SciPy's, by ``own(x, around, given)`` with an image, a neighbourhood and all arguments by name."""
    original = getattr(scipy.ndimage, name)
    parameters = signature(original)

    def call(*args: Any, **kwargs: Any) -> Any:
        bound = parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        given = {"axes": None, "footprint": None, "structure": None, **bound.arguments}
        no_output(name, given["output"])
        x = as_operand(given["input"])
        axes = (given["axis"],) if "axis" in given else given["axes"]
        footprint = neighbourhood(name, x, given["size"], given["footprint"], given["structure"], axes)
        places = along_axes(x, axes, given["mode"]), given["cval"], origins_of(x, axes, given["origin"])
        return own(x, Neighbourhood(footprint, *places), given)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"SciPy's ``{name}`` of an image, in which equal elements share the derivative."
    call.__dict__["__signature__"] = parameters
    return counterpart(original)(call)


def extreme(x: Any, around: Neighbourhood, heights: Any, choose: Callable[..., Any]) -> Any:
    """The largest or smallest element of each neighbourhood, to which heights are added; equal ones share."""
    parts = [part if heights is None else part + heights[place] for place, part in shifted(x, around)]
    return FUNCTIONS[choose](FUNCTIONS[np.stack](parts), 0)


maximum_filter, maximum_filter1d = (
    image_filter(name, lambda x, around, given: extreme(x, around, None, np.max))
    for name in ("maximum_filter", "maximum_filter1d")
)
minimum_filter, minimum_filter1d = (
    image_filter(name, lambda x, around, given: extreme(x, around, None, np.min))
    for name in ("minimum_filter", "minimum_filter1d")
)


def morphology(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """A function of morphology, by ``own(x, grown, shrunken)`` with what dilates and erodes images."""

    def find(x: Any, around: Neighbourhood, given: dict[str, Any]) -> Any:
        structure = given["structure"]
        heights = None if structure is None else FUNCTIONS[np.reshape](as_operand(structure), around.footprint.shape)

        def shrunken(x: Any) -> Any:
            return extreme(x, around, None if heights is None else -heights, np.min)

        def grown(x: Any) -> Any:
            return extreme(x, around.opposite(), None if heights is None else np.flip(heights), np.max)

        return own(x, grown, shrunken)

    return image_filter(name, find)


grey_dilation = morphology("grey_dilation", lambda x, grown, shrunken: grown(x))
grey_erosion = morphology("grey_erosion", lambda x, grown, shrunken: shrunken(x))
grey_opening = morphology("grey_opening", lambda x, grown, shrunken: grown(shrunken(x)))
grey_closing = morphology("grey_closing", lambda x, grown, shrunken: shrunken(grown(x)))
morphological_gradient = morphology("morphological_gradient", lambda x, grown, shrunken: grown(x) - shrunken(x))
white_tophat = morphology("white_tophat", lambda x, grown, shrunken: x - grown(shrunken(x)))
black_tophat = morphology("black_tophat", lambda x, grown, shrunken: shrunken(grown(x)) - x)
morphological_laplace = morphology("morphological_laplace", lambda x, grown, shrunken: grown(x) + shrunken(x) - x - x)


def ranked(name: str, rank_of: Callable[[Any, int], int], option: str = "") -> Callable[..., Any]:
    """A filter that takes the element with a rank, which ``rank_of`` finds by an option and the number of elements."""

    def find(x: Any, around: Neighbourhood, given: dict[str, Any]) -> Any:
        count = int(around.footprint.sum())
        rank = rank_of(given.get(option), count)
        if not 0 <= rank < count:
            raise RuntimeError("rank not within filter footprint size")
        return FUNCTIONS[np.sort](FUNCTIONS[np.stack]([part for _, part in shifted(x, around)]), 0)[rank]

    return image_filter(name, find)


median_filter = ranked("median_filter", lambda _, count: count // 2)
rank_filter = ranked("rank_filter", lambda rank, count: int(rank) + (count if rank < 0 else 0), "rank")
percentile_filter = ranked(
    "percentile_filter",
    lambda share, count: min(int(count * (share + (100 if share < 0 else 0)) / 100.0), count - 1),
    "percentile",
)
