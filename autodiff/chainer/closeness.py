"""Comparison of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backends.cuda import to_cpu
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


def assert_allclose(x: Any, y: Any, atol: float = 1e-5, rtol: float = 1e-4, verbose: bool = True) -> None:
    """See that two arrays agree: ``|x - y| <= atol + rtol |y|`` everywhere. NaN agrees with NaN.

    Args:
        x: an array, on any device, or a number.
        y: what is expected.
        atol: absolute tolerance.
        rtol: tolerance relative to ``y``.
        verbose: whether the error shows both arrays.

    Raises:
        TypeError: if one of them is a Variable.
        AssertionError: if the shapes differ, or elements do; it says where they differ most.

    >>> assert_allclose(np.array([1.0, 2.0]), [1.0, 2.1], verbose=False)
    Traceback (most recent call last):
    AssertionError: the arrays differ in 1 of 2 elements, most at index (1,)
      arrived    2.0
      expected   2.1
      error      0.1
      allowed    0.00022 = 1e-05 + 0.0001 * 2.1
    """
    x, y = plain(x), plain(y)
    if x.shape != y.shape and x.shape and y.shape:
        raise AssertionError(f"the arrays differ in shape: {x.shape} arrived, {y.shape} is expected{at_user_line()}")
    x, y = np.broadcast_arrays(x, y)
    excess = distance(x, y) - np.where(np.isfinite(y), atol + rtol * np.abs(y), 0.0)
    if (excess <= 0).all():
        return
    both = f"\nx: {x}\ny: {y}" if verbose else ""
    raise AssertionError(described(x, y, excess, atol, rtol) + both)


def plain(value: Any) -> Any:
    """An array as one of NumPy."""
    if isinstance(value, Variable):
        raise TypeError(f"assert_allclose compares arrays, and a Variable arrived{at_user_line()}; pass its array")
    return np.asarray(to_cpu(value) if hasattr(value, "dtype") else value)


def distance(x: Any, y: Any) -> Any:
    """|x - y|, in at least double precision; infinite where one of them alone is NaN."""
    with np.errstate(all="ignore"):
        apart = np.abs(np.subtract(x, y, dtype=np.result_type(x, y, np.float64)))
    same = (x == y) | ((x != x) & (y != y))
    return np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))


def described(x: Any, y: Any, excess: Any, atol: float, rtol: float) -> str:
    """Where two arrays differ most, and by how much."""
    index = tuple(int(place) for place in np.unravel_index(int(np.argmax(excess)), excess.shape))
    place = f", most at index {index}" if index else ""
    allowed = atol + rtol * float(np.abs(y[index]))
    return (
        f"the arrays differ in {int((excess > 0).sum())} of {excess.size} elements{place}\n"
        f"  arrived    {x[index]}\n  expected   {y[index]}\n  error      {distance(x, y)[index]:.3g}\n"
        f"  allowed    {allowed:.3g} = {atol} + {rtol} * {np.abs(y[index])}"
    )
