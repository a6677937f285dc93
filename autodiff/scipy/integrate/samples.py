"""Integrals of samples: all of them are linear in these, with weights that SciPy's own rules give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops import elementwise as ew
from autodiff.scipy.mirror import counterpart
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced


def last(y: Any, axis: int) -> Any:
    """Samples along their last axis."""
    return FUNCTIONS[np.moveaxis](as_operand(y), axis, -1)


def along_last(x: Any, y: Any, axis: int) -> Any:
    """Places of samples along their last axis: a vector, or as many as there are samples."""
    x = as_operand(x)
    return x if len(x.shape) == 1 else FUNCTIONS[np.moveaxis](FUNCTIONS[np.broadcast_to](x, y.shape), axis, -1)


def weighted(rule: Callable[[Any], Any], y: Any) -> Any:
    """A rule that is linear in samples, by what it makes of unit vectors; several results lie along the last axis."""
    weights = np.asarray(rule(np.eye(y.shape[-1])))
    return FUNCTIONS[np.sum](y * weights, -1) if weights.ndim == 1 else y @ weights


@counterpart(scipy.integrate.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral of samples by the trapezoidal rule.

    >>> import numpy as np, autodiff
    >>> autodiff.grad(trapezoid)(np.zeros(3))
    array([0.5, 1. , 0.5])
    """
    return FUNCTIONS[np.trapezoid](as_operand(y), x if x is None else as_operand(x), dx, axis)


@counterpart(scipy.integrate.cumulative_trapezoid)
def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None) -> Any:
    """The integral of samples up to each of them, by the trapezoidal rule."""
    y = as_operand(y)
    samples = last(y, axis)
    if x is not None:
        x = along_last(x, y, axis)
        dx = x[..., 1:] - x[..., :-1]
    total = FUNCTIONS[np.cumsum]((samples[..., 1:] + samples[..., :-1]) * dx / 2, -1)
    if initial is not None:
        first = FUNCTIONS[np.broadcast_to](np.asarray(float(initial)), (*samples.shape[:-1], 1))
        total = FUNCTIONS[np.concatenate]([first, total], -1)
    return FUNCTIONS[np.moveaxis](total, -1, axis)


@counterpart(scipy.integrate.simpson)
def simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral of samples by Simpson's rule."""
    y = as_operand(y)
    samples = last(y, axis)
    if x is None:
        return weighted(lambda unit: scipy.integrate.simpson(unit, axis=-1), samples) * dx
    x = along_last(x, y, axis)
    if not isinstance(x, Traced) and x.ndim == 1:
        return weighted(lambda unit: scipy.integrate.simpson(unit, x, axis=-1), samples)
    return parabolas(samples, x)


def parabolas(y: Any, x: Any) -> Any:
    """The integral of parabolas through three samples each; one through the last three gives what may be left over."""
    count = y.shape[-1]
    if count < 3:
        return FUNCTIONS[np.trapezoid](y, x)
    h = x[..., 1:] - x[..., :-1]
    stop = count - 1 if count % 2 else count - 2
    a, b = h[..., 0:stop:2], h[..., 1:stop:2]
    both = a + b
    total = FUNCTIONS[np.sum](
        both
        / 6
        * (
            (2 - ratio(b, a)) * y[..., 0 : stop - 1 : 2]
            + ratio(both * both, a * b) * y[..., 1:stop:2]
            + (2 - ratio(a, b)) * y[..., 2 : stop + 1 : 2]
        ),
        -1,
    )
    if count % 2:
        return total
    a, b = h[..., -2], h[..., -1]
    return total + (
        y[..., -1] * ratio(2 * b * b + 3 * a * b, 6 * (a + b))
        + y[..., -2] * ratio(b * b + 3 * a * b, 6 * a)
        - y[..., -3] * ratio(b**3, 6 * a * (a + b))
    )


def ratio(top: Any, bottom: Any) -> Any:
    """A quotient that is zero where the denominator is, as SciPy has it where places are equal."""
    empty = ew.equal(bottom, 0)
    return ew.where(empty, 0.0, top / ew.where(empty, 1.0, bottom))


@counterpart(scipy.integrate.romb)
def romb(y: Any, dx: Any = 1.0, axis: int = -1, show: bool = False) -> Any:
    """The integral of 2**k + 1 samples by Romberg's rule."""
    return weighted(lambda unit: scipy.integrate.romb(unit, axis=-1), last(y, axis)) * dx


@counterpart(scipy.integrate.cumulative_simpson)
def cumulative_simpson(y: Any, *, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None) -> Any:
    """The integral of samples up to each of them, by Simpson's rule; the places of samples are constants."""
    if isinstance(x, Traced) or isinstance(initial, Traced):
        raise DifferentiationError(
            f"scipy.integrate.cumulative_simpson has no derivative by x and initial{at_user_line()}; keep them constant"
        )
    x = x if x is None else np.asarray(x)
    if x is not None and x.ndim > 1:
        raise DifferentiationError(
            f"scipy.integrate.cumulative_simpson of traced samples got x of shape {x.shape}{at_user_line()}: it needs "
            "a vector; call it for each row, or give dx="
        )
    samples = last(y, axis)

    def rule(unit: Any) -> Any:
        return scipy.integrate.cumulative_simpson(unit, x=x, axis=-1, initial=None if initial is None else 0.0)

    total = weighted(rule, samples)
    if x is None:
        total = total * (last(dx, axis) if spec_of(as_operand(dx)).ndim else dx)
    if initial is not None:  # SciPy takes a number, or an array that has length one along the axis
        total = total + (np.moveaxis(np.asarray(initial), axis, -1) if np.ndim(initial) else initial)
    return FUNCTIONS[np.moveaxis](total, -1, axis)
