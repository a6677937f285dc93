"""Functions on grids: RegularGridInterpolator and interpn, of which values and places may be traced."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.numpy.items.indexing import index
from autodiff.ops import elementwise as ew
from autodiff.scipy.called_back import known
from autodiff.scipy.interpolate.bsplines import basis
from autodiff.scipy.interpolate.polynomials import Curve, beside
from autodiff.scipy.interpolate.through import make_interp_spline
from autodiff.scipy.mirror import holds_traced
from autodiff.trace.errors import DifferentiationError, OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

DEGREES = {"linear": 1, "slinear": 1, "cubic": 3, "quintic": 5}
METHODS = ("nearest", *DEGREES)

Taps = list[tuple[Any, Any]]
"""Indices along one axis, and the weights of the values there."""


class Grid(Curve):
    """A function given on a grid; SciPy's ``RegularGridInterpolator`` for traced values.

    Args:
        points: the places along each axis, which are constant.
        values: one for each point of the grid, and axes of their own behind.
        method: ``"linear"``, ``"nearest"``, ``"slinear"``, ``"cubic"`` or ``"quintic"``.
        bounds_error: whether places outside are an error.
        fill_value: what is outside; None goes on.
    """

    def __init__(
        self,
        points: Sequence[Any],
        values: Any,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: Any = np.nan,
        **options: Any,
    ) -> None:
        if holds_traced(list(points)):
            raise DifferentiationError(
                f"RegularGridInterpolator has a derivative by values and by where it is evaluated{at_user_line()}; "
                "keep the grid constant, and map the places to it"
            )
        self.method, self.bounds_error, self.fill_value = method, bounds_error, fill_value
        axes = [np.asarray(one, float) for one in points]
        back = [k for k, one in enumerate(axes) if one.size > 1 and one[0] > one[-1]]
        self.grid = [one[::-1] if k in back else one for k, one in enumerate(axes)]
        values = as_operand(values) * 1.0
        its = spec_of(values).shape
        if its[: len(axes)] != tuple(one.size for one in axes):
            raise OperandError(
                f"RegularGridInterpolator got a grid of {[one.size for one in axes]} points and values "
                f"{spec_of(values)!r}{at_user_line()}; it needs one for each"
            )
        if any(np.any(np.diff(one) <= 0) for one in self.grid):
            raise OperandError(
                f"RegularGridInterpolator got points that neither increase nor decrease{at_user_line()}; sort them"
            )
        self.values = FUNCTIONS[np.flip](values, tuple(back)) if back else values

    def __call__(self, xi: Any, method: str | None = None, *, nu: Any = None) -> Any:
        """The value at places, whose coordinates stand along the last axis, or in a tuple of arrays.

        Raises:
            ValueError: for places outside, where these are an error and known; where they are not known, as under
                ``jit`` and ``vmap``, the value is NaN there.
        """
        method = self.method if method is None else method
        if method not in METHODS or nu is not None:
            said = f"method={method!r}" if nu is None else "nu="
            raise DifferentiationError(
                f"RegularGridInterpolator of traced values has no {said}{at_user_line()}; it has {', '.join(METHODS)}"
            )
        xi = self.places(xi)
        shape = spec_of(xi).shape[:-1]
        flat = FUNCTIONS[np.reshape](xi, (-1, len(self.grid)))
        each = [flat[:, k] for k in range(len(self.grid))]
        found = weighted(*self.splines(method, each))
        found = self.held(each, found)
        return FUNCTIONS[np.reshape](found, (*shape, *spec_of(found).shape[1:]))

    def places(self, xi: Any) -> Any:
        """The places with their coordinates along the last axis; a vector is one place, or many on one axis."""
        if isinstance(xi, tuple):
            xi = FUNCTIONS[np.stack](FUNCTIONS[np.broadcast_arrays](*map(as_operand, xi)), -1)
        xi = as_operand(xi) * 1.0
        count = len(self.grid)
        if spec_of(xi).ndim < 2 and count == 1:
            return FUNCTIONS[np.reshape](xi, (-1, 1))
        if spec_of(xi).ndim == 0 or spec_of(xi).shape[-1] != count:
            raise OperandError(
                f"places {spec_of(xi)!r}{at_user_line()} have no {count} coordinates along the last axis, as a grid of "
                f"{count} dimensions needs"
            )
        return xi[None] if spec_of(xi).ndim == 1 else xi

    def splines(self, method: str, each: Sequence[Any]) -> tuple[Any, list[Taps]]:
        """Coefficients, and for each axis those that count at the places, with their weights."""
        if method == "nearest":
            return self.values, [nearest(one, x) for one, x in zip(self.grid, each, strict=True)]
        degree, c, taps = DEGREES[method], self.values, []
        for axis, (points, x) in enumerate(zip(self.grid, each, strict=True)):
            own = make_interp_spline(points, FUNCTIONS[np.moveaxis](c, axis, 0), degree)
            first, values = basis(own.t, degree, x)
            c = FUNCTIONS[np.moveaxis](own.c, 0, axis)
            taps.append([(first + r, value) for r, value in enumerate(values)])
        return c, taps

    def held(self, each: Sequence[Any], found: Any) -> Any:
        """The values, and outside of the grid what is said to be there."""
        if not self.bounds_error and self.fill_value is None:
            return found
        outside: Any = False
        for x, points in zip(each, self.grid, strict=True):
            outside = ew.logical_or(outside, ew.logical_or(ew.less(x, points[0]), ew.greater(x, points[-1])))
        if self.bounds_error and known(outside) and np.any(peeled(outside, "RegularGridInterpolator")):
            raise ValueError(
                f"a place lies outside of the grid{at_user_line()}; bounds_error=False gives fill_value there"
            )
        fill = np.nan if self.bounds_error else self.fill_value
        return ew.where(beside(outside, spec_of(found).ndim - 1), fill, found)


def nearest(points: Any, x: Any) -> Taps:
    """The point that is nearest to a place; of two that are as near, the first one."""
    middle = (points[1:] + points[:-1]) / 2
    return [(FUNCTIONS[np.searchsorted](middle, x, side="left"), 1.0)]


def weighted(values: Any, taps: Sequence[Taps]) -> Any:
    """The sum of values at all combinations of indices, each times the product of the weights."""
    total: Any = 0.0
    own_axes = spec_of(values).ndim - len(taps)
    for chosen in product(*taps):
        weight: Any = 1.0
        for _, factor in chosen:
            weight = weight * factor
        picked = index(values, tuple(place for place, _ in chosen))
        total = total + picked * (weight if isinstance(weight, float) else beside(weight, own_axes))
    return total


def interpn(
    points: Any,
    values: Any,
    xi: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: Any = np.nan,
) -> Any:
    """The function given on a grid, at places.

    >>> import numpy as np, autodiff
    >>> grid = np.arange(3.0), np.arange(4.0)
    >>> values = np.add.outer(grid[0] ** 2, grid[1])
    >>> autodiff.grad(lambda at: interpn(grid, values, at)[0])(np.array([1.5, 0.5]))
    array([3., 1.])
    """
    return Grid(points, values, method, bounds_error, fill_value)(xi)
