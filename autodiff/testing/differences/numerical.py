"""Numerical derivatives along a direction: central differences to the limit, or one complex step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from autodiff.testing.differences.central import central_derivative, first_step, scales_for
from autodiff.testing.differences.complex_step import complex_step_derivative
from autodiff.trace.trees.tree import flatten

Method = Literal["central", "complex-step"]


def directional_derivative(
    fun: Callable[..., Any], args: Sequence[Any], tangents: Sequence[Any], *, method: Method = "central"
) -> tuple[Any, Any]:
    """The derivative of fun(args + t * tangents) by t at t = 0, and an estimate of its error.

    Args:
        fun: function of the arguments. It is called with plain arrays and returns a tree of arrays.
        args: its arguments, in double precision. Leaves of an integer dtype stay as they are.
        tangents: one tree for each argument, with equal structure and shapes.
        method: "central" differences extrapolated to a vanishing step work for every function, real or
            complex; "complex-step" is exact to rounding, for functions of real arguments that also take
            complex ones and are analytic (no abs, no comparisons, no real part).

    Returns:
        (derivative, error): two trees like the output. The error is a bound in practice, not a proof; it is
        infinite where no step gave a finite difference.

    Raises:
        TypeError: there are more or fewer tangents than arguments; or the complex step met a complex
            argument, or an output that stayed real.
        ValueError: method is neither of the two.

    >>> slope, error = directional_derivative(np.sin, (0.5,), (1.0,))
    >>> bool(abs(slope - np.cos(0.5)) < 1e-11), bool(error < 1e-9)
    (True, True)
    >>> slope, _ = directional_derivative(np.sin, (0.5,), (1.0,), method="complex-step")
    >>> bool(abs(slope - np.cos(0.5)) < 1e-15)
    True
    """
    primals, structure = flatten(tuple(args))
    directions, _ = flatten(tuple(tangents))
    if len(primals) != len(directions):
        raise TypeError(
            f"the arguments have {len(primals)} leaves, the tangents {len(directions)}; "
            "give one tangent of equal structure for each argument"
        )

    def along(step: complex) -> Any:
        leaves = [move(x, v, step) for x, v in zip(primals, directions, strict=True)]
        return fun(*structure.unflatten(leaves))

    with np.errstate(all="ignore"):
        if method == "complex-step":
            return complex_step_derivative(along, primals)
        if method == "central":
            return central_derivative(along, first_step(primals, directions), scales_for(primals))
    raise ValueError(f"the methods are 'central' and 'complex-step', and {method!r} arrived")


def move(primal: Any, tangent: Any, step: complex) -> Any:
    """primal + step * tangent, an array where primal is one; whole numbers and bools stay where they are."""
    if np.asarray(primal).dtype.kind not in "fc":
        return primal
    moved = primal + step * tangent
    return np.asarray(moved) if isinstance(primal, np.ndarray) else moved
