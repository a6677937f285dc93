"""Linear filters of images."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import scipy.ndimage

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops.matrices.products import conj
from autodiff.scipy.linear import linear_counterpart
from autodiff.scipy.mirror import counterpart
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

PADDING = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap",
    "grid-wrap": "wrap", "constant": "constant", "grid-constant": "constant",
}  # fmt: skip
"""What NumPy calls SciPy's ways to go on beyond the edges."""

gaussian_filter1d = linear_counterpart(scipy.ndimage.gaussian_filter1d, "scipy.ndimage.gaussian_filter1d")
uniform_filter1d = linear_counterpart(scipy.ndimage.uniform_filter1d, "scipy.ndimage.uniform_filter1d")
spline_filter1d = linear_counterpart(scipy.ndimage.spline_filter1d, "scipy.ndimage.spline_filter1d")


def axes_of(x: Any, axes: Any) -> list[int]:
    """The axes along which to filter."""
    ndim = len(x.shape)
    return [*range(ndim)] if axes is None else [int(axis) % ndim for axis in np.atleast_1d(axes)]


def each_axis(value: Any, count: int) -> list[Any]:
    """An option for each axis."""
    return list(value) if np.ndim(value) else [value] * count


def no_output(name: str, output: Any) -> None:
    """Refuse an array that SciPy would write to."""
    if output is not None:
        raise DifferentiationError(
            f"{name} of traced values writes to no output={at_user_line()}; take what it returns"
        )


def no_constant(name: str, cval: Any) -> None:
    """Refuse edges of a number, by which a filter is not linear."""
    if cval != 0:
        raise DifferentiationError(f"{name} of traced values has no cval={cval!r}{at_user_line()}; pad with np.pad")


@counterpart(scipy.ndimage.gaussian_filter)
def gaussian_filter(
    input: Any,
    sigma: Any,
    order: Any = 0,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    truncate: float = 4.0,
    *,
    radius: Any = None,
    axes: Any = None,
) -> Any:
    """A Gaussian filter along all axes; ``sigma`` is a constant."""
    no_output("gaussian_filter", output)
    no_constant("gaussian_filter", cval)
    x = as_operand(input)
    places = axes_of(x, axes)
    options = zip(*(each_axis(option, len(places)) for option in (sigma, order, mode, radius)), strict=True)
    for axis, (deviation, degree, way, reach) in zip(places, options, strict=True):
        if deviation > 1e-15:
            x = gaussian_filter1d(x, deviation, axis=axis, order=degree, mode=way, truncate=truncate, radius=reach)
    return x


