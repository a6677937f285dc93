"""Images looked up between their elements: values of the image and coordinates may be traced.

An image is a sum of B-splines, whose coefficients are linear in its elements; at a coordinate ``order + 1`` of them
count along each axis. What lies beyond the edges is what SciPy finds there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import scipy.ndimage
import scipy.special

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.numpy.items.indexing import index
from autodiff.ops import elementwise as ew
from autodiff.scipy.interpolate.polynomials import beside
from autodiff.scipy.mirror import counterpart, holds_traced
from autodiff.scipy.ndimage.filters import each_axis, image_of, kept, no_output, spline_filter1d
from autodiff.trace.errors import DifferentiationError, OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

PADDED = {"nearest": "edge", "grid-constant": "constant"}
"""What goes on beyond the edges before coefficients are computed, and how NumPy calls it."""

MARGIN = 12
"""By so many elements."""

Taps = list[tuple[Any, Any, Any]]
"""Indices along one axis, the weights of the coefficients there, and where there are none."""


def mapped(x: Any, length: int, mode: str) -> Any:
    """Coordinates along an axis, brought to where the image has elements."""
    last = length - 1
    if mode == "grid-wrap":
        return ew.remainder(x, float(length))
    if mode == "wrap" and last:
        inside = ew.logical_and(ew.greater_equal(x, 0), ew.less_equal(x, last))
        return ew.where(inside, x, ew.remainder(x, float(last)))
    if mode == "mirror" and last:
        x = ew.remainder(x, 2.0 * last)
        return ew.where(ew.greater(x, last), 2.0 * last - x, x)
    if mode in ("reflect", "grid-mirror"):
        x = ew.remainder(x + 0.5, 2.0 * length) - 0.5
        return ew.where(ew.greater(x, length - 0.5), 2.0 * length - 1 - x, x)
    return x * 0.0 if mode in ("wrap", "mirror") else x


def index_at(place: Any, length: int, mode: str) -> tuple[Any, Any]:
    """Indices of coefficients, some of which lie beyond the edges, and where there are none."""
    none: Any = False
    if mode == "grid-constant":
        none = ew.logical_or(ew.less(place, 0), ew.greater_equal(place, length))
    elif mode == "grid-wrap":
        place = ew.remainder(place, length)
    elif mode in ("reflect", "grid-mirror"):
        place = ew.remainder(place, 2 * length)
        place = ew.where(ew.greater_equal(place, length), 2 * length - 1 - place, place)
    elif mode != "nearest" and length > 1:  # wrap and constant have no splines of their own
        place = ew.remainder(place, 2 * length - 2)
        place = ew.where(ew.greater_equal(place, length), 2 * length - 2 - place, place)
    return FUNCTIONS[np.clip](place, 0, length - 1), none


def weights(u: Any, order: int) -> list[Any]:
    """The B-splines of uniform knots that are not zero at a fraction of an interval, by the recursion of de Boor."""
    values: list[Any] = [u * 0.0 + 1.0]
    for degree in range(1, order + 1):
        raised: list[Any] = [0.0] * (degree + 1)
        for r, value in enumerate(values):
            raised[r] = raised[r] + (r + 1 - u) * value / degree
            raised[r + 1] = raised[r + 1] + (u + degree - 1 - r) * value / degree
        values = raised
    return values


def taps(x: Any, length: int, order: int, mode: str) -> Taps:
    """Which coefficients count at coordinates along an axis."""
    raised = x if order % 2 else x + 0.5
    floor = ew.floor(raised)
    first = FUNCTIONS[np.astype](floor, np.int64) - order // 2
    found = []
    for k, weight in enumerate(weights(raised - floor, order)):
        place, none = index_at(first + k, length, mode)
        found.append((place, weight, none))
    return found


def coefficients(image: Any, each: Sequence[Any], order: int, mode: str, cval: Any) -> tuple[Any, list[Any]]:
    """The coefficients of B-splines along the first axes, and coordinates among them."""
    each = list(each)
    if mode in PADDED:
        around = [(MARGIN, MARGIN)] * len(each) + [(0, 0)] * (spec_of(image).ndim - len(each))
        options = {"constant_values": cval} if mode == "grid-constant" else {}
        image = FUNCTIONS[np.pad](image, around, PADDED[mode], **options)
        each = [x + MARGIN for x in each]
    for axis in range(len(each)):
        image = spline_filter1d(image, order, axis=axis, mode=mode)
    return image, each


def looked_up(image: Any, each: Sequence[Any], order: int, mode: str, cval: Any) -> Any:
    """The sum of coefficients around coordinates along the first axes, each times its weights."""
    trailing = spec_of(image).ndim - len(each)
    shape = spec_of(image).shape[: len(each)]
    beyond: Any = False
    if mode == "constant":
        for x, length in zip(each, shape, strict=True):
            beyond = ew.logical_or(beyond, ew.logical_or(ew.less(x, 0), ew.greater(x, length - 1)))
    axes = [taps(mapped(x, n, mode), n, order, mode) for x, n in zip(each, shape, strict=True)]
    total: Any = 0.0
    for chosen in product(*axes):
        value = index(image, tuple(place for place, _, _ in chosen))
        if mode == "grid-constant":
            none: Any = False
            for _, _, own in chosen:
                none = ew.logical_or(none, own)
            value = ew.where(beside(none, trailing), cval, value)
        for _, weight, _ in chosen:
            value = value * beside(weight, trailing)
        total = total + value
    return ew.where(beside(beyond, trailing), cval, total) if mode == "constant" else total


@counterpart(scipy.ndimage.map_coordinates)
def map_coordinates(
    input: Any,
    coordinates: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """The image between its elements, at coordinates that stand along the first axis.

    At coordinates where polynomials meet, derivatives of higher order than the splines have are those of the right.

    >>> import numpy as np, autodiff
    >>> image = np.add.outer(np.arange(4.0) ** 2, np.arange(4.0))
    >>> at = np.array([[1.5], [2.0]])
    >>> autodiff.grad(lambda at: map_coordinates(image, at, order=1)[0])(at)
    array([[3.],
           [1.]])
    """
    no_output("map_coordinates", output)
    given, coordinates = image_of("map_coordinates", input), as_operand(coordinates) * 1.0
    image = given
    shape = spec_of(image).shape
    if not 0 <= order <= 5 or mode not in MODES:
        raise OperandError(
            f"map_coordinates got order={order} and mode={mode!r}{at_user_line()}; it needs an order from 0 to 5, and "
            f"one of {', '.join(MODES)}"
        )
    if not shape or spec_of(coordinates).ndim < 1 or spec_of(coordinates).shape[0] != len(shape):
        raise OperandError(
            f"map_coordinates got an image {spec_of(image)!r} and coordinates {spec_of(coordinates)!r}"
            f"{at_user_line()}; it needs one row of coordinates for each axis"
        )
    each = [coordinates[k] for k in range(len(shape))]
    if prefilter and order > 1:
        image, each = coefficients(image, each, order, mode, cval)
    return kept(looked_up(image, each, order, mode, cval), given)


MODES = ("reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "grid-wrap", "wrap")


def places_of(shape: Sequence[int]) -> Any:
    """The coordinates of all elements of an image."""
    return np.indices(shape, float)


@counterpart(scipy.ndimage.affine_transform)
def affine_transform(
    input: Any, matrix: Any, offset: Any = 0.0, output_shape: Any = None, output: Any = None, *args: Any, **options: Any
) -> Any:
    """The image at ``matrix @ place + offset``, for all places of the result; both may be traced."""
    no_output("affine_transform", output)
    image, matrix = as_operand(input), as_operand(matrix) * 1.0
    shape = spec_of(image).shape
    count, its = len(shape), spec_of(matrix).shape
    if len(its) == 2 and its[1] == count + 1 and its[0] in (count, count + 1):
        matrix, offset = matrix[:count, :count], matrix[:count, count]
    elif its not in ((count,), (count, count)):
        raise OperandError(
            f"affine_transform of an image of {count} axes got a matrix {its}{at_user_line()}; it needs one of "
            f"{(count,)}, {(count, count)}, {(count, count + 1)} or {(count + 1, count + 1)}"
        )
    places = places_of(shape if output_shape is None else tuple(output_shape))
    column = (count, *(1,) * count)
    moved: Any = FUNCTIONS[np.reshape](FUNCTIONS[np.broadcast_to](as_operand(offset), (count,)), column)
    if len(spec_of(matrix).shape) == 1:
        moved = moved + FUNCTIONS[np.reshape](matrix, column) * places
    else:
        for k in range(count):  # in SciPy's order: edges are found where it finds them
            moved = moved + FUNCTIONS[np.reshape](matrix[:, k], column) * places[k]
    return map_coordinates(image, moved, None, *args, **options)


@counterpart(scipy.ndimage.shift)
def shift(input: Any, shift: Any, output: Any = None, *args: Any, **options: Any) -> Any:
    """The image moved by numbers of elements, which may be traced."""
    no_output("shift", output)
    shape = spec_of(as_operand(input)).shape
    moved = FUNCTIONS[np.broadcast_to](as_operand(shift) * 1.0, (len(shape),))
    apart = FUNCTIONS[np.reshape](moved, (len(shape), *(1,) * len(shape)))
    return map_coordinates(input, places_of(shape) - apart, None, *args, **options)


@counterpart(scipy.ndimage.zoom)
def zoom(
    input: Any,
    zoom: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> Any:
    """The image with more or fewer elements.

    Raises:
        DifferentiationError: if the factor is traced, on which the number of elements depends.
    """
    no_output("zoom", output)
    if holds_traced(zoom):
        raise DifferentiationError(
            f"zoom has a derivative by the image alone{at_user_line()}; affine_transform with output_shape= has one by "
            "the factor"
        )
    shape = spec_of(as_operand(input)).shape
    sizes = [round(n * factor) for n, factor in zip(shape, each_axis(zoom, len(shape)), strict=True)]
    if grid_mode:
        steps = [n / size for n, size in zip(shape, sizes, strict=True)]
        starts = [step / 2 - 0.5 for step in steps]
    else:
        steps = [(n - 1) / (size - 1) if size > 1 else 1.0 for n, size in zip(shape, sizes, strict=True)]
        starts = [0.0] * len(shape)
    lines = [start + np.arange(size) * step for start, size, step in zip(starts, sizes, steps, strict=True)]
    return map_coordinates(input, np.stack(np.meshgrid(*lines, indexing="ij")), None, order, mode, cval, prefilter)


@counterpart(scipy.ndimage.rotate)
def rotate(
    input: Any,
    angle: Any,
    axes: tuple[int, int] = (1, 0),
    reshape: bool = True,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """The image turned by an angle in degrees in the plane of two axes; with ``reshape=False`` it may be traced.

    Raises:
        DifferentiationError: if the shape of the result would depend on a traced angle.
    """
    no_output("rotate", output)
    if reshape and holds_traced(angle):
        raise DifferentiationError(
            f"rotate by a traced angle has a shape that depends on it{at_user_line()}; pass reshape=False"
        )
    given = image_of("rotate", input)
    shape = spec_of(given).shape
    first, second = sorted(axis % len(shape) for axis in axes)
    angle = as_operand(angle)
    c, s = scipy.special.cosdg(angle), scipy.special.sindg(angle)  # exact for a quarter of a turn
    turned = FUNCTIONS[np.stack]([FUNCTIONS[np.stack]([c, s]), FUNCTIONS[np.stack]([-s, c])])
    plane = np.array([shape[first], shape[second]])
    size = plane
    if reshape:
        corners = turned @ np.array([[0, 0, plane[0], plane[0]], [0, plane[1], 0, plane[1]]])
        size = (np.ptp(corners, axis=1) + 0.5).astype(int)
    places = places_of((int(size[0]), int(size[1])))
    from_centre = places - (size[:, None, None] - 1) / 2
    moved = FUNCTIONS[np.tensordot](turned, from_centre, 1)
    each = [moved[k] + (n - 1) / 2 for k, n in enumerate(plane)]
    image = FUNCTIONS[np.moveaxis](given, (first, second), (0, 1))
    if prefilter and order > 1:
        image, each = coefficients(image, each, order, mode, cval)
    found = kept(looked_up(image, each, order, mode, cval), given)
    return FUNCTIONS[np.moveaxis](found, (0, 1), (first, second))
