"""The coefficients of splines through points: equations with a constant matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops.matrices.sparse import Pattern, sparse_solve
from autodiff.scipy.interpolate.bsplines import Spline
from autodiff.scipy.linear import along
from autodiff.scipy.mirror import holds_traced
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

NAMED = {"natural": [(2, 0.0)], "clamped": [(1, 0.0)], "not-a-knot": []}
"""Derivatives at an end, by their order, and their values."""


def make_interp_spline(
    x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0, check_finite: bool = True
) -> Spline:
    """The spline of degree ``k`` through points, whose values may be traced.

    Raises:
        DifferentiationError: if the places of points, or knots, are traced.
    """
    if holds_traced((x, t)):
        raise DifferentiationError(
            f"make_interp_spline has a derivative by values and by where it is evaluated{at_user_line()}; keep the "
            "places of the points constant, or take CubicSpline"
        )
    x, y = np.asarray(x, float), as_operand(y) * 1.0
    axis %= spec_of(y).ndim
    y = FUNCTIONS[np.moveaxis](y, axis, 0)
    shape = spec_of(y).shape
    periodic = isinstance(bc_type, str) and bc_type == "periodic"
    orders = (
        "periodic" if periodic else tuple([(order, np.zeros(shape[1:])) for order, _ in end] for end in ends(bc_type))
    )
    like = scipy.interpolate.make_interp_spline(x, np.zeros(shape), k, t, orders if periodic or any(orders) else None)
    flat = FUNCTIONS[np.reshape](y, (shape[0], -1))
    if periodic:
        c = along(lambda values: periodic_coefficients(x, values, k), flat[:-1], 0)
    elif k < 2 and t is None:
        c = flat
    else:
        c = coefficients(like, x, flat, ends(bc_type))
    c = FUNCTIONS[np.reshape](c, (spec_of(c).shape[0], *shape[1:]))
    return Spline(like.t, c, like.k, "periodic" if periodic else True, axis)


def ends(bc_type: Any) -> list[Any]:
    """The derivatives that are given at both ends: orders and values."""
    both = [bc_type] * 2 if bc_type is None or isinstance(bc_type, str) else bc_type
    return [NAMED[end] if isinstance(end, str) and end in NAMED else end or [] for end in both]


def coefficients(like: Any, x: Any, flat: Any, derivatives: Any) -> Any:
    """The coefficients for values in rows: the B-splines at the points, and their derivatives at the ends."""
    matrix = scipy.interpolate.BSpline.design_matrix(x, like.t, like.k).tocoo()
    count = matrix.shape[1]
    each = scipy.interpolate.BSpline(like.t, np.eye(count), like.k)
    given = [
        [(each(place, order), value) for order, value in end]
        for place, end in zip(x[[0, -1]], derivatives, strict=True)
    ]
    dense = [[row for row, _ in end] for end in given]
    before, after = len(dense[0]), len(dense[1])
    columns = np.arange(count)
    rows = [np.full(count, k if k < before else count - after + k - before) for k in range(before + after)]
    entries = np.concatenate([matrix.data, *dense[0], *dense[1]])
    pattern = Pattern(
        np.concatenate([matrix.row + before, *rows]),
        np.concatenate([matrix.col, *[columns] * (before + after)]),
        (count, count),
    )
    values = [[as_row(value, flat) for _, value in end] for end in given]
    right = FUNCTIONS[np.concatenate]([*values[0], flat, *values[1]])
    return sparse_solve(entries, right, pattern=pattern)


def as_row(value: Any, flat: Any) -> Any:
    """The value of a derivative as one row beside those of points."""
    return FUNCTIONS[np.reshape](as_operand(value), (1, -1)) + flat[:1] * 0.0


def periodic_coefficients(x: Any, values: Any, k: int) -> Any:
    """The coefficients of splines that go on as they began, for all values but the last along the last axis."""
    columns = np.moveaxis(values, -1, 0)
    whole = np.concatenate([columns, columns[:1]])
    return np.moveaxis(scipy.interpolate.make_interp_spline(x, whole, k, bc_type="periodic").c, 0, -1)