@counterpart(scipy.ndimage.uniform_filter)
def uniform_filter(
    input: Any,
    size: Any = 3,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """The mean of a box around each element."""
    no_output("uniform_filter", output)
    no_constant("uniform_filter", cval)
    x = as_operand(input)
    places = axes_of(x, axes)
    options = zip(*(each_axis(option, len(places)) for option in (size, mode, origin)), strict=True)
    for axis, (width, way, start) in zip(places, options, strict=True):
        x = uniform_filter1d(x, width, axis=axis, mode=way, origin=start)
    return x


def image_of(name: str, input: Any) -> Any:
    """An image of real or complex numbers.

    Raises:
        DifferentiationError: for one of integers, of which SciPy makes integers again.
    """
    x = as_operand(input)
    if spec_of(x).dtype.kind not in "fc":
        raise DifferentiationError(
            f"{name} makes integers of an image of {spec_of(x).dtype.name}{at_user_line()}, which have no derivative; "
            "pass image.astype(float)"
        )
    return x


def kept(found: Any, *operands: Any) -> Any:
    """A result in the precision of an image, the first operand, as SciPy's; complex numbers stay complex."""
    dtypes = [spec_of(x).dtype for x in operands]
    dtype = dtypes[0]
    if any(own.kind == "c" for own in dtypes):
        dtype = np.promote_types(dtype, np.complex64)
    return found if spec_of(found).dtype == dtype else FUNCTIONS[np.astype](found, dtype)


def windows(x: Any, weights: Any, mode: str, cval: Any, origin: Any) -> Any:
    """The sum of the elements around each one, each times its weight."""
    lengths = weights.shape
    starts = each_axis(origin, len(lengths))
    before = [length // 2 + start for length, start in zip(lengths, starts, strict=True)]
    around = [(low, length - 1 - low) for low, length in zip(before, lengths, strict=True)]
    options = {"constant_values": cval} if PADDING[mode] == "constant" else {}
    padded = FUNCTIONS[np.pad](x, around, PADDING[mode], **options)
    total: Any = 0
    for places in product(*map(range, lengths)):
        window = tuple(slice(k, k + n) for k, n in zip(places, x.shape, strict=True))
        total = total + padded[window] * weights[places]
    return kept(total, x, weights)


@counterpart(scipy.ndimage.correlate)
def correlate(
    input: Any, weights: Any, output: Any = None, mode: str = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    """The correlation with weights, which may be traced."""
    no_output("correlate", output)
    return windows(image_of("correlate", input), conj(as_operand(weights)), mode, cval, origin)


@counterpart(scipy.ndimage.convolve)
def convolve(
    input: Any, weights: Any, output: Any = None, mode: str = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    """The convolution with weights, which may be traced."""
    no_output("convolve", output)
    weights = FUNCTIONS[np.flip](as_operand(weights))
    starts = [
        -start - (length % 2 == 0)
        for start, length in zip(each_axis(origin, len(weights.shape)), weights.shape, strict=True)
    ]
    return windows(image_of("convolve", input), weights, mode, cval, starts)


def line(weights: Any, axis: int, ndim: int) -> Any:
    """Weights along one axis of as many as an array has."""
    weights = as_operand(weights)
    return FUNCTIONS[np.reshape](weights, [weights.shape[0] if k == axis % ndim else 1 for k in range(ndim)])


@counterpart(scipy.ndimage.correlate1d)
def correlate1d(
    input: Any,
    weights: Any,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    """The correlation with weights along one axis."""
    no_output("correlate1d", output)
    x = image_of("correlate1d", input)
    starts = [origin if k == axis % len(x.shape) else 0 for k in range(len(x.shape))]
    return correlate(x, line(weights, axis, len(x.shape)), mode=mode, cval=cval, origin=starts)


@counterpart(scipy.ndimage.convolve1d)
def convolve1d(
    input: Any,
    weights: Any,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    """The convolution with weights along one axis."""
    no_output("convolve1d", output)
    weights = conj(FUNCTIONS[np.flip](as_operand(weights)))  # which correlate1d conjugates
    return correlate1d(input, weights, axis, None, mode, cval, -origin - (weights.shape[0] % 2 == 0))


def edges(input: Any, axis: int, mode: Any, cval: Any, across: Sequence[float]) -> Any:
    """Differences along one axis, weighted sums along the others."""
    x = as_operand(input)
    ways = each_axis(mode, len(x.shape))
    own = axis % len(x.shape)
    found = correlate1d(x, np.array([-1.0, 0.0, 1.0]), own, None, ways[own], cval)
    for other in range(len(x.shape)):
        if other != own:
            found = correlate1d(found, np.array(across), other, None, ways[other], cval)
    return found


@counterpart(scipy.ndimage.sobel)
def sobel(input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """Sobel's filter."""
    no_output("sobel", output)
    return edges(input, axis, mode, cval, (1.0, 2.0, 1.0))


@counterpart(scipy.ndimage.prewitt)
def prewitt(input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """Prewitt's filter."""
    no_output("prewitt", output)
    return edges(input, axis, mode, cval, (1.0, 1.0, 1.0))


@counterpart(scipy.ndimage.laplace)
def laplace(input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None) -> Any:
    """The sum of second differences."""
    no_output("laplace", output)
    x = as_operand(input)
    places = axes_of(x, axes)
    ways = each_axis(mode, len(places))
    total: Any = 0
    for axis, way in zip(places, ways, strict=True):
        total = total + correlate1d(x, np.array([1.0, -2.0, 1.0]), axis, None, way, cval)
    return total


@counterpart(scipy.ndimage.spline_filter)
def spline_filter(input: Any, order: int = 3, output: Any = np.float64, mode: Any = "mirror") -> Any:
    """The coefficients of B-splines that go through the elements of an array."""
    no_output("spline_filter", None if output is np.float64 else output)
    x = as_operand(input) * 1.0
    for axis in range(len(x.shape)) if order > 1 else ():
        x = spline_filter1d(x, order, axis=axis, mode=mode)
    return x


@counterpart(scipy.ndimage.gaussian_laplace)
def gaussian_laplace(
    input: Any,
    sigma: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    *,
    axes: Any = None,
    **options: Any,
) -> Any:
    """The sum of second derivatives of a Gaussian filter."""
    no_output("gaussian_laplace", output)
    x = as_operand(input)
    places = axes_of(x, axes)
    total: Any = 0
    for axis in places:
        orders = [2 if place == axis else 0 for place in places]
        total = total + gaussian_filter(x, sigma, orders, None, mode, cval, axes=places, **options)
    return total


@counterpart(scipy.ndimage.center_of_mass)
def center_of_mass(input: Any, labels: Any = None, index: Any = None) -> tuple[Any, ...]:
    """The mean of coordinates, weighted by the elements."""
    if labels is not None or index is not None:
        raise DifferentiationError(
            f"center_of_mass of traced values has no labels={at_user_line()}; select elements with np.where"
        )
    x = as_operand(input)
    whole = FUNCTIONS[np.sum](x)
    return tuple(FUNCTIONS[np.sum](x * place) / whole for place in np.indices(x.shape))
